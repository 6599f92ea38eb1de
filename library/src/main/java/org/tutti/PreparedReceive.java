/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

/**
 * A prepared receive ({@link PreparedCommunicator#receive(Span, int, int)}). Each start returns a request of its own,
 * which describes the message and can be cancelled.
 */
public interface PreparedReceive extends PreparedCall {
    /**
     * Starts the prepared receive without waiting for its message, in the same way as {@link
     * NonBlockingCommunicator#receive(Span, int, int)}.
     *
     * @return the request, with which the program waits for the message, asks for its description, or cancels the
     *         receive
     * @throws IllegalStateException if an earlier run of the receive is in flight, or too many messages are
     */
    @Override
    ReceiveRequest start();
}
