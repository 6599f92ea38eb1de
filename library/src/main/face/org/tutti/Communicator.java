/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * An ordered group of ranks that perform collective operations together. Each rank has a communicator object of its
 * own. All ranks must call the same operations in the same order, with the same root, count, type and operator. If they
 * do not, a call throws {@link CollectiveMismatchException}. It is that call, or the next one in which ranks wait for
 * each other. Ranks of a node detect a difference when they close the communicator or the job, if not before.
 *
 * <p><b>Threads.</b> One thread at a time uses a communicator, except that any number may send and receive messages.
 * Use by two threads at the same time is detected on a best-effort basis: the second thread gets an {@link
 * IllegalStateException} that names both threads.
 *
 * <p><b>Memory ordering.</b> An operation carries elements of one rank to another. The writes that the first rank made
 * before it entered the operation are visible to the second rank once the operation has returned there. After a barrier
 * they are visible to all ranks.
 *
 * <p><b>Completion.</b> When a call returns, this rank may use its arrays again. If the call has a result, every rank
 * whose elements are in the result has entered the operation by then. After {@link #barrier()}, {@code allreduce},
 * {@code allgather}, {@code allToAll} and {@code reduceScatter} these are all ranks. The root may return from
 * {@code broadcast} or {@code scatter} before others have entered, and so may ranks other than the root in a
 * {@code reduce} or {@code gather}.
 *
 * <p><b>Blocks.</b> An array with a block for each rank, or from each rank, holds the blocks in the order of the ranks,
 * one after the other and of equal length. A call with {@link Blocks} gives the position and the length of each block
 * instead. Then only the sender and the receiver of a block need to know its length. If they disagree, the call ends
 * with a {@link CollectiveMismatchException} that names both ranks.
 *
 * <p><b>Operators.</b> An operator fits the elements of a call if it {@linkplain Reduction#supports supports} their
 * type and its {@linkplain Reduction#unit unit} divides their number or, with blocks, the length of each block.
 *
 * <p><b>Roots.</b> Only the root needs the target of {@code reduce} and {@code gather}, and the source of {@code
 * scatter}. Another rank passes null for it and for its {@link Blocks}, or leaves it out: {@code gather(source, root)}
 * matches {@code gather(source, target, root)}, and {@code gather(source, root, null)} matches a gather with blocks.
 *
 * <p><b>Failure.</b> A call that cannot complete ends with {@link RankFailedException}, {@link
 * DeadlineExceededException}, {@link CallInterruptedException}, {@link JobAbortedException}, {@link
 * NodeMemoryException} or {@link CommunicatorBrokenException}. The communicator then stays broken, and the arrays that
 * the call would have written hold unspecified values. Invalid arguments are detected before this rank communicates,
 * and break nothing. A {@link NodeMemoryException} of {@link #allocate} breaks nothing at any rank.
 *
 * <p><b>Groups.</b> {@link #split}, {@link #create} and {@link #duplicate} make communicators of some or all ranks, in
 * any order. Each has its own calls and failures: a rank that fails breaks only the communicators that contain it.
 * Exceptions name a rank by its number in the communicator and by its number in the job. The program
 * {@linkplain #close closes} a group. The world, the communicator of all ranks of the job, is closed with its job.
 *
 * <p><b>Views.</b> {@link #withAlgorithm} and {@link #withDeadline} return views. A view is the same communicator with
 * another default for the calls that are made through it.
 *
 * <p>A communicator holds weak references to the arrays of its latest calls, so that repeated calls with the same
 * arrays allocate nothing.
 */
public abstract class Communicator extends Messenger implements AutoCloseable {
    private final Scalars scalars;

    /** Constructor for Tutti's own implementation only. */
    protected Communicator() {
        super(ArrayViews.segments(ArrayViews.REMEMBERED), ArrayViews.booleans(ArrayViews.REMEMBERED));
        scalars = new Scalars();
    }

    /**
     * Constructor for a view, for Tutti's own implementation only.
     *
     * @param viewed the communicator that this view belongs to
     */
    protected Communicator(Communicator viewed) {
        super(viewed.segments, viewed.booleans);
        scalars = viewed.scalars;
    }

    /** {@return this rank's number in the communicator, 0 to {@link #size()} − 1} */
    public abstract int rank();

    /** {@return the number of ranks of the communicator, 1 or more} */
    public abstract int size();

    /** {@return the placement of the ranks on nodes; ranks of a node share memory} */
    public abstract Topology topology();

    /**
     * Returns the number that a rank of this communicator has in another communicator of the same job.
     *
     * @param other a communicator that also contains this rank; either communicator may be closed
     * @param rank a rank of this communicator
     * @return the number of that rank in the other communicator, empty if it is not a member
     * @throws IllegalArgumentException if there is no such rank, or the other communicator is not one of this rank
     */
    public abstract OptionalInt rankIn(Communicator other, int rank);

    /**
     * Returns a view of this communicator that uses the named algorithm for all calls of one collective, also for calls
     * with {@link Blocks}.
     *
     * @param collective the collective, for example {@link Collective#ALLREDUCE}
     * @param name the name of an algorithm, or {@linkplain Collective names with ranges}; the same at every rank
     * @return the view
     * @throws IllegalArgumentException if an algorithm is unknown (the message lists all), or a range cannot be used
     */
    public abstract Communicator withAlgorithm(Collective collective, String name);

    /**
     * Returns a view whose calls wait for other ranks no longer than a time limit, then throw {@link
     * DeadlineExceededException} and break the communicator. A request counts from the call that starts it, not from
     * {@link Request#await()}, and a prepared call from each {@link PreparedCall#run} or {@link PreparedCall#start}.
     *
     * @param deadline the time limit of each call, counted from its start, more than zero
     * @return the view
     * @throws IllegalArgumentException if the deadline is zero or negative
     */
    public abstract Communicator withDeadline(Duration deadline);

    /**
     * Names the communicator in messages of this rank, for example {@code rank 2 of "rows" (rank 9 of the job)}.
     *
     * @param name the name
     * @return this communicator
     */
    public abstract Communicator withName(String name);

    /**
     * {@return a view whose collectives do not wait for their operations, but return a {@link Request} immediately. It
     * keeps the algorithms and the deadline of this view. Blocking and non-blocking calls share one order}
     */
    public abstract NonBlockingCommunicator nonBlocking();

    /**
     * {@return a view whose methods prepare calls that a program repeats with the same arguments (persistent calls)}
     * Each of these methods returns a {@link PreparedCall} and communicates nothing.
     */
    public abstract PreparedCommunicator prepare();

    /** Waits until every rank of the communicator has entered the barrier. */
    public abstract void barrier();

    /**
     * Allocates memory at every rank that all ranks of this communicator can read and write. This is a collective call.
     * The deadline of this view also holds for the calls on the memory.
     *
     * @param bytes the number of bytes at this rank, 0 to {@link RemoteMemory#BYTES_MAX}; each rank chooses its own
     * @return the memory, filled with zeros
     * @throws IllegalArgumentException if bytes is out of range
     * @throws NodeMemoryException at every rank, if a node has too little memory; the communicator can still be used
     */
    public RemoteMemory allocate(long bytes) {
        return allocate(DataType.BYTE, bytes);
    }

    /**
     * Allocates memory for elements at every rank that all ranks can read and write. This is a collective call.
     *
     * @param type the type of the elements
     * @param count the number of elements at this rank, 0 or more
     * @return the memory; its offsets count bytes, or elements in the view {@link RemotePart#elements}
     * @throws IllegalArgumentException if the elements have more than {@link RemoteMemory#BYTES_MAX} bytes
     */
    public RemoteMemory allocate(DataType type, long count) {
        return allocate(type, count, RemoteMemory.NOTIFICATIONS);
    }

    /**
     * Allocates memory for elements at every rank that all ranks of this communicator can read and write. The memory
     * has notification words, which count puts for a rank that waits for them. This is a collective call.
     *
     * @param type the type of the elements
     * @param count the number of elements at this rank, 0 or more
     * @param notifications the number of notification words at this rank, 0 to {@link RemoteMemory#NOTIFICATIONS_MAX}
     * @return the memory; its offsets count bytes, or elements in the view {@link RemotePart#elements}
     * @throws IllegalArgumentException if the elements have too many bytes, or notifications is out of range
     */
    public abstract RemoteMemory allocate(DataType type, long count, int notifications);

    /**
     * Divides the ranks of this communicator into new communicators. Ranks that pass the same color are in the same
     * one. This is a collective call, which returns when all ranks of this communicator have called it. It consists of
     * an allgather of 8 bytes a rank and a barrier, both on this communicator.
     *
     * @param color the color, 0 or more
     * @param key the number by which the new communicator orders this rank; ranks with the same key keep their order
     * @return the communicator of this rank's color, to be {@linkplain #close closed}. It uses the job's algorithms and
     *         has no deadline, even if this view has others. A deadline of this view limits only this call
     * @throws IllegalArgumentException if the color is negative
     */
    public abstract Communicator split(int color, int key);

    /**
     * Divides the ranks of this communicator as {@link #split(int, int)} does, except that a rank without a color is in
     * none of the new communicators. This is a collective call, in which ranks with a color may call the other method.
     *
     * @param color the color, 0 or more; empty for none
     * @param key the number by which the new communicator orders this rank; ranks with the same key keep their order
     * @return the communicator of this rank's color, to be {@linkplain #close closed}; empty without a color
     * @throws IllegalArgumentException if the color is negative
     */
    public abstract Optional<Communicator> split(OptionalInt color, int key);

    /**
     * Creates a communicator of the given ranks. Only these ranks call this method, all with the same list. The call
     * returns when all of them have called it, because it ends with a barrier of the new communicator.
     *
     * @param ranks the ranks of the new communicator in their new order, by their numbers in this one; this rank is
     *            among them
     * @return the new communicator, to be {@linkplain #close closed}; it uses the job's algorithms and has no deadline
     * @throws IllegalArgumentException if a rank is not in this communicator or occurs twice, or this rank is missing
     * @throws IllegalStateException if this rank has already made groups of 65,536 different lists of ranks
     */
    public abstract Communicator create(int... ranks);

    /**
     * Creates a communicator of the same ranks in the same order, for example for a library or another thread. Its
     * calls are independent of the calls of this one. This is a collective call with a barrier on this communicator.
     *
     * @return the new communicator, to be {@linkplain #close closed}; it uses the job's algorithms and has no deadline
     */
    public abstract Communicator duplicate();

    /**
     * Creates a communicator of the same ranks in the same order, in which each rank counts as a node of its own. Its
     * algorithms know no shared memory, and all its data go over the network. This is a collective call.
     *
     * @return the new communicator, to be {@linkplain #close closed}; it uses the job's algorithms and has no deadline
     * @throws UnsupportedOperationException if the job has one node, or ranks are threads of one process
     */
    public abstract Communicator flatten();

    /**
     * Creates a communicator for each node, of the ranks there in their present order. This is a collective call.
     *
     * @return the communicator of this rank's node, to be {@linkplain #close closed}
     */
    public abstract Communicator splitByNode();

    /**
     * Creates a communicator for each group of ranks inside the nodes, for example of ranks that share a cache. A level
     * selects the size of the groups. This is a collective call.
     *
     * @param level the level, from 0 for the smallest groups to the number of {@linkplain Topology#levels levels} − 1
     * @return the communicator of this rank's group, to be {@linkplain #close closed}
     * @throws IllegalArgumentException if there is no such level
     */
    public abstract Communicator splitBy(int level);

    /**
     * Closes the communicator and all its views at this rank, without waiting for other ranks. Later calls of this rank
     * throw {@link IllegalStateException}. Calls of other ranks that need this rank end with
     * {@link CommunicatorBrokenException}. The communicator's memory on a node is freed once all its ranks there have
     * closed it or ended, and the first of them then creates or closes a group. Closing again has no effect.
     *
     * @throws CollectiveMismatchException if this rank and a rank of the same node that has closed the communicator, or
     *             left the job, have made different calls on the communicator, which is closed nevertheless
     * @throws IllegalStateException if this is the world, which its {@link Job} closes; if a call on this communicator
     *             is in flight; or if remote memory or mutexes that it has allocated are open
     */
    @Override
    public abstract void close();

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Copies the elements of one rank, the root, to every other rank.
     *
     * @param data the elements, overwritten at ranks other than the root; [of the same type and count|of the same
     *            length] at every rank
     * @param root the rank that sends its elements
     * @throws IllegalArgumentException if root is not a rank of the communicator[, or the memory is read-only|]
     */
    public void broadcast(Span data, int root) {
        Arguments.checkUsable(data.segment(), "data");
        data.stage();
        callInPlace(Collective.BROADCAST, data.segment(), data.type(), data.count(), null, root);
        data.unstage();
    }

    // also with boolean, int, double
    /**
     * Sends the value of one rank, the root, to every other rank.
     *
     * @param value the value to send at the root, ignored at the other ranks; of the same type at every rank
     * @param root the rank that sends its value
     * @return the value of the root, at every rank
     * @throws IllegalArgumentException if root is not a rank of the communicator
     */
    public long broadcast(long value, int root) {
        broadcast(scalars.of(value), root);
        return scalars.longs[0];
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Combines the elements of all ranks. The combination replaces those of one rank, the root. Others stay unchanged.
     *
     * @param data this rank's elements; [of the same type and count|of the same length] at every rank
     * @param reduction the operator
     * @param root the rank that receives the combination
     * @throws IllegalArgumentException if root is no rank of the communicator, or reduction does not fit the elements
     */
    public void reduce(Span data, Reduction reduction, int root) {
        Arguments.checkUsable(data.segment(), "data");
        data.stage();
        callInPlace(Collective.REDUCE, data.segment(), data.type(), data.count(), reduction, root);
        data.unstage();
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Combines the elements of all ranks, for example into sums. One rank, the root, receives the combination.
     *
     * @param source this rank's elements; [of the same type and count|of the same length] at every rank
     * @param target the memory for the combination at the root[: of the source's type and count, and either the same
     *            memory or disjoint|; as long as source, or source itself]; other ranks may pass null
     * @param reduction the operator
     * @param root the rank that receives the combination
     * @throws IllegalArgumentException if root is not a rank of the communicator, its target is not as described, or
     *             reduction does not support the elements
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
     * Combines the elements of all ranks, for example into sums. The combination replaces them at every rank.
     *
     * @param data the elements, replaced with the result; [of the same type and count|of the same length] at every rank
     * @param reduction the operator
     * @throws IllegalArgumentException if reduction does not support the elements
     */
    public void allreduce(Span data, Reduction reduction) {
        Arguments.checkUsable(data.segment(), "data");
        data.stage();
        callInPlace(Collective.ALLREDUCE, data.segment(), data.type(), data.count(), reduction, 0);
        data.unstage();
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Combines the elements of all ranks, for example into sums. Every rank receives the combination.
     *
     * @param source this rank's elements; [of the same type and count|of the same length] at every rank
     * @param target the memory for the combination[: of the source's type and count, and either the same memory or
     *            disjoint|; as long as source, or source itself]
     * @param reduction the operator
     * @throws IllegalArgumentException if target is not as described, or reduction does not support the elements
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
     * Combines one value of each rank, for example into a sum, and returns the combination at every rank.
     *
     * @param value this rank's value; of the same type at every rank
     * @param reduction the operator
     * @return the combination of all values
     * @throws IllegalArgumentException if reduction does not support the type, or combines several elements at a time
     */
    public long allreduce(long value, Reduction reduction) {
        allreduce(scalars.of(value), reduction);
        return scalars.longs[0];
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Collects the elements of all ranks at one rank, the root. Those of rank r become block r of the root's target.
     *
     * @param source this rank's elements; [of the same type and count|of the same length] at every rank
     * @param target at the root, the memory for a block of the source's length from each rank[; of the source's type,
     *            disjoint from it|]; other ranks may pass null
     * @param root the rank that receives the blocks
     * @throws IllegalArgumentException if root is not a rank of the communicator, or its target is not as described
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
     * Collects the elements of all ranks at one rank, the root. In its data, its own block is already in position.
     *
     * @param data at the root, a block from each rank, with its own in position; at another rank, its block
     * @param root the rank that receives the blocks
     * @throws IllegalArgumentException if root is not a rank of the communicator, or its data are not equal blocks
     */
    public void gather(Span data, int root) {
        Arguments.checkUsable(data.segment(), "data");
        data.stage();
        callInPlace(Collective.GATHER, data.segment(), data.type(), data.count(), null, root);
        data.unstage();
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Distributes the elements of one rank, the root. Block r of its source becomes the elements of rank r.
     *
     * @param source at the root, a block of the target's length for each rank[; of the target's type, disjoint from
     *            it|]; other ranks may pass null
     * @param target the memory for this rank's block; [of the same type and count|of the same length] at every rank
     * @param root the rank that sends the blocks
     * @throws IllegalArgumentException if root is not a rank of the communicator, or its source is not as described
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
     * Distributes the elements of one rank, the root. The root's own block stays in position in its data.
     *
     * @param data at the root, a block for each rank; at another rank, the memory that receives its block
     * @param root the rank that sends the blocks
     * @throws IllegalArgumentException if root is not a rank of the communicator, or its data are not equal blocks
     */
    public void scatter(Span data, int root) {
        Arguments.checkUsable(data.segment(), "data");
        data.stage();
        callInPlace(Collective.SCATTER, data.segment(), data.type(), data.count(), null, root);
        data.unstage();
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Collects the elements of all ranks at every rank. The elements of rank r become block r of each rank's target.
     *
     * @param source this rank's elements; [of the same type and count|of the same length] at every rank
     * @param target the memory for a block from each rank, as long as source[; of its type, disjoint from it|]
     * @throws IllegalArgumentException if target is not as described
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
     * Collects the elements of all ranks at every rank. Each rank's own block is already in position in its data.
     *
     * @param data a block from each rank, with its own in position; [of the same type and count|of the same length] at
     *            every rank
     * @throws IllegalArgumentException if data cannot be divided into equal blocks
     */
    public void allgather(Span data) {
        Arguments.checkUsable(data.segment(), "data");
        data.stage();
        callInPlace(Collective.ALLGATHER, data.segment(), data.type(), data.count(), null, 0);
        data.unstage();
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Exchanges blocks between all ranks, so that each rank sends one block to every rank. Block r of rank q's source
     * becomes block q of rank r's target.
     *
     * @param source a block for each rank; [of the same type and count|of the same length] at every rank
     * @param target the memory for a block from each rank[; of source's type and count, disjoint|; as long as source]
     * @throws IllegalArgumentException if target is not as described, or source cannot be divided into equal blocks
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
     * Exchanges blocks between all ranks, so that each rank sends one block to every rank. The block that comes from a
     * rank replaces the block that was sent to it.
     *
     * @param data a block for each rank, replaced with a block from each rank; [of the same type and count|of the same
     *            length] at every rank
     * @throws IllegalArgumentException if data cannot be divided into equal blocks
     */
    public void allToAll(Span data) {
        Arguments.checkUsable(data.segment(), "data");
        data.stage();
        callInPlace(Collective.ALL_TO_ALL, data.segment(), data.type(), data.count(), null, 0);
        data.unstage();
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Combines the elements of all ranks, and gives each rank a block of the combination. Rank r receives block r.
     *
     * @param source a block for each rank; [of the same type and count|of the same length] at every rank
     * @param target the memory for this rank's block of the combination[; of the source's type, disjoint from it|]
     * @param reduction the operator
     * @throws IllegalArgumentException if source is not a block of the target's length for each rank, or reduction does
     *             not support the elements
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
     * Combines the elements of all ranks, and gives each rank a block of the combination. It replaces block r at rank
     * r. The other blocks stay unchanged.
     *
     * @param data a block for each rank; [of the same type and count|of the same length] at every rank
     * @param reduction the operator
     * @throws IllegalArgumentException if data are not equal blocks, or reduction does not support the elements
     */
    public void reduceScatter(Span data, Reduction reduction) {
        Arguments.checkUsable(data.segment(), "data");
        data.stage();
        callInPlace(Collective.REDUCE_SCATTER, data.segment(), data.type(), data.count(), reduction, 0);
        data.unstage();
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Combines, for each rank r, the elements of ranks 0 to r in this order. This is an inclusive scan.
     *
     * @param source this rank's elements; [of the same type and count|of the same length] at every rank
     * @param target the memory for the combination[: of the source's type and count, and either the same memory or
     *            disjoint|; as long as source, or source itself]
     * @param reduction the operator
     * @throws IllegalArgumentException if target is not as described, or reduction does not support the elements
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
     * Combines, for each rank r, the elements of ranks 0 to r in this order. The combination replaces r's elements.
     *
     * @param data the elements, replaced with the result; [of the same type and count|of the same length] at every rank
     * @param reduction the operator
     * @throws IllegalArgumentException if reduction does not support the elements
     */
    public void scan(Span data, Reduction reduction) {
        Arguments.checkUsable(data.segment(), "data");
        data.stage();
        callInPlace(Collective.SCAN, data.segment(), data.type(), data.count(), reduction, 0);
        data.unstage();
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Combines, for each rank r, the elements of ranks 0 to r − 1 in this order. The target of rank 0 stays unchanged.
     *
     * @param source this rank's elements; [of the same type and count|of the same length] at every rank
     * @param target the memory for the combination[: of the source's type and count, and either the same memory or
     *            disjoint|; as long as source, or source itself]
     * @param reduction the operator
     * @throws IllegalArgumentException if target is not as described, or reduction does not support the elements
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
     * Combines, for each rank r > 0, the elements of ranks 0 to r − 1 in order. The combination replaces r's elements.
     *
     * @param data the elements, replaced with the result; [of the same type and count|of the same length] at every rank
     * @param reduction the operator
     * @throws IllegalArgumentException if reduction does not support the elements
     */
    public void exclusiveScan(Span data, Reduction reduction) {
        Arguments.checkUsable(data.segment(), "data");
        data.stage();
        callInPlace(Collective.EXCLUSIVE_SCAN, data.segment(), data.type(), data.count(), reduction, 0);
        data.unstage();
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Collects blocks of any length at one rank, the root. Each rank's elements become its block of the root's target.
     * Only the root needs to know all lengths.
     *
     * @param source this rank's elements, as many as the root expects from it
     * @param target at the root, the memory for the blocks[; of the source's type, disjoint from it|]; elements outside
     *            the blocks stay unchanged; other ranks may pass null
     * @param blocks the position and the length of each rank's block in the target; other ranks may pass null
     * @param root the rank that receives the blocks
     * @throws IllegalArgumentException if root is not a rank of the communicator, or, at the root, if the blocks
     *             overlap, do not lie in target, or do not match source
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
     * Collects blocks of any length at one rank, the root. The root's own block is already in position in its data.
     *
     * @param data at the root, the memory of the blocks, with its own in position; at another rank, its block
     * @param root the rank that receives the blocks
     * @param blocks the position and the length of each rank's block at the root; other ranks may pass null
     * @throws IllegalArgumentException if root is not a rank of the communicator, or the blocks overlap or do not lie
     *             in the data
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
     * Distributes blocks of any length from one rank, the root. Each rank receives its block of the root's source. Only
     * the root needs to know all lengths.
     *
     * @param source at the root, memory with the blocks[; of the target's type, disjoint|]; other ranks may pass null
     * @param blocks the position and the length of each rank's block in the source; other ranks may pass null
     * @param target the memory for this rank's block, as long as the block
     * @param root the rank that sends the blocks
     * @throws IllegalArgumentException if root is not a rank of the communicator, or, at the root, if the blocks do not
     *             lie in source or do not match target
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
     * Distributes blocks of any length from one rank, the root. The root's own block stays in position in its data.
     *
     * @param data at the root, the memory of the blocks; at another rank, memory of its block's length
     * @param root the rank that sends the blocks
     * @param blocks the position and the length of each rank's block at the root; other ranks may pass null
     * @throws IllegalArgumentException if root is not a rank of the communicator, or the blocks do not lie in the data
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
     * Collects blocks of any length at every rank. Each rank's elements become its block of every rank's target.
     *
     * @param source this rank's elements
     * @param target the memory for the blocks[; of the source's type, disjoint from it|]; elements outside the blocks
     *            stay unchanged
     * @param blocks the position and the length of each rank's block in the target; of the same lengths at every rank
     * @throws IllegalArgumentException if the blocks overlap, do not lie in target, or do not match source
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
     * Collects blocks of any length at every rank. In each rank's data its own block is already in position.
     *
     * @param data the memory of the blocks, with this rank's own block in position
     * @param blocks the position and the length of each rank's block in the data; of the same lengths at every rank
     * @throws IllegalArgumentException if the blocks overlap or do not lie in the data
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
     * Exchanges blocks of any length between all ranks. The block of rank q for rank r becomes block q of rank r's
     * target. Only these two ranks know its length. Source and target cannot be the same memory, because a block that
     * arrives could overwrite a block that has not been sent.
     *
     * @param source the memory that holds this rank's blocks for all ranks
     * @param sourceBlocks the position and the length of the block for each rank in the source
     * @param target the memory for the blocks from all ranks[; of the source's type, disjoint from it|]; elements
     *            outside the blocks stay unchanged
     * @param targetBlocks the position and the length of the block from each rank in the target
     * @throws IllegalArgumentException if the blocks do not lie in source or target, blocks of the target overlap, or
     *             this rank's block for itself differs in length between source and target
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
     * Combines the elements of all ranks, and gives each rank a block of the combination. Blocks may have any length.
     *
     * @param source the memory that holds this rank's elements of all blocks[; of the target's type, disjoint from it|]
     * @param blocks the position and the length of the block for each rank; of the same lengths at every rank
     * @param target the memory for this rank's block of the combination, as long as the block
     * @param reduction the operator
     * @throws IllegalArgumentException if the blocks do not lie in source or do not match target, or reduction does not
     *             support the elements
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
     * Combines the elements of all ranks, and replaces each rank's own block with its combination. The other blocks
     * stay unchanged. Blocks may have any length.
     *
     * @param data the memory that holds this rank's elements of all blocks
     * @param blocks the position and the length of the block for each rank; of the same lengths at every rank
     * @param reduction the operator
     * @throws IllegalArgumentException if blocks overlap or leave the data, or reduction does not support the elements
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

    /** Makes a call in place. If source or target has a block for each rank, all these blocks lie in the data. */
    private void callInPlace(Collective collective, MemorySegment data, DataType type, long length,
            @Nullable Reduction reduction, int root) {
        long count = Arguments.countInPlace(collective, length, rank(), root, size());
        call(collective, data, data, type, count, reduction, root);
    }

    /**
     * Runs a collective, and waits until it has completed. All public calls without {@link Blocks} end here.
     *
     * @param collective the collective
     * @param source this rank's elements; the target if the call is in place, or if this rank sends none
     * @param target the memory for the result; the source if the call is in place, or if this rank receives none
     * @param type the type of the elements
     * @param count the number of elements, or those of one block if source or target has a block for each rank
     * @param reduction the operator, null if nothing is combined
     * @param root the root, 0 if the operation has none
     */
    protected abstract void call(Collective collective, MemorySegment source, MemorySegment target, DataType type,
            long count, @Nullable Reduction reduction, int root);

    /**
     * Runs a collective with blocks that may differ in length. All public calls with {@link Blocks} end here.
     *
     * @param collective the collective
     * @param source this rank's elements; the target if the call is in place, or if this rank sends none
     * @param target the memory for the result; the source if the call is in place, or if this rank receives none
     * @param type the type of the elements
     * @param count the number of elements of source or target if it is a single block
     * @param sourceBlocks the blocks of the source, null if it has none
     * @param targetBlocks the blocks of the target, null if it has none
     * @param reduction the operator, null if nothing is combined
     * @param root the root, 0 if the operation has none
     */
    protected abstract void callWithBlocks(Collective collective, MemorySegment source, MemorySegment target,
            DataType type, long count, @Nullable Blocks sourceBlocks, @Nullable Blocks targetBlocks,
            @Nullable Reduction reduction, int root);
}
