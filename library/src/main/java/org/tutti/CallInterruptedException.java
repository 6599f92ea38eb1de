/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

/**
 * Thrown when the thread of a blocked call is interrupted. The thread's interrupt status is set again. The communicator
 * is then broken, because the other ranks cannot complete the operation without this rank. An interrupt breaks nothing
 * in a call on {@link RemoteMemory} that is not collective, or in {@link Request#await()} of an operation that another
 * thread runs.
 */
public final class CallInterruptedException extends TuttiException {
    private static final long serialVersionUID = 1L;

    /**
     * Constructs an exception with a message.
     *
     * @param message one sentence: what happened, where, with which values, and what to do
     */
    public CallInterruptedException(String message) {
        super(message);
    }
}
