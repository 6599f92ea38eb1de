/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.communicators;

import java.lang.foreign.MemorySegment;

import org.tutti.Blocks;
import org.tutti.Collective;
import org.tutti.DataType;
import org.tutti.NonBlockingCommunicator;
import org.tutti.ReceiveRequest;
import org.tutti.Reduction;
import org.tutti.Request;
import org.tutti.collective.Call;

/**
 * Implements {@link NonBlockingCommunicator}. It fills the same calls as {@link LiveCommunicator}, and starts them
 * instead of running them on the caller's thread.
 */
final class LiveNonBlocking extends NonBlockingCommunicator {
    private final CommunicatorCalls calls;

    LiveNonBlocking(CommunicatorCalls calls) {
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
    public Request barrier() {
        return calls.start(calls.newBarrier(), () -> {
        });
    }

    @Override
    protected Request call(Collective called, MemorySegment source, MemorySegment target, DataType type, long count,
            Reduction reduction, int root, Runnable beforehand, Runnable afterwards) {
        Call call = calls.newCall(called, source, target, type, count, reduction, root);
        beforehand.run();
        return calls.start(call, afterwards);
    }

    @Override
    protected Request callWithBlocks(Collective called, MemorySegment source, MemorySegment target, DataType type,
            long count, Blocks sourceBlocks, Blocks targetBlocks, Reduction reduction, int root,
            Runnable beforehand, Runnable afterwards) {
        Call call = calls.newCallWithBlocks(called, source, target, type, count, sourceBlocks, targetBlocks,
                reduction, root);
        beforehand.run();
        return calls.start(call, afterwards);
    }

    @Override
    protected Request sendMessage(MemorySegment source, DataType type, int target, int tag, boolean isSynchronous,
            Runnable beforehand) {
        beforehand.run();
        return calls.messages().startSend(source, type, target, tag, isSynchronous, calls.deadlineNanos());
    }

    @Override
    protected ReceiveRequest receiveMessage(MemorySegment target, DataType type, int source, int tag,
            Runnable beforehand, Runnable afterwards) {
        beforehand.run();
        return calls.messages().startReceive(target, type, source, tag, calls.deadlineNanos(), afterwards);
    }
}
