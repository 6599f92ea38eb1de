/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * The collectives and messages of a {@link Communicator} as non-blocking calls. The methods have the same names and
 * arguments, but each call returns a {@link Request} immediately. The operation then runs while the rank goes on. Many
 * requests may be in flight on one communicator, and they may end in any order.
 *
 * <p><b>Order.</b> All ranks must call the same collectives in the same order, blocking or not. One rank may make a
 * blocking call where another one makes a non-blocking call.
 *
 * <p><b>Messages.</b> Sends and receives may be called in any order and by several threads. A send or receive takes its
 * place in the order of messages when the method is called. The elements move while the rank waits in any call. While
 * the rank computes, a thread of the process moves them, every half millisecond. A rank may have 16,384 non-blocking
 * messages in flight.
 *
 * <p><b>Arguments.</b> Until its request is done, a program must not change the elements that an operation reads, or
 * access the elements that it writes. The call itself throws the exceptions for invalid arguments;
 * {@link Request#await()} throws all others. Memory must be accessible to other threads; the memory of a confined arena
 * is not.
 *
 * <p><b>Progress.</b> A collective runs on a virtual thread while the caller computes. If the caller awaits it
 * immediately after the call, it runs on the caller's thread. No progress is guaranteed if the ranks are virtual
 * threads that compute without calling Tutti.
 *
 * <p><b>Limits.</b> A rank may have {@value #IN_FLIGHT_MAX} collectives in flight on a communicator, and 16 of them
 * move data at the same time. Closing a job does not wait for requests. Requests that are in flight end with {@link
 * RankFailedException}.
 */
public abstract class NonBlockingCommunicator {
    /** The greatest number of requests that a rank may have in flight on one communicator. */
    public static final int IN_FLIGHT_MAX = 1024;

    private static final Runnable NOTHING = () -> {
    };

    // new ones for every call, because many calls may be in flight
    private final ArrayViews<MemorySegment> segments = ArrayViews.segments(0);
    private final ArrayViews<Span> booleans = ArrayViews.booleans(0);

    /**
     * Constructor for Tutti's own implementation only.
     */
    protected NonBlockingCommunicator() {}

    /**
     * {@return this rank's number in the communicator}
     */
    protected abstract int rank();

    /**
     * {@return the number of ranks of the communicator}
     */
    protected abstract int size();

    /**
     * Starts {@link Communicator#barrier()} without waiting for it.
     *
     * @return the request
     */
    public abstract Request barrier();

    // as in Communicator
    public Request broadcast(Span data, int root) {
        Arguments.checkShareable(data.segment(), "data");
        return callInPlace(Collective.BROADCAST, data.segment(), data.type(), data.count(), null, root,
                Span.staging(data), Span.unstaging(data));
    }

    // as in Communicator
    public Request reduce(Span data, Reduction reduction, int root) {
        Arguments.checkShareable(data.segment(), "data");
        return callInPlace(Collective.REDUCE, data.segment(), data.type(), data.count(), reduction, root,
                Span.staging(data), Span.unstaging(data));
    }

    // as in Communicator
    public Request reduce(Span source, @Nullable Span target, Reduction reduction, int root) {
        Arguments.checkShareable(source.segment(), "source");
        MemorySegment segment = source.segment();
        if (rank() != root) {
            return call(Collective.REDUCE, segment, segment, source.type(), source.count(), reduction, root,
                    Span.staging(source), NOTHING);
        }
        Objects.requireNonNull(target, "target, which the root needs");
        Arguments.checkFits(source, target);
        Arguments.checkShareable(target.segment(), "target");
        return call(Collective.REDUCE, segment, target.segment(), source.type(), source.count(), reduction, root,
                Span.staging(source), Span.unstaging(target));
    }

    // as in Communicator
    public Request allreduce(Span data, Reduction reduction) {
        Arguments.checkShareable(data.segment(), "data");
        return callInPlace(Collective.ALLREDUCE, data.segment(), data.type(), data.count(), reduction, 0,
                Span.staging(data), Span.unstaging(data));
    }

    // as in Communicator
    public Request allreduce(Span source, Span target, Reduction reduction) {
        Arguments.checkShareable(source.segment(), "source");
        Arguments.checkFits(source, target);
        Arguments.checkShareable(target.segment(), "target");
        return call(Collective.ALLREDUCE, source.segment(), target.segment(), source.type(), source.count(), reduction,
                0, Span.staging(source), Span.unstaging(target));
    }

    // as in Communicator
    public Request gather(Span source, @Nullable Span target, int root) {
        Arguments.checkShareable(source.segment(), "source");
        MemorySegment segment = source.segment();
        if (rank() != root) {
            return call(Collective.GATHER, segment, segment, source.type(), source.count(), null, root,
                    Span.staging(source), NOTHING);
        }
        Objects.requireNonNull(target, "target, which the root needs");
        Arguments.checkBlocks(source, target, size(), "target");
        Arguments.checkShareable(target.segment(), "target");
        return call(Collective.GATHER, segment, target.segment(), source.type(), source.count(), null, root,
                Span.staging(source), Span.unstaging(target));
    }

    // as in Communicator
    public Request gather(Span data, int root) {
        Arguments.checkShareable(data.segment(), "data");
        return callInPlace(Collective.GATHER, data.segment(), data.type(), data.count(), null, root, Span.staging(data),
                Span.unstaging(data));
    }

    // as in Communicator
    public Request scatter(@Nullable Span source, Span target, int root) {
        Arguments.checkShareable(target.segment(), "target");
        MemorySegment segment = target.segment();
        if (rank() != root) {
            return call(Collective.SCATTER, segment, segment, target.type(), target.count(), null, root,
                    NOTHING, Span.unstaging(target));
        }
        Objects.requireNonNull(source, "source, which the root needs");
        Arguments.checkShareable(source.segment(), "source");
        Arguments.checkBlocks(target, source, size(), "source");
        return call(Collective.SCATTER, source.segment(), segment, target.type(), target.count(), null, root,
                Span.staging(source), Span.unstaging(target));
    }

    // as in Communicator
    public Request scatter(Span data, int root) {
        Arguments.checkShareable(data.segment(), "data");
        return callInPlace(Collective.SCATTER, data.segment(), data.type(), data.count(), null, root,
                Span.staging(data), Span.unstaging(data));
    }

    // as in Communicator
    public Request allgather(Span source, Span target) {
        Arguments.checkShareable(source.segment(), "source");
        Arguments.checkBlocks(source, target, size(), "target");
        Arguments.checkShareable(target.segment(), "target");
        return call(Collective.ALLGATHER, source.segment(), target.segment(), source.type(), source.count(), null, 0,
                Span.staging(source), Span.unstaging(target));
    }

    // as in Communicator
    public Request allgather(Span data) {
        Arguments.checkShareable(data.segment(), "data");
        return callInPlace(Collective.ALLGATHER, data.segment(), data.type(), data.count(), null, 0, Span.staging(data),
                Span.unstaging(data));
    }

    // as in Communicator
    public Request allToAll(Span source, Span target) {
        Arguments.checkShareable(source.segment(), "source");
        Arguments.checkFits(source, target);
        Arguments.checkShareable(target.segment(), "target");
        return call(Collective.ALL_TO_ALL, source.segment(), target.segment(), source.type(),
                Arguments.blockCount(source.count(), size()), null, 0, Span.staging(source), Span.unstaging(target));
    }

    // as in Communicator
    public Request allToAll(Span data) {
        Arguments.checkShareable(data.segment(), "data");
        return callInPlace(Collective.ALL_TO_ALL, data.segment(), data.type(), data.count(), null, 0,
                Span.staging(data), Span.unstaging(data));
    }

    // as in Communicator
    public Request reduceScatter(Span source, Span target, Reduction reduction) {
        Arguments.checkShareable(target.segment(), "target");
        Arguments.checkShareable(source.segment(), "source");
        Arguments.checkBlocks(target, source, size(), "source");
        return call(Collective.REDUCE_SCATTER, source.segment(), target.segment(), source.type(), target.count(),
                reduction, 0, Span.staging(source), Span.unstaging(target));
    }

    // as in Communicator
    public Request reduceScatter(Span data, Reduction reduction) {
        Arguments.checkShareable(data.segment(), "data");
        return callInPlace(Collective.REDUCE_SCATTER, data.segment(), data.type(), data.count(), reduction, 0,
                Span.staging(data), Span.unstaging(data));
    }

    // as in Communicator
    public Request scan(Span source, Span target, Reduction reduction) {
        Arguments.checkShareable(source.segment(), "source");
        Arguments.checkFits(source, target);
        Arguments.checkShareable(target.segment(), "target");
        return call(Collective.SCAN, source.segment(), target.segment(), source.type(), source.count(), reduction, 0,
                Span.staging(source), Span.unstaging(target));
    }

    // as in Communicator
    public Request scan(Span data, Reduction reduction) {
        Arguments.checkShareable(data.segment(), "data");
        return callInPlace(Collective.SCAN, data.segment(), data.type(), data.count(), reduction, 0, Span.staging(data),
                Span.unstaging(data));
    }

    // as in Communicator
    public Request exclusiveScan(Span source, Span target, Reduction reduction) {
        Arguments.checkShareable(source.segment(), "source");
        Arguments.checkFits(source, target);
        Arguments.checkShareable(target.segment(), "target");
        return call(Collective.EXCLUSIVE_SCAN, source.segment(), target.segment(), source.type(), source.count(),
                reduction, 0, Span.staging(source, target), Span.unstaging(target));
    }

    // as in Communicator
    public Request exclusiveScan(Span data, Reduction reduction) {
        Arguments.checkShareable(data.segment(), "data");
        return callInPlace(Collective.EXCLUSIVE_SCAN, data.segment(), data.type(), data.count(), reduction, 0,
                Span.staging(data), Span.unstaging(data));
    }

    // as in Communicator
    public Request gather(Span source, @Nullable Span target, @Nullable Blocks blocks, int root) {
        Arguments.checkShareable(source.segment(), "source");
        MemorySegment segment = source.segment();
        if (rank() != root) {
            return callWithBlocks(Collective.GATHER, segment, segment, source.type(), source.count(), null, null,
                    null, root, Span.staging(source), NOTHING);
        }
        Objects.requireNonNull(target, "target, which the root needs");
        Arguments.checkTypes(source, target);
        Arguments.checkShareable(target.segment(), "target");
        Objects.requireNonNull(blocks, "the blocks of the target, which this rank needs");
        Arguments.checkReceived(blocks, size(), target.count());
        Arguments.checkOwn(blocks, rank(), source.count());
        Arguments.checkApart(segment, target.segment());
        return callWithBlocks(Collective.GATHER, segment, target.segment(), source.type(), source.count(), null, blocks,
                null, root, Span.staging(source, target), Span.unstaging(target));
    }

    // as in Communicator
    public Request gather(Span data, int root, @Nullable Blocks blocks) {
        Arguments.checkShareable(data.segment(), "data");
        MemorySegment segment = data.segment();
        if (rank() != root) {
            return callWithBlocks(Collective.GATHER, segment, segment, data.type(), data.count(), null, null, null,
                    root, Span.staging(data), NOTHING);
        }
        Objects.requireNonNull(blocks, "the blocks of the target, which this rank needs");
        Arguments.checkReceived(blocks, size(), data.count());
        return callWithBlocks(Collective.GATHER, segment, segment, data.type(), blocks.count(root), null, blocks,
                null, root, Span.staging(data), Span.unstaging(data));
    }

    // as in Communicator
    public Request scatter(@Nullable Span source, @Nullable Blocks blocks, Span target, int root) {
        Arguments.checkShareable(target.segment(), "target");
        MemorySegment segment = target.segment();
        if (rank() != root) {
            return callWithBlocks(Collective.SCATTER, segment, segment, target.type(), target.count(), null, null,
                    null, root, NOTHING, Span.unstaging(target));
        }
        Objects.requireNonNull(source, "source, which the root needs");
        Arguments.checkTypes(source, target);
        Arguments.checkShareable(source.segment(), "source");
        Objects.requireNonNull(blocks, "the blocks of the source, which this rank needs");
        Arguments.checkRoom(blocks, size(), source.count(), "source");
        Arguments.checkOwn(blocks, root, target.count());
        Arguments.checkApart(source.segment(), segment);
        return callWithBlocks(Collective.SCATTER, source.segment(), segment, target.type(), target.count(), blocks,
                null, null, root, Span.staging(source), Span.unstaging(target));
    }

    // as in Communicator
    public Request scatter(Span data, int root, @Nullable Blocks blocks) {
        Arguments.checkShareable(data.segment(), "data");
        MemorySegment segment = data.segment();
        if (rank() != root) {
            return callWithBlocks(Collective.SCATTER, segment, segment, data.type(), data.count(), null, null, null,
                    root, Span.staging(data), Span.unstaging(data));
        }
        Objects.requireNonNull(blocks, "the blocks of the source, which this rank needs");
        Arguments.checkRoom(blocks, size(), data.count(), "source");
        return callWithBlocks(Collective.SCATTER, segment, segment, data.type(), blocks.count(root), blocks, null,
                null, root, Span.staging(data), Span.unstaging(data));
    }

    // as in Communicator
    public Request allgather(Span source, Span target, Blocks blocks) {
        Arguments.checkTypes(source, target);
        Arguments.checkShareable(source.segment(), "source");
        Arguments.checkShareable(target.segment(), "target");
        Arguments.checkReceived(blocks, size(), target.count());
        Arguments.checkOwn(blocks, rank(), source.count());
        Arguments.checkApart(source.segment(), target.segment());
        return callWithBlocks(Collective.ALLGATHER, source.segment(), target.segment(), source.type(), source.count(),
                null, blocks, null, 0, Span.staging(source, target), Span.unstaging(target));
    }

    // as in Communicator
    public Request allgather(Span data, Blocks blocks) {
        Arguments.checkShareable(data.segment(), "data");
        MemorySegment segment = data.segment();
        Arguments.checkReceived(blocks, size(), data.count());
        return callWithBlocks(Collective.ALLGATHER, segment, segment, data.type(), blocks.count(rank()), null, blocks,
                null, 0, Span.staging(data), Span.unstaging(data));
    }

    // as in Communicator
    public Request allToAll(Span source, Blocks sourceBlocks, Span target, Blocks targetBlocks) {
        Arguments.checkTypes(source, target);
        Arguments.checkShareable(source.segment(), "source");
        Arguments.checkShareable(target.segment(), "target");
        Arguments.checkRoom(sourceBlocks, size(), source.count(), "source");
        Arguments.checkReceived(targetBlocks, size(), target.count());
        Arguments.checkOwn(targetBlocks, rank(), sourceBlocks.count(rank()));
        Arguments.checkApart(source.segment(), target.segment());
        return callWithBlocks(Collective.ALL_TO_ALL, source.segment(), target.segment(), source.type(), 0, sourceBlocks,
                targetBlocks, null, 0, Span.staging(source, target), Span.unstaging(target));
    }

    // as in Communicator
    public Request reduceScatter(Span source, Blocks blocks, Span target, Reduction reduction) {
        Arguments.checkTypes(source, target);
        Arguments.checkShareable(source.segment(), "source");
        Arguments.checkShareable(target.segment(), "target");
        Arguments.checkRoom(blocks, size(), source.count(), "source");
        Arguments.checkOwn(blocks, rank(), target.count());
        Arguments.checkApart(source.segment(), target.segment());
        return callWithBlocks(Collective.REDUCE_SCATTER, source.segment(), target.segment(), target.type(),
                target.count(), blocks, null, reduction, 0, Span.staging(source), Span.unstaging(target));
    }

    // as in Communicator
    public Request reduceScatter(Span data, Blocks blocks, Reduction reduction) {
        Arguments.checkShareable(data.segment(), "data");
        MemorySegment segment = data.segment();
        Arguments.checkReceived(blocks, size(), data.count());
        return callWithBlocks(Collective.REDUCE_SCATTER, segment, segment, data.type(), blocks.count(rank()), blocks,
                null, reduction, 0, Span.staging(data), Span.unstaging(data));
    }

    // as in Messenger
    /**
     * The elements may be changed when the request has ended, and not before. The request of an eager message has ended
     * when this method returns, if the target has room for the message. An eager message that waits because the target
     * has not read earlier messages ends its request when it is copied. The request of a longer message ends when a
     * receive has matched the message and the elements have left the source. A request ends in the same way if the
     * target has 128 to 256 KiB of unreceived eager messages of this rank.
     */
    public Request send(Span source, int target, int tag) {
        Arguments.checkShareable(source.segment(), "source");
        return sendMessage(source.segment(), source.type(), target, tag, false, Span.staging(source));
    }

    // as in Messenger
    /**
     * The elements may be changed when the request has ended, and not before. The request ends when a receive has
     * matched the message and the elements have left the source.
     */
    public Request sendSynchronous(Span source, int target, int tag) {
        Arguments.checkShareable(source.segment(), "source");
        return sendMessage(source.segment(), source.type(), target, tag, true, Span.staging(source));
    }

    // as in Messenger
    public ReceiveRequest receive(Span target, int source, int tag) {
        Arguments.checkShareable(target.segment(), "target");
        Arguments.checkWritable(target.segment());
        return receiveMessage(target.segment(), target.type(), source, tag, Span.staging(target),
                Span.unstaging(target));
    }

    /**
     * Starts a send, for Tutti's own implementation only.
     *
     * @param source the elements
     * @param type the type of the elements
     * @param target the rank that receives
     * @param tag the tag
     * @param isSynchronous whether the send ends only when a receive has matched the message
     * @param beforehand an action to run before the elements are read
     * @return the request, which is done when the rank may use its memory again
     */
    protected abstract Request sendMessage(MemorySegment source, DataType type, int target, int tag,
            boolean isSynchronous, Runnable beforehand);

    /**
     * Starts a receive, for Tutti's own implementation only.
     *
     * @param target the memory for the elements
     * @param type the type of the elements
     * @param source the rank that sends, or {@link Messenger#ANY_RANK}
     * @param tag the tag, or {@link Messenger#ANY_TAG}
     * @param beforehand an action to run before the elements are written
     * @param afterwards an action to run when the elements have come
     * @return the request, which is done when the elements have come
     */
    protected abstract ReceiveRequest receiveMessage(MemorySegment target, DataType type, int source, int tag,
            Runnable beforehand, Runnable afterwards);

    /** Starts a call in place. If source or target has a block for each rank, all these blocks lie in the data. */
    private Request callInPlace(Collective collective, MemorySegment data, DataType type, long length,
            @Nullable Reduction reduction, int root, Runnable beforehand, Runnable afterwards) {
        long count = Arguments.countInPlace(collective, length, rank(), root, size());
        return call(collective, data, data, type, count, reduction, root, beforehand, afterwards);
    }

    /**
     * Starts a collective on elements in memory without waiting for it. All public calls with arrays or spans, except
     * those with {@link Blocks}, end here.
     *
     * @param collective the collective
     * @param source this rank's elements; the target if the call is in place, or if this rank sends none
     * @param target the memory that receives the result; the source if the call is in place, or if this rank receives
     *            none
     * @param type the type of the elements
     * @param count the number of elements, or those of one block if source or target has a block for each rank
     * @param reduction the operator, null if nothing is combined
     * @param root the root, 0 if the operation has none
     * @param beforehand an action to run before the data are read
     * @param afterwards an action to run when the data have arrived, before the request is done
     * @return the request, which is done when the operation has ended
     */
    protected abstract Request call(Collective collective, MemorySegment source, MemorySegment target, DataType type,
            long count, @Nullable Reduction reduction, int root, Runnable beforehand, Runnable afterwards);

    /**
     * Starts a collective with blocks that may differ in length, without waiting for it. All public calls with
     * {@link Blocks} end here.
     *
     * @param collective the collective
     * @param source this rank's elements; the target if the call is in place, or if this rank sends none
     * @param target the memory that receives the result; the source if the call is in place, or if this rank receives
     *            none
     * @param type the type of the elements
     * @param count the number of elements of source or target if it is a single block
     * @param sourceBlocks the blocks of the source, null if it has none
     * @param targetBlocks the blocks of the target, null if it has none
     * @param reduction the operator, null if nothing is combined
     * @param root the root, 0 if the operation has none
     * @param beforehand an action to run before the data are read
     * @param afterwards an action to run when the data have arrived, before the request is done
     * @return the request, which is done when the operation has ended
     */
    protected abstract Request callWithBlocks(Collective collective, MemorySegment source, MemorySegment target,
            DataType type, long count, @Nullable Blocks sourceBlocks, @Nullable Blocks targetBlocks,
            @Nullable Reduction reduction, int root, Runnable beforehand, Runnable afterwards);
}
