/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.function.Consumer;

import org.tutti.Communicator;
import org.tutti.DataType;
import org.tutti.DeadlineExceededException;
import org.tutti.FoundMessage;
import org.tutti.Message;
import org.tutti.ReceiveRequest;
import org.tutti.Request;
import org.tutti.Span;

/**
 * The calls of a rank of a job on a communicator, as programs make them.
 *
 * @param communicator the communicator
 * @param waiter waits until a request has ended
 */
record CommunicatorCalls(Communicator communicator, Consumer<Request> waiter) implements MatchingCalls {
    private static final Duration SHORT = Duration.ofMillis(1);

    private static Span bytes(MemorySegment memory) {
        return Span.of(memory, DataType.BYTE);
    }

    @Override
    public Request send(MemorySegment source, int target, int tag, boolean isSynchronous) {
        return isSynchronous ? communicator.nonBlocking().sendSynchronous(bytes(source), target, tag)
                : communicator.nonBlocking().send(bytes(source), target, tag);
    }

    @Override
    public ReceiveRequest receive(MemorySegment target, int source, int tag) {
        return communicator.nonBlocking().receive(bytes(target), source, tag);
    }

    @Override
    public FoundMessage tryProbe(int source, int tag) {
        return communicator.tryProbe(source, tag).orElse(null);
    }

    @Override
    public void receive(FoundMessage found, MemorySegment target) {
        found.receive(bytes(target));
    }

    /** Only its deadline withdraws a started send. */
    @Override
    public boolean withdraw(Request send) {
        return false;
    }

    @Override
    public boolean mayWait() {
        return true;
    }

    @Override
    public boolean sendNow(MemorySegment source, int target, int tag, boolean isSynchronous) {
        Communicator hasty = communicator.withDeadline(SHORT);
        try {
            if (isSynchronous) {
                hasty.sendSynchronous(bytes(source), target, tag);
            } else {
                hasty.send(bytes(source), target, tag);
            }
            return true;
        } catch (DeadlineExceededException _) {
            return false;
        }
    }

    @Override
    public Message receiveNow(MemorySegment target, int source, int tag) {
        Message message = new Message();
        try {
            communicator.withDeadline(SHORT).receive(bytes(target), source, tag, message);
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
