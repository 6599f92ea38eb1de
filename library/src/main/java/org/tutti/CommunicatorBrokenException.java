/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

/**
 * The communicator can no longer be used, because an earlier call on it did not complete on some rank. The message says
 * which rank broke it and why.
 */
public sealed class CommunicatorBrokenException extends TuttiException permits CollectiveMismatchException {
    private static final long serialVersionUID = 1L;

    /**
     * @param message one sentence: what happened, where, with which values, and what to do
     */
    public CommunicatorBrokenException(String message) {
        super(message);
    }
}
