/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.lang.foreign.MemorySegment;

import org.tutti.Collective;
import org.tutti.DataType;
import org.tutti.NonBlockingCommunicator;
import org.tutti.Reduction;
import org.tutti.Request;
import org.tutti.collective.Call;
import org.tutti.collective.kernel.Kernel;

/**
 * The communicator's second face: prepares on the caller's thread the same calls as the first one, each with a kernel
 * of its own, as one thread at a time uses it, and starts them instead of running them.
 */
final class LiveNonBlocking extends NonBlockingCommunicator {
    private static final Runnable NOTHING = () -> {
    };

    private final LiveCommunicator communicator;
    private final Background background;

    LiveNonBlocking(LiveCommunicator communicator, Background background) {
        this.communicator = communicator;
        this.background = background;
    }

    @Override
    protected int rank() {
        return communicator.rank();
    }

    @Override
    protected int size() {
        return communicator.size();
    }

    @Override
    public Request barrier() {
        return background.start(
                communicator.prepare(new Call(), Collective.BARRIER, 0, null, 0, communicator.deadlineNanos()),
                NOTHING);
    }

    @Override
    protected Request broadcast(MemorySegment data, DataType type, long count, int root, Runnable afterwards) {
        return start(Collective.BROADCAST, data, data, type, count, null, root, afterwards);
    }

    @Override
    protected Request reduce(MemorySegment source, MemorySegment target, DataType type, long count,
            Reduction reduction, int root, Runnable afterwards) {
        return start(Collective.REDUCE, source, target, type, count, Kernel.of(reduction, type), root, afterwards);
    }

    @Override
    protected Request allreduce(MemorySegment source, MemorySegment target, DataType type, long count,
            Reduction reduction, Runnable afterwards) {
        return start(Collective.ALLREDUCE, source, target, type, count, Kernel.of(reduction, type), 0, afterwards);
    }

    @Override
    protected Request gather(MemorySegment source, MemorySegment target, DataType type, long count, int root,
            Runnable afterwards) {
        return start(Collective.GATHER, source, target, type, count, null, root, afterwards);
    }

    @Override
    protected Request scatter(MemorySegment source, MemorySegment target, DataType type, long count, int root,
            Runnable afterwards) {
        return start(Collective.SCATTER, source, target, type, count, null, root, afterwards);
    }

    @Override
    protected Request allgather(MemorySegment source, MemorySegment target, DataType type, long count,
            Runnable afterwards) {
        return start(Collective.ALLGATHER, source, target, type, count, null, 0, afterwards);
    }

    @Override
    protected Request allToAll(MemorySegment source, MemorySegment target, DataType type, long count,
            Runnable afterwards) {
        return start(Collective.ALL_TO_ALL, source, target, type, count, null, 0, afterwards);
    }

    @Override
    protected Request reduceScatter(MemorySegment source, MemorySegment target, DataType type, long count,
            Reduction reduction,
            Runnable afterwards) {
        return start(Collective.REDUCE_SCATTER, source, target, type, count, Kernel.of(reduction, type), 0, afterwards);
    }

    @Override
    protected Request scan(MemorySegment source, MemorySegment target, DataType type, long count, Reduction reduction,
            Runnable afterwards) {
        return start(Collective.SCAN, source, target, type, count, Kernel.of(reduction, type), 0, afterwards);
    }

    @Override
    protected Request exclusiveScan(MemorySegment source, MemorySegment target, DataType type, long count,
            Reduction reduction,
            Runnable afterwards) {
        return start(Collective.EXCLUSIVE_SCAN, source, target, type, count, Kernel.of(reduction, type), 0, afterwards);
    }

    private Request start(Collective called, MemorySegment source, MemorySegment target, DataType type, long count,
            Kernel kernel, int root, Runnable afterwards) {
        return background.start(communicator.prepare(new Call(), called, source, target, type, count, kernel, root),
                afterwards);
    }
}
