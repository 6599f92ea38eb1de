/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * An ordered group of ranks that performs collective operations. Every rank of the group has its own object, and all
 * must call the same operations in the same order, with the same root, count, type and operator; a difference is
 * reported as {@link CollectiveMismatchException}, in that call or in the next one in which ranks wait for each other;
 * at the latest, between ranks of a node, when they close the communicator or the job.
 *
 * <p><b>Threads.</b> A communicator is used by one thread at a time. Two at once are noticed at best effort: the second
 * one gets an {@link IllegalStateException} that names both.
 *
 * <p><b>Memory ordering.</b> What a rank did before it entered an operation is visible to every rank that received its
 * contribution (after a barrier: to all), once the operation has returned there.
 *
 * <p><b>Completion.</b> When a call returns, its arrays may be used again on this rank. A rank that has a result knows
 * that those have entered whose elements are in it, so after {@link #barrier()}, {@code allreduce}, {@code allgather},
 * {@code allToAll} and {@code reduceScatter} that all have; a root may return from {@code broadcast} or {@code
 * scatter}, and a rank that is not root from {@code reduce} or {@code gather}, before others have even entered.
 *
 * <p><b>Blocks.</b> Where a rank has or receives something for or from each rank, its array is a block for each rank
 * one after the other, in the order of the ranks, all equally long; or they lie as its {@link Blocks} say. Then only
 * the two ranks need to know how long a block is that send and receive it; if they disagree, the call ends with a
 * {@link CollectiveMismatchException} that names both.
 *
 * <p><b>Roots.</b> Only a root needs the target of {@code reduce} and {@code gather}, and the source of {@code
 * scatter}. Another rank passes null for it and its {@link Blocks}, or leaves it out: {@code gather(source, root)} is
 * part of a {@code gather(source, target, root)} of the root, {@code gather(source, root, null)} of one with blocks.
 *
 * <p><b>Failure.</b> Calls end with {@link RankFailedException}, {@link DeadlineExceededException},
 * {@link CallInterruptedException}, {@link JobAbortedException}, {@link NodeMemoryException} or
 * {@link CommunicatorBrokenException}; after any of these the communicator stays broken, and the arrays that the call
 * was to write hold unspecified values. Mistakes in arguments are found before anything is communicated and break
 * nothing at this rank, and a {@link NodeMemoryException} of {@link #allocate} breaks nothing at any.
 *
 * <p><b>Groups.</b> {@link #split}, {@link #create}, {@link #duplicate} and the like make communicators of some ranks,
 * in any order. Each has ranks, calls and failures of its own: a rank that fails ends those that it is in, no others.
 * Exceptions name ranks by both numbers, that in the communicator and that in the job. A group is {@linkplain #close
 * closed} when it is not needed any more; the world is closed with its job.
 *
 * <p><b>Views.</b> {@link #withAlgorithm} and {@link #withDeadline} return views: the same communicator, with another
 * default for calls made through the view.
 *
 * <p>A communicator remembers weakly the arrays of its latest calls, so that calls with the same arrays allocate
 * nothing.
 */
public abstract class Communicator implements AutoCloseable {
    private final ArrayViews<MemorySegment> segments;
    private final ArrayViews<Span> booleans;
    private final Scalars scalars;

    /**
     * For Tutti's own implementation only.
     */
    protected Communicator() {
        segments = ArrayViews.segments(ArrayViews.REMEMBERED);
        booleans = ArrayViews.booleans(ArrayViews.REMEMBERED);
        scalars = new Scalars();
    }

    /**
     * For a view, by Tutti's own implementation only.
     *
     * @param viewed the communicator that this is a view of
     */
    protected Communicator(Communicator viewed) {
        segments = viewed.segments;
        booleans = viewed.booleans;
        scalars = viewed.scalars;
    }

    /**
     * {@return this rank's number in the communicator, 0 to {@link #size()} − 1}
     */
    public abstract int rank();

    /**
     * {@return how many ranks the communicator has, 1 or more}
     */
    public abstract int size();

    /**
     * {@return where the ranks are: which share memory}
     */
    public abstract Topology topology();

    /**
     * Finds a rank of this communicator in another one of the same job.
     *
     * @param other the other one, of which this rank is a part, too; either may be closed
     * @param rank a rank here
     * @return the number that this rank has there, empty when it is not in it
     * @throws IllegalArgumentException when there is no such rank here, or the other communicator is not one of this
     *             rank of the job
     */
    public abstract OptionalInt rankIn(Communicator other, int rank);

    /**
     * A view whose calls of one collective use the named algorithm. All ranks must choose alike.
     *
     * @param collective the operation
     * @param name an algorithm of that operation, as {@code tutti info --algorithms} lists them
     * @return the view
     * @throws IllegalArgumentException when there is no such algorithm; the message lists those that there are
     */
    public abstract Communicator withAlgorithm(Collective collective, String name);

    /**
     * A view whose calls end with {@link DeadlineExceededException} when they have waited for other ranks that long.
     *
     * @param deadline the limit of one call, more than zero
     * @return the view
     * @throws IllegalArgumentException when the deadline is zero or negative
     */
    public abstract Communicator withDeadline(Duration deadline);

    /**
     * Names the communicator in messages at this rank: {@code rank 2 of "rows" (rank 9 of the job)}.
     *
     * @param name the name
     * @return this communicator
     */
    public abstract Communicator withName(String name);

    /**
     * {@return the same collectives, not waiting: each call returns at once with a {@link Request}. What this view has
     * of algorithms and deadlines holds there, too; calls of both faces follow one order}
     */
    public abstract NonBlockingCommunicator nonBlocking();

    /**
     * Prepares calls that are done many times with the same arguments: persistent calls.
     *
     * @return the same collectives, each call of which returns a {@link PreparedCall}
     */
    public abstract PreparedCommunicator prepare();

    /**
     * Waits until every rank of the communicator has entered the barrier.
     */
    public abstract void barrier();

    /**
     * Gets memory at every rank that all ranks may reach ({@link RemoteMemory}): a collective call. What this view has
     * of deadlines holds for the memory's calls, too.
     *
     * @param bytes how many bytes this rank gives, 0 to {@link RemoteMemory#BYTES_MAX}; others may give more or fewer
     * @return the memory; all of it holds zeros
     * @throws IllegalArgumentException when bytes is out of range
     * @throws NodeMemoryException when a node has too little memory; at every rank, and everything can still be used
     */
    public RemoteMemory allocate(long bytes) {
        return allocate(DataType.BYTE, bytes);
    }

    /**
     * As {@link #allocate(long)}, for so many elements.
     *
     * @param type the type of the elements
     * @param count how many elements this rank gives, 0 or more
     * @return the memory; its offsets are in bytes, in the view {@link RemotePart#elements} in elements
     * @throws IllegalArgumentException when they are more than {@link RemoteMemory#BYTES_MAX} bytes
     */
    public RemoteMemory allocate(DataType type, long count) {
        return allocate(type, count, RemoteMemory.NOTIFICATIONS);
    }

    /**
     * As {@link #allocate(DataType, long)}, with a choice of the number of words that count notifications.
     *
     * @param type the type of the elements
     * @param count how many elements this rank gives, 0 or more
     * @param notifications how many words this rank's part has, 0 to {@link RemoteMemory#NOTIFICATIONS_MAX}
     * @return the memory; its offsets are in bytes, in the view {@link RemotePart#elements} in elements
     * @throws IllegalArgumentException when there are more bytes or words than that
     */
    public abstract RemoteMemory allocate(DataType type, long count, int notifications);

    /**
     * Makes a communicator of the ranks that give the same color: a collective call, which ends when all of these have
     * made it. Steps: an allgather of 8 bytes a rank and a barrier, both here.
     *
     * @param color 0 or more
     * @param key orders the ranks of the new communicator; those with the same key are in their order here
     * @return the communicator of this rank's color, to be {@linkplain #close closed}. It has the job's algorithms and
     *         no deadline, whatever this view has; a deadline of this view is that of the call
     * @throws IllegalArgumentException when the color is negative
     */
    public abstract Communicator split(int color, int key);

    /**
     * As {@link #split(int, int)}, for ranks of which some may sit out: these call it without a color. Ranks with a
     * color may call either.
     *
     * @param color 0 or more, or empty
     * @param key orders the ranks of the new communicator; those with the same key are in their order here
     * @return the communicator of this rank's color, to be {@linkplain #close closed}; empty without one
     * @throws IllegalArgumentException when the color is negative
     */
    public abstract Optional<Communicator> split(OptionalInt color, int key);

    /**
     * Makes a communicator of some ranks of this one. Only they call this, all with the same list; the others go on.
     * The call ends when all of them have made it. Steps: a barrier of the new communicator.
     *
     * @param ranks the ranks here of ranks 0, 1, … of the new communicator, in any order; this one is among them
     * @return the communicator, to be {@linkplain #close closed}; as {@link #split} has it
     * @throws IllegalArgumentException when a rank is none of this communicator, or there twice, or this one is missing
     * @throws IllegalStateException when this rank has made groups of 65,536 different lists of this communicator
     */
    public abstract Communicator create(int... ranks);

    /**
     * Makes a communicator of the same ranks in the same order, whose calls have nothing to do with those of this one:
     * so that a library, or another thread, may have one of its own. A collective call. Steps: a barrier here.
     *
     * @return the communicator, to be {@linkplain #close closed}; as {@link #split} has it
     */
    public abstract Communicator duplicate();

    /**
     * Makes a communicator of the ranks of each node, in their order here: a collective call, as {@link #duplicate}.
     *
     * @return the communicator of this rank's node, to be {@linkplain #close closed}
     */
    public abstract Communicator splitByNode();

    /**
     * Makes a communicator of the ranks of each group of a level, such as those that share a cache: a collective call,
     * as {@link #duplicate}.
     *
     * @param level 0 for the smallest groups, to the number of {@linkplain Topology#levels levels} − 1
     * @return the communicator of this rank's group, to be {@linkplain #close closed}
     * @throws IllegalArgumentException when there is no such level
     */
    public abstract Communicator splitBy(int level);

    /**
     * Closes the communicator at this rank, and all its views: later calls throw {@link IllegalStateException}, those
     * of other ranks that need this one {@link CommunicatorBrokenException}. It waits for nobody; what the communicator
     * has of the node's memory is given back when all ranks of the node have closed it, or ended, the next time that
     * its first rank there makes or closes a group. Without effect when it is closed.
     *
     * @throws CollectiveMismatchException when this rank and one of its node that has closed the communicator, or left
     *             the job, have made different calls on it; the communicator is closed nevertheless
     * @throws IllegalStateException when it is the world, which its {@link Job} closes, a call of it is in flight, or
     *             remote memory or mutexes that were allocated by it are open
     */
    @Override
    public abstract void close();

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Copies the root's elements to every rank.
     *
     * @param data at the root what is sent, elsewhere what is overwritten; [the same type and count|of the same length]
     *            at every rank
     * @param root the rank whose elements are copied
     * @throws IllegalArgumentException when root is no rank of the communicator[, or the memory cannot be written|]
     */
    public void broadcast(Span data, int root) {
        Arguments.checkUsable(data.segment(), "data");
        data.stage();
        callInPlace(Collective.BROADCAST, data.segment(), data.type(), data.count(), null, root);
        data.unstage();
    }

    // also with boolean, int, double
    /**
     * Tells every rank the root's value.
     *
     * @param value at the root what is told, elsewhere anything; of the same type at every rank
     * @param root the rank whose value it is
     * @return the root's value
     * @throws IllegalArgumentException when root is no rank of the communicator
     */
    public long broadcast(long value, int root) {
        broadcast(scalars.of(value), root);
        return scalars.longs[0];
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Combines every rank's elements at the root, in place: the root's elements are replaced by the combination, those
     * of other ranks stay as they are.
     *
     * @param data the elements; [the same type and count|of the same length] at every rank
     * @param reduction the operator
     * @param root the rank that receives the combination
     * @throws IllegalArgumentException when root is no rank of the communicator, the operator does not work on the
     *             type, or [count|the length] is no multiple of its unit
     */
    public void reduce(Span data, Reduction reduction, int root) {
        Arguments.checkUsable(data.segment(), "data");
        data.stage();
        callInPlace(Collective.REDUCE, data.segment(), data.type(), data.count(), reduction, root);
        data.unstage();
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Combines every rank's elements at the root.
     *
     * @param source the elements; [the same type and count|of the same length] at every rank
     * @param target where the root receives the combination[: of the source's type and count, and either the same
     *            memory or apart from it|, as long as source, or source itself]; other ranks may pass null
     * @param reduction the operator
     * @param root the rank that receives the combination
     * @throws IllegalArgumentException when the arguments do not fit each other
     */
    public void reduce(Span source, @Nullable Span target, Reduction reduction, int root) {
        Arguments.checkUsable(source.segment(), "source");
        MemorySegment segment = source.segment();
        source.stage();
        if (rank() == root) {
            Objects.requireNonNull(target, "target, which the root needs");
            Arguments.checkFits(source, target);
            call(Collective.REDUCE, segment, target.segment(), source.type(), source.count(), reduction, root);
            target.unstage();
        } else {
            call(Collective.REDUCE, segment, segment, source.type(), source.count(), reduction, root);
        }
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Combines every rank's elements at every rank, in place.
     *
     * @param data the elements, replaced by the combination; [the same type and count|of the same length] at every rank
     * @param reduction the operator
     * @throws IllegalArgumentException when the operator does not work on the type, or [count|the length] is no
     *             multiple of its unit
     */
    public void allreduce(Span data, Reduction reduction) {
        Arguments.checkUsable(data.segment(), "data");
        data.stage();
        callInPlace(Collective.ALLREDUCE, data.segment(), data.type(), data.count(), reduction, 0);
        data.unstage();
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Combines every rank's elements at every rank.
     *
     * @param source the elements; [the same type and count|of the same length] at every rank
     * @param target where the combination goes[: of the source's type and count, and either the same memory or apart
     *            from it|, as long as source, or source itself]
     * @param reduction the operator
     * @throws IllegalArgumentException when the arguments do not fit each other
     */
    public void allreduce(Span source, Span target, Reduction reduction) {
        Arguments.checkUsable(source.segment(), "source");
        Arguments.checkFits(source, target);
        source.stage();
        call(Collective.ALLREDUCE, source.segment(), target.segment(), source.type(), source.count(), reduction, 0);
        target.unstage();
    }

    // also with boolean, int, double
    /**
     * Combines a value of every rank at every rank.
     *
     * @param value this rank's; of the same type at every rank
     * @param reduction the operator
     * @return the combination of all values
     * @throws IllegalArgumentException when the operator does not work on the type, or on single elements
     */
    public long allreduce(long value, Reduction reduction) {
        allreduce(scalars.of(value), reduction);
        return scalars.longs[0];
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Gathers every rank's elements at the root: those of rank r become the r-th block of the target.
     *
     * @param source this rank's elements; [the same type and count|of the same length] at every rank
     * @param target where the root receives a block of each rank[: of the source's type, apart from it|]; other ranks
     *            may pass null
     * @param root the rank that receives the blocks
     * @throws IllegalArgumentException when root is no rank of the communicator, or the arguments do not fit each other
     */
    public void gather(Span source, @Nullable Span target, int root) {
        Arguments.checkUsable(source.segment(), "source");
        MemorySegment segment = source.segment();
        source.stage();
        if (rank() == root) {
            Objects.requireNonNull(target, "target, which the root needs");
            Arguments.checkBlocks(source, target, size(), "target");
            call(Collective.GATHER, segment, target.segment(), source.type(), source.count(), null, root);
            target.unstage();
        } else {
            call(Collective.GATHER, segment, segment, source.type(), source.count(), null, root);
        }
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Gathers every rank's elements at the root, in place: the root has its own block where it belongs.
     *
     * @param data at the root a block of each rank, its own in its place; elsewhere this rank's block
     * @param root the rank that receives the blocks
     * @throws IllegalArgumentException when root is no rank of the communicator, or its data are no whole blocks
     */
    public void gather(Span data, int root) {
        Arguments.checkUsable(data.segment(), "data");
        data.stage();
        callInPlace(Collective.GATHER, data.segment(), data.type(), data.count(), null, root);
        data.unstage();
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Scatters the root's elements: the r-th block of its source becomes the elements of rank r.
     *
     * @param source at the root a block for each rank[: of the target's type, apart from it|]; other ranks may pass
     *            null
     * @param target where this rank receives its block; [the same type and count|of the same length] at every rank
     * @param root the rank whose blocks they are
     * @throws IllegalArgumentException when root is no rank of the communicator, or the arguments do not fit each other
     */
    public void scatter(@Nullable Span source, Span target, int root) {
        Arguments.checkUsable(target.segment(), "target");
        MemorySegment segment = target.segment();
        if (rank() == root) {
            Objects.requireNonNull(source, "source, which the root needs");
            Arguments.checkUsable(source.segment(), "source");
            Arguments.checkBlocks(target, source, size(), "source");
            source.stage();
            call(Collective.SCATTER, source.segment(), segment, target.type(), target.count(), null, root);
        } else {
            call(Collective.SCATTER, segment, segment, target.type(), target.count(), null, root);
        }
        target.unstage();
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Scatters the root's elements, in place: the root's own block stays where it is.
     *
     * @param data at the root a block for each rank; elsewhere where this rank receives its block
     * @param root the rank whose blocks they are
     * @throws IllegalArgumentException when root is no rank of the communicator, or its data are no whole blocks
     */
    public void scatter(Span data, int root) {
        Arguments.checkUsable(data.segment(), "data");
        data.stage();
        callInPlace(Collective.SCATTER, data.segment(), data.type(), data.count(), null, root);
        data.unstage();
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Gathers every rank's elements at every rank: those of rank r become the r-th block of each target.
     *
     * @param source this rank's elements; [the same type and count|of the same length] at every rank
     * @param target where this rank receives a block of each rank[: of the source's type, apart from it|]
     * @throws IllegalArgumentException when the arguments do not fit each other
     */
    public void allgather(Span source, Span target) {
        Arguments.checkUsable(source.segment(), "source");
        Arguments.checkBlocks(source, target, size(), "target");
        source.stage();
        call(Collective.ALLGATHER, source.segment(), target.segment(), source.type(), source.count(), null, 0);
        target.unstage();
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Gathers every rank's elements at every rank, in place: each has its own block where it belongs.
     *
     * @param data a block of each rank, this rank's own in its place; [the same type and count|of the same length] at
     *            every rank
     * @throws IllegalArgumentException when the data are no whole blocks
     */
    public void allgather(Span data) {
        Arguments.checkUsable(data.segment(), "data");
        data.stage();
        callInPlace(Collective.ALLGATHER, data.segment(), data.type(), data.count(), null, 0);
        data.unstage();
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Exchanges blocks between all ranks: the r-th block of rank q's source becomes the q-th block of rank r's target.
     *
     * @param source a block for each rank; [the same type and count|of the same length] at every rank
     * @param target where this rank receives a block of each rank[: of the source's type and count, apart from it|, as
     *            long as source]
     * @throws IllegalArgumentException when the arguments do not fit each other, or are no whole blocks
     */
    public void allToAll(Span source, Span target) {
        Arguments.checkUsable(source.segment(), "source");
        Arguments.checkFits(source, target);
        source.stage();
        call(Collective.ALL_TO_ALL, source.segment(), target.segment(), source.type(),
                Arguments.blockCount(source.count(), size()), null, 0);
        target.unstage();
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Exchanges blocks between all ranks, in place: each block is replaced by that which comes from its rank.
     *
     * @param data a block for each rank, replaced by one of each rank; [the same type and count|of the same length] at
     *            every rank
     * @throws IllegalArgumentException when the data are no whole blocks
     */
    public void allToAll(Span data) {
        Arguments.checkUsable(data.segment(), "data");
        data.stage();
        callInPlace(Collective.ALL_TO_ALL, data.segment(), data.type(), data.count(), null, 0);
        data.unstage();
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Combines every rank's elements, and gives each rank a block of the combination: the r-th to rank r.
     *
     * @param source a block for each rank; [the same type and count|of the same length] at every rank
     * @param target where this rank receives its block of the combination[: of the source's type, apart from it|]
     * @param reduction the operator
     * @throws IllegalArgumentException when the arguments do not fit each other
     */
    public void reduceScatter(Span source, Span target, Reduction reduction) {
        Arguments.checkUsable(target.segment(), "target");
        Arguments.checkUsable(source.segment(), "source");
        Arguments.checkBlocks(target, source, size(), "source");
        source.stage();
        call(Collective.REDUCE_SCATTER, source.segment(), target.segment(), source.type(), target.count(), reduction,
                0);
        target.unstage();
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Combines every rank's elements, and gives each rank a block of the combination, in place: the r-th block of
     * rank r is replaced, its others stay as they are.
     *
     * @param data a block for each rank; [the same type and count|of the same length] at every rank
     * @param reduction the operator
     * @throws IllegalArgumentException when the data are no whole blocks, the operator does not work on the type, or
     *             the length of a block is no multiple of its unit
     */
    public void reduceScatter(Span data, Reduction reduction) {
        Arguments.checkUsable(data.segment(), "data");
        data.stage();
        callInPlace(Collective.REDUCE_SCATTER, data.segment(), data.type(), data.count(), reduction, 0);
        data.unstage();
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Combines the elements of this rank and all before it, in the order of the ranks.
     *
     * @param source the elements; [the same type and count|of the same length] at every rank
     * @param target where the combination goes[: of the source's type and count, and either the same memory or apart
     *            from it|, as long as source, or source itself]
     * @param reduction the operator
     * @throws IllegalArgumentException when the arguments do not fit each other
     */
    public void scan(Span source, Span target, Reduction reduction) {
        Arguments.checkUsable(source.segment(), "source");
        Arguments.checkFits(source, target);
        source.stage();
        call(Collective.SCAN, source.segment(), target.segment(), source.type(), source.count(), reduction, 0);
        target.unstage();
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Combines the elements of this rank and all before it, in the order of the ranks, in place.
     *
     * @param data the elements, replaced by the combination; [the same type and count|of the same length] at every rank
     * @param reduction the operator
     * @throws IllegalArgumentException when the operator does not work on the type, or [count|the length] is no
     *             multiple of its unit
     */
    public void scan(Span data, Reduction reduction) {
        Arguments.checkUsable(data.segment(), "data");
        data.stage();
        callInPlace(Collective.SCAN, data.segment(), data.type(), data.count(), reduction, 0);
        data.unstage();
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Combines the elements of all ranks before this one, in the order of the ranks. The target of rank 0
     * stays as it is.
     *
     * @param source the elements; [the same type and count|of the same length] at every rank
     * @param target where the combination goes[: of the source's type and count, and either the same memory or apart
     *            from it|, as long as source, or source itself]
     * @param reduction the operator
     * @throws IllegalArgumentException when the arguments do not fit each other
     */
    public void exclusiveScan(Span source, Span target, Reduction reduction) {
        Arguments.checkUsable(source.segment(), "source");
        Arguments.checkFits(source, target);
        source.stage();
        target.stage();
        call(Collective.EXCLUSIVE_SCAN, source.segment(), target.segment(), source.type(), source.count(), reduction,
                0);
        target.unstage();
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Combines the elements of all ranks before this one, in the order of the ranks, in place. The elements
     * of rank 0 stay as they are.
     *
     * @param data the elements, replaced by the combination; [the same type and count|of the same length] at every rank
     * @param reduction the operator
     * @throws IllegalArgumentException when the operator does not work on the type, or [count|the length] is no
     *             multiple of its unit
     */
    public void exclusiveScan(Span data, Reduction reduction) {
        Arguments.checkUsable(data.segment(), "data");
        data.stage();
        callInPlace(Collective.EXCLUSIVE_SCAN, data.segment(), data.type(), data.count(), reduction, 0);
        data.unstage();
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Gathers blocks of any length at the root: this rank's elements become its block of the root's target. Only the
     * root knows all lengths.
     *
     * @param source this rank's elements, as many as the root expects from it
     * @param target where the root receives the blocks[: of the source's type, apart from it|]; what lies between them
     *            stays as it is; other ranks may pass null
     * @param blocks where the root receives which rank's elements; other ranks may pass null
     * @param root the rank that receives the blocks
     * @throws IllegalArgumentException when root is no rank of the communicator, the blocks of the target overlap or do
     *             not lie in it, or the arguments do not fit each other
     */
    public void gather(Span source, @Nullable Span target, @Nullable Blocks blocks, int root) {
        Arguments.checkUsable(source.segment(), "source");
        MemorySegment segment = source.segment();
        source.stage();
        if (rank() == root) {
            Objects.requireNonNull(target, "target, which the root needs");
            Arguments.checkTypes(source, target);
            Arguments.checkUsable(target.segment(), "target");
            Objects.requireNonNull(blocks, "the blocks of the target, which this rank needs");
            Arguments.checkReceived(blocks, size(), target.count());
            Arguments.checkOwn(blocks, rank(), source.count());
            Arguments.checkApart(segment, target.segment());
            target.stage();
            callWithBlocks(Collective.GATHER, segment, target.segment(), source.type(), source.count(), null, blocks,
                    null, root);
            target.unstage();
        } else {
            callWithBlocks(Collective.GATHER, segment, segment, source.type(), source.count(), null, null, null, root);
        }
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Gathers blocks of any length at the root, in place: the root has its own block where it belongs.
     *
     * @param data at the root what the blocks lie in; elsewhere this rank's block
     * @param root the rank that receives the blocks
     * @param blocks where the root receives which rank's elements; other ranks may pass null
     * @throws IllegalArgumentException when root is no rank of the communicator, or the blocks overlap or do not lie in
     *             the data
     */
    public void gather(Span data, int root, @Nullable Blocks blocks) {
        Arguments.checkUsable(data.segment(), "data");
        MemorySegment segment = data.segment();
        data.stage();
        if (rank() == root) {
            Objects.requireNonNull(blocks, "the blocks of the target, which this rank needs");
            Arguments.checkReceived(blocks, size(), data.count());
            callWithBlocks(Collective.GATHER, segment, segment, data.type(), blocks.count(root), null, blocks, null,
                    root);
            data.unstage();
        } else {
            callWithBlocks(Collective.GATHER, segment, segment, data.type(), data.count(), null, null, null, root);
        }
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Scatters blocks of any length: each rank gets its own of the root's source. Only the root knows all lengths.
     *
     * @param source at the root what the blocks lie in[: of the target's type, apart from it|]; other ranks may pass
     *            null
     * @param blocks where the root has what for which rank; other ranks may pass null
     * @param target where this rank receives its block, as long as that
     * @param root the rank whose blocks they are
     * @throws IllegalArgumentException when root is no rank of the communicator, the blocks do not lie in the source,
     *             or the arguments do not fit each other
     */
    public void scatter(@Nullable Span source, @Nullable Blocks blocks, Span target, int root) {
        Arguments.checkUsable(target.segment(), "target");
        MemorySegment segment = target.segment();
        if (rank() == root) {
            Objects.requireNonNull(source, "source, which the root needs");
            Arguments.checkTypes(source, target);
            Arguments.checkUsable(source.segment(), "source");
            Objects.requireNonNull(blocks, "the blocks of the source, which this rank needs");
            Arguments.checkRoom(blocks, size(), source.count(), "source");
            Arguments.checkOwn(blocks, root, target.count());
            Arguments.checkApart(source.segment(), segment);
            source.stage();
            callWithBlocks(Collective.SCATTER, source.segment(), segment, target.type(), target.count(), blocks, null,
                    null, root);
        } else {
            callWithBlocks(Collective.SCATTER, segment, segment, target.type(), target.count(), null, null, null, root);
        }
        target.unstage();
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Scatters blocks of any length, in place: the root's own block stays where it is.
     *
     * @param data at the root what the blocks lie in; elsewhere where this rank receives its block, as long as that
     * @param root the rank whose blocks they are
     * @param blocks where the root has what for which rank; other ranks may pass null
     * @throws IllegalArgumentException when root is no rank of the communicator, or the blocks do not lie in the data
     */
    public void scatter(Span data, int root, @Nullable Blocks blocks) {
        Arguments.checkUsable(data.segment(), "data");
        MemorySegment segment = data.segment();
        data.stage();
        if (rank() == root) {
            Objects.requireNonNull(blocks, "the blocks of the source, which this rank needs");
            Arguments.checkRoom(blocks, size(), data.count(), "source");
            callWithBlocks(Collective.SCATTER, segment, segment, data.type(), blocks.count(root), blocks, null, null,
                    root);
        } else {
            callWithBlocks(Collective.SCATTER, segment, segment, data.type(), data.count(), null, null, null, root);
        }
        data.unstage();
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Gathers blocks of any length at every rank: this rank's elements become its block of each target.
     *
     * @param source this rank's elements
     * @param target where this rank receives the blocks[: of the source's type, apart from it|]; what lies between them
     *            stays as it is
     * @param blocks where it receives which rank's elements; of the same lengths at every rank
     * @throws IllegalArgumentException when the blocks overlap or do not lie in the target, or the arguments do not fit
     *             each other
     */
    public void allgather(Span source, Span target, Blocks blocks) {
        Arguments.checkTypes(source, target);
        Arguments.checkUsable(source.segment(), "source");
        Arguments.checkUsable(target.segment(), "target");
        Arguments.checkReceived(blocks, size(), target.count());
        Arguments.checkOwn(blocks, rank(), source.count());
        Arguments.checkApart(source.segment(), target.segment());
        source.stage();
        target.stage();
        callWithBlocks(Collective.ALLGATHER, source.segment(), target.segment(), source.type(), source.count(), null,
                blocks, null, 0);
        target.unstage();
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Gathers blocks of any length at every rank, in place: each has its own block where it belongs.
     *
     * @param data what the blocks lie in
     * @param blocks where it has its own block, and receives which other rank's; of the same lengths at every rank
     * @throws IllegalArgumentException when the blocks overlap or do not lie in the data
     */
    public void allgather(Span data, Blocks blocks) {
        Arguments.checkUsable(data.segment(), "data");
        MemorySegment segment = data.segment();
        Arguments.checkReceived(blocks, size(), data.count());
        data.stage();
        callWithBlocks(Collective.ALLGATHER, segment, segment, data.type(), blocks.count(rank()), null, blocks, null,
                0);
        data.unstage();
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Exchanges blocks of any length between all ranks: what rank q has for rank r becomes the q-th block of rank r's
     * target. Only these two know how long it is. There is no such call in place: what comes would lie where something
     * is that has not been sent.
     *
     * @param source what this rank has for the others
     * @param sourceBlocks where in the source it has what for which rank
     * @param target where this rank receives the others' blocks[: of the source's type, apart from it|]; what lies
     *            between them stays as it is
     * @param targetBlocks where in the target it receives which rank's block
     * @throws IllegalArgumentException when the blocks do not lie in source and target, those of the target overlap, or
     *             the arguments do not fit each other
     */
    public void allToAll(Span source, Blocks sourceBlocks, Span target, Blocks targetBlocks) {
        Arguments.checkTypes(source, target);
        Arguments.checkUsable(source.segment(), "source");
        Arguments.checkUsable(target.segment(), "target");
        Arguments.checkRoom(sourceBlocks, size(), source.count(), "source");
        Arguments.checkReceived(targetBlocks, size(), target.count());
        Arguments.checkOwn(targetBlocks, rank(), sourceBlocks.count(rank()));
        Arguments.checkApart(source.segment(), target.segment());
        source.stage();
        target.stage();
        callWithBlocks(Collective.ALL_TO_ALL, source.segment(), target.segment(), source.type(), 0, sourceBlocks,
                targetBlocks, null, 0);
        target.unstage();
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Combines every rank's elements, and gives each rank a block of the combination, which may be of any length.
     *
     * @param source what the blocks lie in[: of the target's type, apart from it|]
     * @param blocks where in the source what for which rank lies; of the same lengths at every rank
     * @param target where this rank receives its block of the combination, as long as that
     * @param reduction the operator
     * @throws IllegalArgumentException when the blocks do not lie in the source, the length of one is no multiple of
     *             the operator's unit, or the arguments do not fit each other
     */
    public void reduceScatter(Span source, Blocks blocks, Span target, Reduction reduction) {
        Arguments.checkTypes(source, target);
        Arguments.checkUsable(source.segment(), "source");
        Arguments.checkUsable(target.segment(), "target");
        Arguments.checkRoom(blocks, size(), source.count(), "source");
        Arguments.checkOwn(blocks, rank(), target.count());
        Arguments.checkApart(source.segment(), target.segment());
        source.stage();
        callWithBlocks(Collective.REDUCE_SCATTER, source.segment(), target.segment(), target.type(), target.count(),
                blocks, null, reduction, 0);
        target.unstage();
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Combines every rank's elements, and gives each rank a block of the combination, which may be of any length, in
     * place: this rank's own block is replaced, the others stay as they are.
     *
     * @param data what the blocks lie in
     * @param blocks where in the data what for which rank lies; of the same lengths at every rank
     * @param reduction the operator
     * @throws IllegalArgumentException when the blocks do not lie in the data, overlap, or the length of one is no
     *             multiple of the operator's unit
     */
    public void reduceScatter(Span data, Blocks blocks, Reduction reduction) {
        Arguments.checkUsable(data.segment(), "data");
        MemorySegment segment = data.segment();
        Arguments.checkReceived(blocks, size(), data.count());
        data.stage();
        callWithBlocks(Collective.REDUCE_SCATTER, segment, segment, data.type(), blocks.count(rank()), blocks, null,
                reduction, 0);
        data.unstage();
    }

    /** Where a side has blocks, all of them lie in the data. */
    private void callInPlace(Collective collective, MemorySegment data, DataType type, long length,
            @Nullable Reduction reduction,
            int root) {
        long count = Arguments.countInPlace(collective, length, rank(), root, size());
        call(collective, data, data, type, count, reduction, root);
    }

    /**
     * What all forms of all collectives with elements end in.
     *
     * @param collective the operation
     * @param source this rank's elements; in place, and where it sends none, the target
     * @param target where the result goes; in place, and where it receives none, the source
     * @param type the type of the elements
     * @param count how many elements; where a side has a block of each rank, in a block
     * @param reduction the operator, null where nothing is combined
     * @param root the root, 0 where there is none
     */
    protected abstract void call(Collective collective, MemorySegment source, MemorySegment target, DataType type,
            long count, @Nullable Reduction reduction, int root);

    /**
     * What all forms of collectives end in whose blocks may differ in length.
     *
     * @param collective the operation
     * @param source this rank's elements; in place, and where it sends none, the target
     * @param target where the result goes; in place, and where it receives none, the source
     * @param type the type of the elements
     * @param count how many elements this rank's block has on a side without blocks
     * @param sourceBlocks where the blocks of the source lie, null where it has none
     * @param targetBlocks where the blocks of the target lie, null where it has none
     * @param reduction the operator, null where nothing is combined
     * @param root the root, 0 where there is none
     */
    protected abstract void callWithBlocks(Collective collective, MemorySegment source, MemorySegment target,
            DataType type, long count, @Nullable Blocks sourceBlocks, @Nullable Blocks targetBlocks,
            @Nullable Reduction reduction, int root);
}
