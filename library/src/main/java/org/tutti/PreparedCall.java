/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

/**
 * A call of a collective that was {@linkplain Communicator#prepare prepared}, and can be made any number of times (a
 * persistent call). Each time it counts as a call of the communicator, in the order of its calls, with the deadline of
 * the communicator that it was prepared on. Only one of these calls can be in flight at a time.
 */
public interface PreparedCall {
    /**
     * Makes the call and waits for it, as the method of the {@link Communicator} does.
     *
     * @throws IllegalStateException if the call is in flight, or another thread is inside a call of the communicator
     * @throws TuttiException as the method of the communicator
     */
    void run();

    /**
     * Starts the call, as the method of the {@link NonBlockingCommunicator} does.
     *
     * @return the request
     * @throws IllegalStateException if the call is in flight, or too many requests are
     */
    Request start();
}
