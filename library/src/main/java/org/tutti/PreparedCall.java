/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

/**
 * A call of a collective that was {@linkplain Communicator#prepare prepared}, and is done as often as it is run or
 * started: a persistent call. Each time counts as a call of the communicator, in whose order it is, with the deadline
 * of the communicator that it was prepared on. It can be in flight once at a time.
 */
public interface PreparedCall {
    /**
     * Does it, as the call of the {@link Communicator} would.
     *
     * @throws IllegalStateException when it is in flight, or another thread is inside a call of the communicator
     * @throws TuttiException what the call would have ended with
     */
    void run();

    /**
     * Begins to do it, as the call of the {@link NonBlockingCommunicator} would.
     *
     * @return the request
     * @throws IllegalStateException when it is in flight, or too many requests are
     */
    Request start();
}
