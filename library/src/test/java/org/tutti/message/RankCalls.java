/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;

import org.tutti.DataType;
import org.tutti.DeadlineExceededException;
import org.tutti.FoundMessage;
import org.tutti.Message;
import org.tutti.ReceiveRequest;
import org.tutti.Request;

/**
 * The calls of a rank on a communicator without a job.
 *
 * @param messages the messages of the communicator
 * @param mayWait whether calls may wait
 * @param waiter waits until a request has ended
 */
record RankCalls(CommunicatorMessages messages, boolean mayWait, Consumer<Request> waiter) implements MatchingCalls {
    private static final long SHORT_NANOS = 1_000_000;

    @Override
    public Request send(MemorySegment source, int target, int tag, boolean isSynchronous) {
        return messages.startSend(source, DataType.BYTE, target, tag, isSynchronous, Long.MAX_VALUE);
    }

    @Override
    public ReceiveRequest receive(MemorySegment target, int source, int tag) {
        return messages.startReceive(target, DataType.BYTE, source, tag, Long.MAX_VALUE, () -> {
        });
    }

    @Override
    public FoundMessage tryProbe(int source, int tag) {
        return messages.tryProbe(source, tag, Long.MAX_VALUE);
    }

    @Override
    public void receive(FoundMessage found, MemorySegment target) {
        ((LiveFoundMessage) found).receiveMessage(target, DataType.BYTE);
    }

    @Override
    public boolean withdraw(Request send) {
        return send instanceof PendingSend pending && pending.cancel(new CancellationException());
    }

    @Override
    public boolean sendNow(MemorySegment source, int target, int tag, boolean isSynchronous) {
        try {
            messages.send(source, DataType.BYTE, target, tag, isSynchronous, System.nanoTime() + SHORT_NANOS);
            return true;
        } catch (DeadlineExceededException _) {
            return false;
        }
    }

    @Override
    public Message receiveNow(MemorySegment target, int source, int tag) {
        try {
            Message message = new Message();
            messages.receive(target, DataType.BYTE, source, tag, message, System.nanoTime() + SHORT_NANOS);
            return message;
        } catch (DeadlineExceededException _) {
            return null;
        }
    }

    @Override
    public void await(Request request) {
        waiter.accept(request);
    }
}
