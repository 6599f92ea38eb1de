/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * The collectives of a {@link Communicator}, not waiting: the same names and arguments, but each call returns at once
 * with a {@link Request}. Many may be in flight on one communicator, and they may end in any order.
 *
 * <p><b>Order.</b> All ranks must call the same operations in the same order, whether blocking or not; at one rank a
 * call may be blocking and at another one not.
 *
 * <p><b>Arguments.</b> Arrays and memory belong to the request until it is done. Mistakes in them are thrown by the
 * call itself; whatever else goes wrong, by {@link Request#await()}. Memory must be accessible to other threads, as
 * that of a confined arena is not.
 *
 * <p><b>Progress.</b> Each request runs on a virtual thread of its own, while the caller computes. With ranks that are
 * virtual threads and compute without calling Tutti, no progress is promised.
 *
 * <p><b>Limits.</b> A rank may have {@value #IN_FLIGHT_MAX} requests in flight on a communicator, of which 16 at a time
 * move data. Closing a job waits for none: those in flight end with {@link RankFailedException}.
 */
public abstract class NonBlockingCommunicator {
    /** How many requests a rank may have in flight on one communicator. */
    public static final int IN_FLIGHT_MAX = 1024;

    private static final Runnable NOTHING = () -> {
    };

    // new ones for every call, as many calls may be in flight
    private final ArrayViews<MemorySegment> segments = ArrayViews.segments(0);
    private final ArrayViews<Span> booleans = ArrayViews.booleans(0);

    /**
     * For Tutti's own implementation only.
     */
    protected NonBlockingCommunicator() {}

    /**
     * {@return this rank's number in the communicator}
     */
    protected abstract int rank();

    /**
     * {@return how many ranks the communicator has}
     */
    protected abstract int size();

    /**
     * As {@link Communicator#barrier()}.
     *
     * @return the request
     */
    public abstract Request barrier();

    // as in Communicator
    public Request broadcast(Span data, int root) {
        Arguments.checkShareable(data.segment(), "data");
        return broadcast(data.segment(), data.type(), data.count(), root, data::unstage);
    }

    // as in Communicator
    public Request reduce(Span data, Reduction reduction, int root) {
        Arguments.checkShareable(data.segment(), "data");
        MemorySegment segment = data.segment();
        return reduce(segment, segment, data.type(), data.count(), reduction, root, data::unstage);
    }

    // as in Communicator
    public Request reduce(Span source, Span target, Reduction reduction, int root) {
        Arguments.checkShareable(source.segment(), "source");
        MemorySegment segment = source.segment();
        if (rank() != root) {
            return reduce(segment, segment, source.type(), source.count(), reduction, root, NOTHING);
        }
        Objects.requireNonNull(target, "target, which the root needs");
        Arguments.checkFits(source, target);
        Arguments.checkShareable(target.segment(), "target");
        return reduce(segment, target.segment(), source.type(), source.count(), reduction, root, target::unstage);
    }

    // as in Communicator
    public Request allreduce(Span data, Reduction reduction) {
        Arguments.checkShareable(data.segment(), "data");
        MemorySegment segment = data.segment();
        return allreduce(segment, segment, data.type(), data.count(), reduction, data::unstage);
    }

    // as in Communicator
    public Request allreduce(Span source, Span target, Reduction reduction) {
        Arguments.checkShareable(source.segment(), "source");
        Arguments.checkFits(source, target);
        Arguments.checkShareable(target.segment(), "target");
        return allreduce(source.segment(), target.segment(), source.type(), source.count(), reduction,
                target::unstage);
    }

    // as in Communicator
    public Request gather(Span source, Span target, int root) {
        Arguments.checkShareable(source.segment(), "source");
        MemorySegment segment = source.segment();
        if (rank() != root) {
            return gather(segment, segment, source.type(), source.count(), root, NOTHING);
        }
        Objects.requireNonNull(target, "target, which the root needs");
        Arguments.checkBlocks(source, target, size(), "target");
        Arguments.checkShareable(target.segment(), "target");
        return gather(segment, target.segment(), source.type(), source.count(), root, target::unstage);
    }

    // as in Communicator
    public Request gather(Span data, int root) {
        Arguments.checkShareable(data.segment(), "data");
        MemorySegment segment = data.segment();
        long count = rank() == root ? Arguments.blockCount(data.count(), size()) : data.count();
        return gather(segment, segment, data.type(), count, root, data::unstage);
    }

    // as in Communicator
    public Request scatter(Span source, Span target, int root) {
        Arguments.checkShareable(target.segment(), "target");
        MemorySegment segment = target.segment();
        if (rank() != root) {
            return scatter(segment, segment, target.type(), target.count(), root, target::unstage);
        }
        Objects.requireNonNull(source, "source, which the root needs");
        Arguments.checkShareable(source.segment(), "source");
        Arguments.checkBlocks(target, source, size(), "source");
        return scatter(source.segment(), segment, target.type(), target.count(), root, target::unstage);
    }

    // as in Communicator
    public Request scatter(Span data, int root) {
        Arguments.checkShareable(data.segment(), "data");
        MemorySegment segment = data.segment();
        long count = rank() == root ? Arguments.blockCount(data.count(), size()) : data.count();
        return scatter(segment, segment, data.type(), count, root, data::unstage);
    }

    // as in Communicator
    public Request allgather(Span source, Span target) {
        Arguments.checkShareable(source.segment(), "source");
        Arguments.checkBlocks(source, target, size(), "target");
        Arguments.checkShareable(target.segment(), "target");
        return allgather(source.segment(), target.segment(), source.type(), source.count(), target::unstage);
    }

    // as in Communicator
    public Request allgather(Span data) {
        Arguments.checkShareable(data.segment(), "data");
        MemorySegment segment = data.segment();
        return allgather(segment, segment, data.type(), Arguments.blockCount(data.count(), size()), data::unstage);
    }

    // as in Communicator
    public Request allToAll(Span source, Span target) {
        Arguments.checkShareable(source.segment(), "source");
        Arguments.checkFits(source, target);
        Arguments.checkShareable(target.segment(), "target");
        return allToAll(source.segment(), target.segment(), source.type(),
                Arguments.blockCount(source.count(), size()), target::unstage);
    }

    // as in Communicator
    public Request allToAll(Span data) {
        Arguments.checkShareable(data.segment(), "data");
        MemorySegment segment = data.segment();
        return allToAll(segment, segment, data.type(), Arguments.blockCount(data.count(), size()), data::unstage);
    }

    // as in Communicator
    public Request reduceScatter(Span source, Span target, Reduction reduction) {
        Arguments.checkShareable(target.segment(), "target");
        Arguments.checkShareable(source.segment(), "source");
        Arguments.checkBlocks(target, source, size(), "source");
        return reduceScatter(source.segment(), target.segment(), source.type(), target.count(), reduction,
                target::unstage);
    }

    // as in Communicator
    public Request reduceScatter(Span data, Reduction reduction) {
        Arguments.checkShareable(data.segment(), "data");
        MemorySegment segment = data.segment();
        return reduceScatter(segment, segment, data.type(), Arguments.blockCount(data.count(), size()), reduction,
                data::unstage);
    }

    // as in Communicator
    public Request scan(Span source, Span target, Reduction reduction) {
        Arguments.checkShareable(source.segment(), "source");
        Arguments.checkFits(source, target);
        Arguments.checkShareable(target.segment(), "target");
        return scan(source.segment(), target.segment(), source.type(), source.count(), reduction, target::unstage);
    }

    // as in Communicator
    public Request scan(Span data, Reduction reduction) {
        Arguments.checkShareable(data.segment(), "data");
        MemorySegment segment = data.segment();
        return scan(segment, segment, data.type(), data.count(), reduction, data::unstage);
    }

    // as in Communicator
    public Request exclusiveScan(Span source, Span kept, Reduction reduction) {
        Arguments.checkShareable(source.segment(), "source");
        Arguments.checkFits(source, kept);
        Arguments.checkShareable(kept.segment(), "target");
        return exclusiveScan(source.segment(), kept.segment(), source.type(), source.count(), reduction, kept::unstage);
    }

    // as in Communicator
    public Request exclusiveScan(Span data, Reduction reduction) {
        Arguments.checkShareable(data.segment(), "data");
        MemorySegment segment = data.segment();
        return exclusiveScan(segment, segment, data.type(), data.count(), reduction, data::unstage);
    }

    /**
     * What all forms of broadcast end in.
     *
     * @param data the root's elements, overwritten elsewhere
     * @param type the type of the elements
     * @param count how many elements
     * @param root the sending rank
     * @param afterwards is run when the data are there, before the request is done
     * @return the request
     */
    protected abstract Request broadcast(MemorySegment data, DataType type, long count, int root, Runnable afterwards);

    /**
     * What all forms of reduce end in.
     *
     * @param source this rank's elements
     * @param target at the root where the combination goes; elsewhere not used
     * @param type the type of the elements
     * @param count how many elements
     * @param reduction the operator
     * @param root the receiving rank
     * @param afterwards is run when the data are there, before the request is done
     * @return the request
     */
    protected abstract Request reduce(MemorySegment source, MemorySegment target, DataType type, long count,
            Reduction reduction, int root, Runnable afterwards);

    /**
     * What all forms of allreduce end in.
     *
     * @param source this rank's elements
     * @param target where the combination goes
     * @param type the type of the elements
     * @param count how many elements
     * @param reduction the operator
     * @param afterwards is run when the data are there, before the request is done
     * @return the request
     */
    protected abstract Request allreduce(MemorySegment source, MemorySegment target, DataType type, long count,
            Reduction reduction, Runnable afterwards);

    /**
     * What all forms of gather end in.
     *
     * @param source this rank's block; in place at the root, the target
     * @param target at the root all blocks; elsewhere not used
     * @param type the type of the elements
     * @param count how many elements a block has
     * @param root the receiving rank
     * @param afterwards is run when the data are there, before the request is done
     * @return the request
     */
    protected abstract Request gather(MemorySegment source, MemorySegment target, DataType type, long count, int root,
            Runnable afterwards);

    /**
     * What all forms of scatter end in.
     *
     * @param source at the root all blocks; elsewhere not used
     * @param target where this rank's block goes; in place at the root, the source
     * @param type the type of the elements
     * @param count how many elements a block has
     * @param root the sending rank
     * @param afterwards is run when the data are there, before the request is done
     * @return the request
     */
    protected abstract Request scatter(MemorySegment source, MemorySegment target, DataType type, long count, int root,
            Runnable afterwards);

    /**
     * What all forms of allgather end in.
     *
     * @param source this rank's block; in place, the target
     * @param target where all blocks go
     * @param type the type of the elements
     * @param count how many elements a block has
     * @param afterwards is run when the data are there, before the request is done
     * @return the request
     */
    protected abstract Request allgather(MemorySegment source, MemorySegment target, DataType type, long count,
            Runnable afterwards);

    /**
     * What all forms of allToAll end in.
     *
     * @param source a block for each rank
     * @param target where a block of each rank goes
     * @param type the type of the elements
     * @param count how many elements a block has
     * @param afterwards is run when the data are there, before the request is done
     * @return the request
     */
    protected abstract Request allToAll(MemorySegment source, MemorySegment target, DataType type, long count,
            Runnable afterwards);

    /**
     * What all forms of reduceScatter end in.
     *
     * @param source a block for each rank
     * @param target where this rank's block goes; in place, the source
     * @param type the type of the elements
     * @param count how many elements a block has
     * @param reduction the operator
     * @param afterwards is run when the data are there, before the request is done
     * @return the request
     */
    protected abstract Request reduceScatter(MemorySegment source, MemorySegment target, DataType type, long count,
            Reduction reduction,
            Runnable afterwards);

    /**
     * What all forms of scan end in.
     *
     * @param source this rank's elements
     * @param target where the combination goes
     * @param type the type of the elements
     * @param count how many elements
     * @param reduction the operator
     * @param afterwards is run when the data are there, before the request is done
     * @return the request
     */
    protected abstract Request scan(MemorySegment source, MemorySegment target, DataType type, long count,
            Reduction reduction,
            Runnable afterwards);

    /**
     * What all forms of exclusiveScan end in.
     *
     * @param source this rank's elements
     * @param target where the combination goes
     * @param type the type of the elements
     * @param count how many elements
     * @param reduction the operator
     * @param afterwards is run when the data are there, before the request is done
     * @return the request
     */
    protected abstract Request exclusiveScan(MemorySegment source, MemorySegment target, DataType type, long count,
            Reduction reduction,
            Runnable afterwards);
}
