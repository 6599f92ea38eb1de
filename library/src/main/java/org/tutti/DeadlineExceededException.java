/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

/**
 * Thrown when a call has not completed before its deadline, or before the deadline of its job. If the call was
 * collective, its communicator is then broken. Other calls on {@link RemoteMemory} break nothing.
 */
public final class DeadlineExceededException extends TuttiException {
    private static final long serialVersionUID = 1L;

    /**
     * Constructs an exception with a message.
     *
     * @param message one sentence: what happened, where, with which values, and what to do
     */
    public DeadlineExceededException(String message) {
        super(message);
    }
}
