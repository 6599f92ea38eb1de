/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

/**
 * The thread of a blocked call was interrupted. The thread's interrupt status is set again; the communicator is broken,
 * because the other ranks cannot complete the operation that this rank gave up. (One that is interrupted in {@link
 * Request#await()} gives up nothing.)
 */
public final class CallInterruptedException extends TuttiException {
    private static final long serialVersionUID = 1L;

    /**
     * @param message one sentence: what happened, where, with which values, and what to do
     */
    public CallInterruptedException(String message) {
        super(message);
    }
}
