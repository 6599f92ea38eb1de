/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

/**
 * A collective, a send or a receive whose arguments were checked once, and which the program then makes any number of
 * times. MPI names it a persistent call. {@link Communicator#prepare} returns the object that prepares calls. Each run
 * counts as a call of the communicator, in the order of its calls, and has the deadline of the communicator on which it
 * was prepared. A run must have ended before the next one begins.
 */
public interface PreparedCall {
    /**
     * Makes the prepared call and waits until it has completed, in the same way as the method of the
     * {@link Communicator} with these arguments.
     *
     * @throws IllegalStateException if the call is in flight, or another thread is inside a call of the communicator
     * @throws TuttiException if the method of the communicator would throw it
     */
    void run();

    /**
     * Starts the prepared call without waiting for it, in the same way as the method of the
     * {@link NonBlockingCommunicator} with these arguments.
     *
     * @return the request, with which the program waits for the call
     * @throws IllegalStateException if an earlier run of the call is in flight, or too many requests are
     */
    Request start();
}
