/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.time.Duration;

/**
 * The neighbours of a rank, and the collectives between neighbours. A rank receives from its sources, and sends to its
 * targets. {@link CartesianCommunicator} and {@link GraphCommunicator} determine the neighbours.
 *
 * <p><b>Blocks.</b> The target of a call has a block from each source, in the order of {@link #sources}. The source of
 * an all-to-all has a block for each target, in the order of {@link #targets}. The neighbour of a block may be
 * {@linkplain #ABSENT absent}. Such a block is not sent, or stays unchanged.
 *
 * <p><b>Algorithm.</b> A rank starts a receive from each source, then a send to each target, and awaits all of them. A
 * call therefore has as many messages as the rank has targets, each with the bytes of a block. A rank waits for its
 * neighbours only. It cannot have more than 16,384 messages in flight.
 *
 * <p><b>Order.</b> All ranks make the same calls in the same order, blocking or not. One thread at a time makes calls.
 * The messages travel on a communicator of their own. They do not mix with other calls.
 *
 * <p><b>Arguments.</b> Memory must be accessible to all threads, because other threads move elements, too.
 *
 * <p><b>Failure.</b> If a block has another length or type at its two ranks, the receiver gets a {@link
 * MessageMismatchException}, and the sender no exception. Every other exception during a call breaks the neighbourhood
 * at this rank: later calls throw {@link CommunicatorBrokenException}. Calls of other ranks wait until their own
 * deadlines. A blocking call that is interrupted leaves its messages in flight, so its arrays may change afterwards.
 */
public abstract sealed class Neighbourhood implements AutoCloseable permits CartesianCommunicator, GraphCommunicator {
    /** In place of a rank in {@link #sources} and {@link #targets}: there is no neighbour. */
    public static final int ABSENT = -1;

    private final Communicator communicator;
    private final Communicator messages; // only of the calls between neighbours
    private final NeighbourCalls calls;
    private final ArrayViews<Span> booleans = ArrayViews.booleans(0);

    Neighbourhood(Communicator communicator, NeighbourCalls.Ends sources, NeighbourCalls.Ends targets) {
        this.communicator = communicator;
        this.messages = communicator.duplicate();
        this.calls = new NeighbourCalls(messages.prepare(), sources, targets);
    }

    /** Creates a view with a deadline. */
    Neighbourhood(Neighbourhood viewed, Duration deadline) {
        this.communicator = viewed.communicator.withDeadline(deadline);
        this.messages = viewed.messages.withDeadline(deadline);
        this.calls = viewed.calls.with(messages.prepare());
    }

    /** {@return the communicator whose numbers name the ranks; it is closed with the neighbourhood} */
    public Communicator communicator() {
        return communicator;
    }

    /** {@return this rank's number in {@link #communicator}} */
    public int rank() {
        return communicator.rank();
    }

    /** {@return the ranks that send to this rank, in the order of the blocks; {@link #ABSENT} for none} */
    public int[] sources() {
        return calls.sources();
    }

    /** {@return the ranks that receive from this rank, in the order of the blocks; {@link #ABSENT} for none} */
    public int[] targets() {
        return calls.targets();
    }

    /**
     * Returns a view whose calls wait for neighbours no longer than a time limit, then throw {@link
     * DeadlineExceededException}. The limit also holds for calls of the view's {@link #communicator}.
     *
     * @param deadline the time limit of each call, counted from its start, more than zero
     * @return the view
     * @throws IllegalArgumentException if the deadline is zero or negative
     */
    public abstract Neighbourhood withDeadline(Duration deadline);

    /** {@return a view whose calls return a {@link Request} immediately} */
    public NonBlockingNeighbourhood nonBlocking() {
        return new NonBlockingNeighbourhood(calls);
    }

    /** {@return a view whose methods prepare calls that a program repeats with the same arguments} */
    public PreparedNeighbourhood prepare() {
        return new PreparedNeighbourhood(calls);
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Sends the same elements to each target, and receives as many from each source.
     *
     * @param source this rank's elements[|; of the same length at all ranks]
     * @param target the memory for a block of the source's length from each source[; of the source's type, disjoint
     *            from it|]
     * @throws IllegalArgumentException if target is not as described
     */
    public void neighbourAllgather(Span source, Span target) {
        calls.allgather(ArrayViews.span(source), ArrayViews.span(target)).run();
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Sends the same elements to each target, and receives a block of any length from each source.
     *
     * @param source this rank's elements
     * @param target the memory for the blocks[; of the source's type, disjoint from it|]; elements outside the blocks
     *            stay unchanged
     * @param blocks the position and the length of the block from each source in the target
     * @throws IllegalArgumentException if the blocks overlap or do not lie in target, or their number is not that of
     *             the sources
     */
    public void neighbourAllgather(Span source, Span target, Blocks blocks) {
        calls.allgather(ArrayViews.span(source), ArrayViews.span(target), blocks).run();
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Sends a block to each target, and receives a block of the same length from each source.
     *
     * @param source the memory with a block for each target
     * @param target the memory for a block from each source[; of the source's type, disjoint from it|]
     * @throws IllegalArgumentException if source or target cannot be divided into such blocks
     */
    public void neighbourAllToAll(Span source, Span target) {
        calls.allToAll(ArrayViews.span(source), ArrayViews.span(target)).run();
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Sends a block of any length to each target, and receives a block of any length from each source.
     *
     * @param source the memory with the blocks for all targets
     * @param sourceBlocks the position and the length of the block for each target in the source
     * @param target the memory for the blocks from all sources[; of the source's type, disjoint from it|]; elements
     *            outside the blocks stay unchanged
     * @param targetBlocks the position and the length of the block from each source in the target
     * @throws IllegalArgumentException if the blocks do not lie in source or target, blocks of the target overlap, or
     *             the numbers of blocks are not those of targets and sources
     */
    public void neighbourAllToAll(Span source, Blocks sourceBlocks, Span target, Blocks targetBlocks) {
        calls.allToAll(ArrayViews.span(source), sourceBlocks, ArrayViews.span(target), targetBlocks).run();
    }

    /**
     * Closes the neighbourhood, its views and its {@link #communicator} at this rank, without waiting for other ranks.
     * Closing again has no effect.
     *
     * @throws IllegalStateException if a call on the communicator is in flight, or memory that it has allocated is open
     */
    @Override
    public void close() {
        try (communicator) { // closed last, and also after an exception
            messages.close();
        }
    }
}
