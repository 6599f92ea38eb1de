/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * The collectives of a {@link Communicator}, prepared: the same names and arguments, but each call returns a {@link
 * PreparedCall}, which does it as often as it is told to. What was checked and chosen then is not checked and chosen
 * again.
 *
 * <p>Nothing is communicated by preparing, and ranks need not do so alike: one may call what another one has prepared.
 *
 * <p><b>Arguments.</b> A prepared call reads and writes the same arrays and memory each time. It keeps them alive.
 * Memory must be accessible to other threads, as that of a confined arena is not.
 */
public abstract class PreparedCommunicator {
    private static final Runnable NOTHING = () -> {
    };

    private final ArrayViews<MemorySegment> segments = ArrayViews.segments(0);
    private final ArrayViews<Span> booleans = ArrayViews.booleans(0);

    /**
     * For Tutti's own implementation only.
     */
    protected PreparedCommunicator() {}

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
     * @return the prepared call
     */
    public abstract PreparedCall barrier();

    // all calls of NonBlockingCommunicator, each of which returns a PreparedCall

    /** Where a side has blocks, all of them lie in the data. */
    private PreparedCall callInPlace(Collective collective, MemorySegment data, DataType type, long length,
            @Nullable Reduction reduction, int root, Runnable beforehand, Runnable afterwards) {
        long count = Arguments.countInPlace(collective, length, rank(), root, size());
        return call(collective, data, data, type, count, reduction, root, beforehand, afterwards);
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
     * @param beforehand is run each time before the data are read
     * @param afterwards is run each time when the data are there
     * @return the prepared call
     */
    protected abstract PreparedCall call(Collective collective, MemorySegment source, MemorySegment target,
            DataType type, long count, @Nullable Reduction reduction, int root, Runnable beforehand,
            Runnable afterwards);

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
     * @param beforehand is run each time before the data are read
     * @param afterwards is run each time when the data are there
     * @return the prepared call
     */
    protected abstract PreparedCall callWithBlocks(Collective collective, MemorySegment source, MemorySegment target,
            DataType type, long count, @Nullable Blocks sourceBlocks, @Nullable Blocks targetBlocks,
            @Nullable Reduction reduction, int root, Runnable beforehand, Runnable afterwards);
}
