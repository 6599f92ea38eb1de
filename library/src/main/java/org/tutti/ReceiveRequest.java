/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

/**
 * A receive that was started without waiting for its message ({@link NonBlockingCommunicator#receive(Span, int, int)}).
 */
public interface ReceiveRequest extends Request {
    /**
     * {@return the description of the message that has been received}
     *
     * @throws IllegalStateException if the receive has not ended
     * @throws TuttiException if the receive has failed; the exception that {@link #await()} throws
     */
    Message message();

    /**
     * Ends the receive if no message has matched it. {@link #await()} then throws {@link
     * java.util.concurrent.CancellationException}, and another receive gets the message that comes later.
     *
     * @return true if the receive is cancelled; false if it has ended, or a message has matched it. If the sender
     *         withdraws that message, because of a deadline or an interrupt, the receive ends as cancelled, too
     */
    boolean cancel();
}
