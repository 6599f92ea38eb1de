/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool;

/** The command line asks for something impossible; ends the launcher with status 2. */
public final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** @param message one sentence: the fault, the values, and the remedy */
    public UsageException(String message) {
        super(message);
    }
}
