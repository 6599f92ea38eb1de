/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;

import org.tutti.DataType;
import org.tutti.FoundMessage;

/** A message that a probe has found, and whose elements are received later. */
final class LiveFoundMessage extends FoundMessage {
    private final CommunicatorMessages messages;
    private final Receive receive;
    private final AtomicBoolean isReceived = new AtomicBoolean();

    /**
     * Creates the message.
     *
     * @param messages the messages of the communicator
     * @param receive the receive that the message has matched
     * @param source the sender, a rank of the communicator
     */
    LiveFoundMessage(CommunicatorMessages messages, Receive receive, int source) {
        super(source, receive.matchedTag(), receive.matchedType(),
                receive.matchedBytes() / receive.matchedType().bytes());
        this.messages = messages;
        this.receive = receive;
    }

    @Override
    protected void drop() {
        if (isReceived.compareAndSet(false, true)) {
            messages.drop(receive);
            receive.end();
        }
    }

    @Override
    protected void receiveMessage(MemorySegment target, DataType type) {
        if (!isReceived.compareAndSet(false, true)) {
            throw new IllegalStateException(this + " has been received, or another thread is receiving it; probe for "
                    + "the next message");
        }
        boolean isTaken = false;
        try {
            messages.receive(receive, source(), target, type);
            isTaken = true;
        } finally {
            if (isTaken || receive.fits()) {
                receive.end();
            } else {
                isReceived.set(false); // it does not fit, and can be received by another call
            }
        }
    }
}
