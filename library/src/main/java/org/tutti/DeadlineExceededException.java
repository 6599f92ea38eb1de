/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

/**
 * A call did not complete before its deadline or its job's; its communicator is broken.
 */
public final class DeadlineExceededException extends TuttiException {
    private static final long serialVersionUID = 1L;

    /**
     * @param message one sentence: what happened, where, with which values, and what to do
     */
    public DeadlineExceededException(String message) {
        super(message);
    }
}
