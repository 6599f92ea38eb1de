/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.communicators;

import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;

import org.tutti.Blocks;
import org.tutti.Collective;
import org.tutti.DataType;
import org.tutti.PreparedCall;
import org.tutti.PreparedCommunicator;
import org.tutti.PreparedReceive;
import org.tutti.ReceiveRequest;
import org.tutti.Reduction;
import org.tutti.Request;
import org.tutti.collective.Call;

/**
 * Prepares calls of a communicator, so that they can run repeatedly. Each prepared call has a {@link Call} of its own.
 */
final class LivePrepared extends PreparedCommunicator {
    private static final Runnable NOTHING = () -> {
    };

    private static final class Receive extends PreparedMessage<ReceiveRequest> implements PreparedReceive {
        Receive(String called, Supplier<ReceiveRequest> starter) {
            super(called, starter);
        }
    }

    private final CommunicatorCalls calls;

    LivePrepared(CommunicatorCalls calls) {
        this.calls = calls;
    }

    @Override
    protected int rank() {
        return calls.rank();
    }

    @Override
    protected int size() {
        return calls.size();
    }

    @Override
    public PreparedCall barrier() {
        return new LivePreparedCall(calls, calls.newBarrier(), NOTHING, NOTHING);
    }

    @Override
    protected PreparedCall call(Collective called, MemorySegment source, MemorySegment target, DataType type,
            long count, Reduction reduction, int root, Runnable beforehand, Runnable afterwards) {
        return new LivePreparedCall(calls,
                calls.newCall(called, source, target, type, count, reduction, root), beforehand, afterwards);
    }

    @Override
    protected PreparedCall callWithBlocks(Collective called, MemorySegment source, MemorySegment target, DataType type,
            long count, Blocks sourceBlocks, Blocks targetBlocks, Reduction reduction, int root,
            Runnable beforehand, Runnable afterwards) {
        return new LivePreparedCall(calls, calls.newCallWithBlocks(called, source, target, type, count,
                sourceBlocks, targetBlocks, reduction, root), beforehand, afterwards);
    }

    @Override
    protected PreparedCall sendMessage(MemorySegment source, DataType type, int target, int tag,
            boolean isSynchronous, Runnable beforehand) {
        calls.messages().checkSend(target, tag);
        return new PreparedMessage<Request>(calls.describe() + " called send", () -> {
            beforehand.run();
            return calls.messages().startSend(source, type, target, tag, isSynchronous, calls.deadlineNanos());
        });
    }

    @Override
    protected PreparedReceive receiveMessage(MemorySegment target, DataType type, int source, int tag,
            Runnable beforehand, Runnable afterwards) {
        calls.messages().checkReceive(source, tag);
        return new Receive(calls.describe() + " called receive", () -> {
            beforehand.run();
            return calls.messages().startReceive(target, type, source, tag, calls.deadlineNanos(), afterwards);
        });
    }
}
