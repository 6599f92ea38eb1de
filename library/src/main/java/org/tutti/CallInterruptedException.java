/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

/**
 * Thrown when a thread is interrupted while it waits in a call. The thread's interrupt status is set again. If the call
 * was collective, the communicator is then broken, because the other ranks cannot complete the operation without this
 * rank. Two kinds of calls can be interrupted without breaking anything. They are calls on {@link RemoteMemory} that
 * are not collective, and {@link Request#await()} of an operation that another thread runs.
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
