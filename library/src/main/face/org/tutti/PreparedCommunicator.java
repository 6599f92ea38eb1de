/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * Prepares collectives and messages that a program repeats with the same arguments. The methods have the same names and
 * arguments as those of {@link Communicator}, but each returns a {@link PreparedCall}, which the program can run any
 * number of times. A receive returns a {@link PreparedReceive}. Tutti checks the arguments and chooses the algorithm
 * only once, when the call is prepared.
 *
 * <p>Preparing a call communicates nothing, and the other ranks need not prepare it. One rank may run a prepared call
 * while another rank calls the method of its {@code Communicator}.
 *
 * <p><b>Arguments.</b> A prepared call reads and writes the same arrays and memory each time. It refers to them, so the
 * garbage collector does not free them. Memory must be accessible to other threads; the memory of a confined arena is
 * not.
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
     * @return the call, which can be run any number of times
     */
    public abstract PreparedCall barrier();

    // all calls of NonBlockingCommunicator, prepared

    /**
     * Prepares a send, for Tutti's own implementation only.
     *
     * @param source the elements
     * @param type the type of the elements
     * @param target the rank that receives
     * @param tag the tag
     * @param isSynchronous whether a send ends only when a receive has matched the message
     * @param beforehand an action to run each time before the elements are read
     * @return the call, which can be run any number of times
     */
    protected abstract PreparedCall sendMessage(MemorySegment source, DataType type, int target, int tag,
            boolean isSynchronous, Runnable beforehand);

    /**
     * Prepares a receive, for Tutti's own implementation only.
     *
     * @param target the memory for the elements
     * @param type the type of the elements
     * @param source the rank that sends, or {@link Messenger#ANY_RANK}
     * @param tag the tag, or {@link Messenger#ANY_TAG}
     * @param beforehand an action to run each time before the elements are written
     * @param afterwards an action to run each time when the elements have come
     * @return the call, which can be run any number of times
     */
    protected abstract PreparedReceive receiveMessage(MemorySegment target, DataType type, int source, int tag,
            Runnable beforehand, Runnable afterwards);

    /** Prepares a call in place. If source or target has a block for each rank, all these blocks lie in the data. */
    private PreparedCall callInPlace(Collective collective, MemorySegment data, DataType type, long length,
            @Nullable Reduction reduction, int root, Runnable beforehand, Runnable afterwards) {
        long count = Arguments.countInPlace(collective, length, rank(), root, size());
        return call(collective, data, data, type, count, reduction, root, beforehand, afterwards);
    }

    /**
     * Prepares a collective on elements in memory, and communicates nothing. All public calls with arrays or spans,
     * except those with {@link Blocks}, end here.
     *
     * @param collective the collective
     * @param source this rank's elements; the target if the call is in place, or if this rank sends none
     * @param target the memory that receives the result; the source if the call is in place, or if this rank receives
     *            none
     * @param type the type of the elements
     * @param count the number of elements, or those of one block if source or target has a block for each rank
     * @param reduction the operator, null if nothing is combined
     * @param root the root, 0 if the operation has none
     * @param beforehand an action to run each time before the data are read
     * @param afterwards an action to run each time when the data have arrived
     * @return the call, which can be run any number of times
     */
    protected abstract PreparedCall call(Collective collective, MemorySegment source, MemorySegment target,
            DataType type, long count, @Nullable Reduction reduction, int root, Runnable beforehand,
            Runnable afterwards);

    /**
     * Prepares a collective with blocks that may differ in length, and communicates nothing. All public calls with
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
     * @param beforehand an action to run each time before the data are read
     * @param afterwards an action to run each time when the data have arrived
     * @return the call, which can be run any number of times
     */
    protected abstract PreparedCall callWithBlocks(Collective collective, MemorySegment source, MemorySegment target,
            DataType type, long count, @Nullable Blocks sourceBlocks, @Nullable Blocks targetBlocks,
            @Nullable Reduction reduction, int root, Runnable beforehand, Runnable afterwards);
}
