/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * The collectives of a {@link Communicator} for repeated use. The methods have the same names and arguments, but each
 * returns a {@link PreparedCall}, which can be made any number of times. Tutti checks the arguments and chooses the
 * algorithm only once, when the call is prepared.
 *
 * <p>Preparing a call communicates nothing, and the other ranks need not prepare it: one rank may call directly what
 * another rank has prepared.
 *
 * <p><b>Arguments.</b> A prepared call reads and writes the same arrays and memory each time, and keeps them reachable.
 * Memory must be accessible to other threads; the memory of a confined arena is not.
 */
public abstract class PreparedCommunicator {
    private static final Runnable NOTHING = () -> {
    };

    private final ArrayViews<MemorySegment> segments = ArrayViews.segments(0);
    private final ArrayViews<Span> booleans = ArrayViews.booleans(0);

    /**
     * Constructor for Tutti's own implementation only.
     */
    protected PreparedCommunicator() {}

    /**
     * {@return this rank's number in the communicator}
     */
    protected abstract int rank();

    /**
     * {@return the number of ranks of the communicator}
     */
    protected abstract int size();

    /**
     * Prepares {@link Communicator#barrier()}.
     *
     * @return the prepared call
     */
    public abstract PreparedCall barrier();

    // all calls of NonBlockingCommunicator, each of which returns a PreparedCall

    /** Prepares a call in place. If source or target has a block for each rank, all these blocks lie in the data. */
    private PreparedCall callInPlace(Collective collective, MemorySegment data, DataType type, long length,
            @Nullable Reduction reduction, int root, Runnable beforehand, Runnable afterwards) {
        long count = Arguments.countInPlace(collective, length, rank(), root, size());
        return call(collective, data, data, type, count, reduction, root, beforehand, afterwards);
    }

    /**
     * Prepares a collective call with elements. All public forms of such calls end here.
     *
     * @param collective the operation
     * @param source this rank's elements; the target if the call is in place, or if this rank sends none
     * @param target receives the result; the source if the call is in place, or if this rank receives none
     * @param type the type of the elements
     * @param count the number of elements; those of one block if source or target has a block for each rank
     * @param reduction the operator, null if nothing is combined
     * @param root the root, 0 if the operation has none
     * @param beforehand an action to run each time before the data are read
     * @param afterwards an action to run each time when the data have arrived
     * @return the prepared call
     */
    protected abstract PreparedCall call(Collective collective, MemorySegment source, MemorySegment target,
            DataType type, long count, @Nullable Reduction reduction, int root, Runnable beforehand,
            Runnable afterwards);

    /**
     * Prepares a collective call with blocks that may differ in length. All public forms of such calls end here.
     *
     * @param collective the operation
     * @param source this rank's elements; the target if the call is in place, or if this rank sends none
     * @param target receives the result; the source if the call is in place, or if this rank receives none
     * @param type the type of the elements
     * @param count the number of elements of source or target if it is a single block
     * @param sourceBlocks the blocks of the source, null if it has none
     * @param targetBlocks the blocks of the target, null if it has none
     * @param reduction the operator, null if nothing is combined
     * @param root the root, 0 if the operation has none
     * @param beforehand an action to run each time before the data are read
     * @param afterwards an action to run each time when the data have arrived
     * @return the prepared call
     */
    protected abstract PreparedCall callWithBlocks(Collective collective, MemorySegment source, MemorySegment target,
            DataType type, long count, @Nullable Blocks sourceBlocks, @Nullable Blocks targetBlocks,
            @Nullable Reduction reduction, int root, Runnable beforehand, Runnable afterwards);
}
