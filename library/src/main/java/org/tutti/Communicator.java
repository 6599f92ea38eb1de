/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Objects;

/**
 * An ordered group of ranks that performs collective operations. Every rank of the group has its own object, and all
 * must call the same operations in the same order, with the same root, count, type and operator; a difference is
 * reported as {@link CollectiveMismatchException}, in that call or in the next one in which ranks wait for each other.
 *
 * <p><b>Threads.</b> A communicator is used by one thread at a time. Two at once are noticed at best effort and get an
 * {@link IllegalStateException}.
 *
 * <p><b>Memory ordering.</b> What a rank did before it entered an operation is visible to every rank that received its
 * contribution (after a barrier: to all), once the operation has returned there.
 *
 * <p><b>Completion.</b> When a call returns, its arrays may be used again on this rank. Only {@link #barrier()} and
 * {@code allreduce} tell something about other ranks; a root may return from {@code broadcast}, and a rank that is not
 * root from {@code reduce}, before others have even entered.
 *
 * <p><b>Failure.</b> Calls end with {@link RankFailedException}, {@link DeadlineExceededException},
 * {@link CallInterruptedException}, {@link JobAbortedException}, {@link NodeMemoryException} or
 * {@link CommunicatorBrokenException}; after any of these the communicator stays broken, and the arrays that the call
 * was to write hold unspecified values. Mistakes in arguments are found before anything is communicated and break
 * nothing at this rank.
 *
 * <p><b>Views.</b> {@link #withAlgorithm} and {@link #withDeadline} return views: the same communicator, with another
 * default for calls made through the view.
 *
 * <p>A communicator remembers weakly the arrays of its latest calls, so that calls with the same arrays allocate
 * nothing.
 */
public abstract class Communicator {
    private final ArraySegments segments;

    /**
     * For Tutti's own implementation only.
     */
    protected Communicator() {
        segments = new ArraySegments();
    }

    /**
     * For a view, by Tutti's own implementation only.
     *
     * @param viewed the communicator that this is a view of
     */
    protected Communicator(Communicator viewed) {
        segments = viewed.segments;
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
     * {@return the same collectives, not waiting: each call returns at once with a {@link Request}. What this view has
     * of algorithms and deadlines holds there, too; calls of both faces follow one order}
     */
    public abstract NonBlockingCommunicator nonBlocking();

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
     * @throws NodeMemoryException when a rank's node has too little memory; at every rank, and the communicator can
     *             still be used
     */
    public abstract RemoteMemory allocate(long bytes);

    /**
     * As {@link #allocate(long)}, for so many elements.
     *
     * @param type the type of the elements
     * @param count how many elements this rank gives, 0 or more
     * @return the memory; its offsets are in bytes
     * @throws IllegalArgumentException when they are more than {@link RemoteMemory#BYTES_MAX} bytes
     */
    public RemoteMemory allocate(DataType type, long count) {
        if (count < 0 || count > RemoteMemory.BYTES_MAX / type.bytes()) {
            throw new IllegalArgumentException("rank " + rank() + " cannot allocate " + count + " " + type
                    + " elements: a rank gives 0 to " + RemoteMemory.BYTES_MAX + " bytes");
        }
        return allocate(count * type.bytes());
    }

    /**
     * Copies the root's elements to every rank.
     *
     * @param data at the root what is sent, elsewhere what is overwritten; the same type and count at every rank
     * @param root the rank whose elements are copied
     * @throws IllegalArgumentException when root is no rank of the communicator, or the memory cannot be written
     */
    public void broadcast(Span data, int root) {
        Arguments.checkUsable(data.segment(), "data");
        broadcast(data.segment(), data.type(), data.count(), root);
    }

    /**
     * Combines every rank's elements at the root, in place: the root's elements are replaced by the combination, those
     * of other ranks stay as they are.
     *
     * @param data the elements; the same type and count at every rank
     * @param reduction the operator
     * @param root the rank that receives the combination
     * @throws IllegalArgumentException when root is no rank of the communicator, the operator does not work on the
     *             type, or count is no multiple of its unit
     */
    public void reduce(Span data, Reduction reduction, int root) {
        Arguments.checkUsable(data.segment(), "data");
        reduce(data.segment(), data.segment(), data.type(), data.count(), reduction, root);
    }

    /**
     * Combines every rank's elements at the root.
     *
     * @param source the elements; the same type and count at every rank
     * @param target where the root receives the combination: of the source's type and count, and either the same memory
     *            or apart from it; other ranks may pass null
     * @param reduction the operator
     * @param root the rank that receives the combination
     * @throws IllegalArgumentException when the arguments do not fit each other
     */
    public void reduce(Span source, Span target, Reduction reduction, int root) {
        Arguments.checkUsable(source.segment(), "source");
        if (rank() == root) {
            Arguments.checkFits(source, Objects.requireNonNull(target, "target, which the root needs"));
        }
        reduce(source.segment(), rank() == root ? target.segment() : source.segment(), source.type(), source.count(),
                reduction, root);
    }

    /**
     * Combines every rank's elements at every rank, in place.
     *
     * @param data the elements, replaced by the combination; the same type and count at every rank
     * @param reduction the operator
     * @throws IllegalArgumentException when the operator does not work on the type, or count is no multiple of its unit
     */
    public void allreduce(Span data, Reduction reduction) {
        Arguments.checkUsable(data.segment(), "data");
        allreduce(data.segment(), data.segment(), data.type(), data.count(), reduction);
    }

    /**
     * Combines every rank's elements at every rank.
     *
     * @param source the elements; the same type and count at every rank
     * @param target where the combination goes: of the source's type and count, and either the same memory or apart
     *            from it
     * @param reduction the operator
     * @throws IllegalArgumentException when the arguments do not fit each other
     */
    public void allreduce(Span source, Span target, Reduction reduction) {
        Arguments.checkUsable(source.segment(), "source");
        Arguments.checkFits(source, target);
        allreduce(source.segment(), target.segment(), source.type(), source.count(), reduction);
    }

    /**
     * Copies the root's array to every rank.
     *
     * @param data at the root what is sent, elsewhere what is overwritten; of the same length at every rank
     * @param root the rank whose array is copied
     * @throws IllegalArgumentException when root is no rank of the communicator
     */
    public void broadcast(boolean[] data, int root) {
        try {
            broadcast(segments.staged(data), DataType.BOOLEAN, data.length, root);
            if (rank() != root) {
                segments.unstage(data);
            }
        } finally {
            segments.release();
        }
    }

    /**
     * Combines every rank's array at the root, in place: the root's array is replaced by the combination, those of
     * other ranks stay as they are.
     *
     * @param data the elements; of the same length at every rank
     * @param reduction the operator
     * @param root the rank that receives the combination
     * @throws IllegalArgumentException when root is no rank of the communicator, or the operator does not work on
     *            booleans
     */
    public void reduce(boolean[] data, Reduction reduction, int root) {
        reduce(data, data, reduction, root);
    }

    /**
     * Combines every rank's array at the root.
     *
     * @param source the elements; of the same length at every rank
     * @param target where the root receives the combination, as long as source; other ranks may pass null
     * @param reduction the operator
     * @param root the rank that receives the combination
     * @throws IllegalArgumentException when the arguments do not fit each other
     */
    public void reduce(boolean[] source, boolean[] target, Reduction reduction, int root) {
        if (rank() == root) {
            Objects.requireNonNull(target, "target, which the root needs");
            Arguments.checkLengths(source.length, target.length);
        }
        try {
            MemorySegment segment = segments.staged(source);
            reduce(segment, segment, DataType.BOOLEAN, source.length, reduction, root);
            if (rank() == root) {
                segments.unstage(target);
            }
        } finally {
            segments.release();
        }
    }

    /**
     * Combines every rank's array at every rank, in place.
     *
     * @param data the elements, replaced by the combination; of the same length at every rank
     * @param reduction the operator
     * @throws IllegalArgumentException when the operator does not work on booleans
     */
    public void allreduce(boolean[] data, Reduction reduction) {
        allreduce(data, data, reduction);
    }

    /**
     * Combines every rank's array at every rank.
     *
     * @param source the elements; of the same length at every rank
     * @param target where the combination goes, as long as source
     * @param reduction the operator
     * @throws IllegalArgumentException when the arguments do not fit each other
     */
    public void allreduce(boolean[] source, boolean[] target, Reduction reduction) {
        Arguments.checkLengths(source.length, target.length);
        try {
            MemorySegment segment = segments.staged(source);
            allreduce(segment, segment, DataType.BOOLEAN, source.length, reduction);
            segments.unstage(target);
        } finally {
            segments.release();
        }
    }

    /**
     * Copies the root's array to every rank.
     *
     * @param data at the root what is sent, elsewhere what is overwritten; of the same length at every rank
     * @param root the rank whose array is copied
     * @throws IllegalArgumentException when root is no rank of the communicator
     */
    public void broadcast(byte[] data, int root) {
        broadcast(segments.of(data), DataType.BYTE, data.length, root);
    }

    /**
     * Combines every rank's array at the root, in place: the root's array is replaced by the combination, those of
     * other ranks stay as they are.
     *
     * @param data the elements; of the same length at every rank
     * @param reduction the operator
     * @param root the rank that receives the combination
     * @throws IllegalArgumentException when root is no rank of the communicator, or the operator does not work on the
     *            type
     */
    public void reduce(byte[] data, Reduction reduction, int root) {
        MemorySegment segment = segments.of(data);
        reduce(segment, segment, DataType.BYTE, data.length, reduction, root);
    }

    /**
     * Combines every rank's array at the root.
     *
     * @param source the elements; of the same length at every rank
     * @param target where the root receives the combination, as long as source; other ranks may pass null
     * @param reduction the operator
     * @param root the rank that receives the combination
     * @throws IllegalArgumentException when the arguments do not fit each other
     */
    public void reduce(byte[] source, byte[] target, Reduction reduction, int root) {
        MemorySegment segment = segments.of(source);
        if (rank() == root) {
            Objects.requireNonNull(target, "target, which the root needs");
            Arguments.checkLengths(source.length, target.length);
            reduce(segment, segments.of(target), DataType.BYTE, source.length, reduction, root);
        } else {
            reduce(segment, segment, DataType.BYTE, source.length, reduction, root);
        }
    }

    /**
     * Combines every rank's array at every rank, in place.
     *
     * @param data the elements, replaced by the combination; of the same length at every rank
     * @param reduction the operator
     * @throws IllegalArgumentException when the operator does not work on the type, or the length is no multiple of its
     *            unit
     */
    public void allreduce(byte[] data, Reduction reduction) {
        MemorySegment segment = segments.of(data);
        allreduce(segment, segment, DataType.BYTE, data.length, reduction);
    }

    /**
     * Combines every rank's array at every rank.
     *
     * @param source the elements; of the same length at every rank
     * @param target where the combination goes, as long as source
     * @param reduction the operator
     * @throws IllegalArgumentException when the arguments do not fit each other
     */
    public void allreduce(byte[] source, byte[] target, Reduction reduction) {
        Arguments.checkLengths(source.length, target.length);
        allreduce(segments.of(source), segments.of(target), DataType.BYTE, source.length, reduction);
    }

    /**
     * Copies the root's array to every rank.
     *
     * @param data at the root what is sent, elsewhere what is overwritten; of the same length at every rank
     * @param root the rank whose array is copied
     * @throws IllegalArgumentException when root is no rank of the communicator
     */
    public void broadcast(char[] data, int root) {
        broadcast(segments.of(data), DataType.CHAR, data.length, root);
    }

    /**
     * Combines every rank's array at the root, in place: the root's array is replaced by the combination, those of
     * other ranks stay as they are.
     *
     * @param data the elements; of the same length at every rank
     * @param reduction the operator
     * @param root the rank that receives the combination
     * @throws IllegalArgumentException when root is no rank of the communicator, or the operator does not work on the
     *            type
     */
    public void reduce(char[] data, Reduction reduction, int root) {
        MemorySegment segment = segments.of(data);
        reduce(segment, segment, DataType.CHAR, data.length, reduction, root);
    }

    /**
     * Combines every rank's array at the root.
     *
     * @param source the elements; of the same length at every rank
     * @param target where the root receives the combination, as long as source; other ranks may pass null
     * @param reduction the operator
     * @param root the rank that receives the combination
     * @throws IllegalArgumentException when the arguments do not fit each other
     */
    public void reduce(char[] source, char[] target, Reduction reduction, int root) {
        MemorySegment segment = segments.of(source);
        if (rank() == root) {
            Objects.requireNonNull(target, "target, which the root needs");
            Arguments.checkLengths(source.length, target.length);
            reduce(segment, segments.of(target), DataType.CHAR, source.length, reduction, root);
        } else {
            reduce(segment, segment, DataType.CHAR, source.length, reduction, root);
        }
    }

    /**
     * Combines every rank's array at every rank, in place.
     *
     * @param data the elements, replaced by the combination; of the same length at every rank
     * @param reduction the operator
     * @throws IllegalArgumentException when the operator does not work on the type, or the length is no multiple of its
     *            unit
     */
    public void allreduce(char[] data, Reduction reduction) {
        MemorySegment segment = segments.of(data);
        allreduce(segment, segment, DataType.CHAR, data.length, reduction);
    }

    /**
     * Combines every rank's array at every rank.
     *
     * @param source the elements; of the same length at every rank
     * @param target where the combination goes, as long as source
     * @param reduction the operator
     * @throws IllegalArgumentException when the arguments do not fit each other
     */
    public void allreduce(char[] source, char[] target, Reduction reduction) {
        Arguments.checkLengths(source.length, target.length);
        allreduce(segments.of(source), segments.of(target), DataType.CHAR, source.length, reduction);
    }

    /**
     * Copies the root's array to every rank.
     *
     * @param data at the root what is sent, elsewhere what is overwritten; of the same length at every rank
     * @param root the rank whose array is copied
     * @throws IllegalArgumentException when root is no rank of the communicator
     */
    public void broadcast(short[] data, int root) {
        broadcast(segments.of(data), DataType.SHORT, data.length, root);
    }

    /**
     * Combines every rank's array at the root, in place: the root's array is replaced by the combination, those of
     * other ranks stay as they are.
     *
     * @param data the elements; of the same length at every rank
     * @param reduction the operator
     * @param root the rank that receives the combination
     * @throws IllegalArgumentException when root is no rank of the communicator, or the operator does not work on the
     *            type
     */
    public void reduce(short[] data, Reduction reduction, int root) {
        MemorySegment segment = segments.of(data);
        reduce(segment, segment, DataType.SHORT, data.length, reduction, root);
    }

    /**
     * Combines every rank's array at the root.
     *
     * @param source the elements; of the same length at every rank
     * @param target where the root receives the combination, as long as source; other ranks may pass null
     * @param reduction the operator
     * @param root the rank that receives the combination
     * @throws IllegalArgumentException when the arguments do not fit each other
     */
    public void reduce(short[] source, short[] target, Reduction reduction, int root) {
        MemorySegment segment = segments.of(source);
        if (rank() == root) {
            Objects.requireNonNull(target, "target, which the root needs");
            Arguments.checkLengths(source.length, target.length);
            reduce(segment, segments.of(target), DataType.SHORT, source.length, reduction, root);
        } else {
            reduce(segment, segment, DataType.SHORT, source.length, reduction, root);
        }
    }

    /**
     * Combines every rank's array at every rank, in place.
     *
     * @param data the elements, replaced by the combination; of the same length at every rank
     * @param reduction the operator
     * @throws IllegalArgumentException when the operator does not work on the type, or the length is no multiple of its
     *            unit
     */
    public void allreduce(short[] data, Reduction reduction) {
        MemorySegment segment = segments.of(data);
        allreduce(segment, segment, DataType.SHORT, data.length, reduction);
    }

    /**
     * Combines every rank's array at every rank.
     *
     * @param source the elements; of the same length at every rank
     * @param target where the combination goes, as long as source
     * @param reduction the operator
     * @throws IllegalArgumentException when the arguments do not fit each other
     */
    public void allreduce(short[] source, short[] target, Reduction reduction) {
        Arguments.checkLengths(source.length, target.length);
        allreduce(segments.of(source), segments.of(target), DataType.SHORT, source.length, reduction);
    }

    /**
     * Copies the root's array to every rank.
     *
     * @param data at the root what is sent, elsewhere what is overwritten; of the same length at every rank
     * @param root the rank whose array is copied
     * @throws IllegalArgumentException when root is no rank of the communicator
     */
    public void broadcast(int[] data, int root) {
        broadcast(segments.of(data), DataType.INT, data.length, root);
    }

    /**
     * Combines every rank's array at the root, in place: the root's array is replaced by the combination, those of
     * other ranks stay as they are.
     *
     * @param data the elements; of the same length at every rank
     * @param reduction the operator
     * @param root the rank that receives the combination
     * @throws IllegalArgumentException when root is no rank of the communicator, or the operator does not work on the
     *            type
     */
    public void reduce(int[] data, Reduction reduction, int root) {
        MemorySegment segment = segments.of(data);
        reduce(segment, segment, DataType.INT, data.length, reduction, root);
    }

    /**
     * Combines every rank's array at the root.
     *
     * @param source the elements; of the same length at every rank
     * @param target where the root receives the combination, as long as source; other ranks may pass null
     * @param reduction the operator
     * @param root the rank that receives the combination
     * @throws IllegalArgumentException when the arguments do not fit each other
     */
    public void reduce(int[] source, int[] target, Reduction reduction, int root) {
        MemorySegment segment = segments.of(source);
        if (rank() == root) {
            Objects.requireNonNull(target, "target, which the root needs");
            Arguments.checkLengths(source.length, target.length);
            reduce(segment, segments.of(target), DataType.INT, source.length, reduction, root);
        } else {
            reduce(segment, segment, DataType.INT, source.length, reduction, root);
        }
    }

    /**
     * Combines every rank's array at every rank, in place.
     *
     * @param data the elements, replaced by the combination; of the same length at every rank
     * @param reduction the operator
     * @throws IllegalArgumentException when the operator does not work on the type, or the length is no multiple of its
     *            unit
     */
    public void allreduce(int[] data, Reduction reduction) {
        MemorySegment segment = segments.of(data);
        allreduce(segment, segment, DataType.INT, data.length, reduction);
    }

    /**
     * Combines every rank's array at every rank.
     *
     * @param source the elements; of the same length at every rank
     * @param target where the combination goes, as long as source
     * @param reduction the operator
     * @throws IllegalArgumentException when the arguments do not fit each other
     */
    public void allreduce(int[] source, int[] target, Reduction reduction) {
        Arguments.checkLengths(source.length, target.length);
        allreduce(segments.of(source), segments.of(target), DataType.INT, source.length, reduction);
    }

    /**
     * Copies the root's array to every rank.
     *
     * @param data at the root what is sent, elsewhere what is overwritten; of the same length at every rank
     * @param root the rank whose array is copied
     * @throws IllegalArgumentException when root is no rank of the communicator
     */
    public void broadcast(long[] data, int root) {
        broadcast(segments.of(data), DataType.LONG, data.length, root);
    }

    /**
     * Combines every rank's array at the root, in place: the root's array is replaced by the combination, those of
     * other ranks stay as they are.
     *
     * @param data the elements; of the same length at every rank
     * @param reduction the operator
     * @param root the rank that receives the combination
     * @throws IllegalArgumentException when root is no rank of the communicator, or the operator does not work on the
     *            type
     */
    public void reduce(long[] data, Reduction reduction, int root) {
        MemorySegment segment = segments.of(data);
        reduce(segment, segment, DataType.LONG, data.length, reduction, root);
    }

    /**
     * Combines every rank's array at the root.
     *
     * @param source the elements; of the same length at every rank
     * @param target where the root receives the combination, as long as source; other ranks may pass null
     * @param reduction the operator
     * @param root the rank that receives the combination
     * @throws IllegalArgumentException when the arguments do not fit each other
     */
    public void reduce(long[] source, long[] target, Reduction reduction, int root) {
        MemorySegment segment = segments.of(source);
        if (rank() == root) {
            Objects.requireNonNull(target, "target, which the root needs");
            Arguments.checkLengths(source.length, target.length);
            reduce(segment, segments.of(target), DataType.LONG, source.length, reduction, root);
        } else {
            reduce(segment, segment, DataType.LONG, source.length, reduction, root);
        }
    }

    /**
     * Combines every rank's array at every rank, in place.
     *
     * @param data the elements, replaced by the combination; of the same length at every rank
     * @param reduction the operator
     * @throws IllegalArgumentException when the operator does not work on the type, or the length is no multiple of its
     *            unit
     */
    public void allreduce(long[] data, Reduction reduction) {
        MemorySegment segment = segments.of(data);
        allreduce(segment, segment, DataType.LONG, data.length, reduction);
    }

    /**
     * Combines every rank's array at every rank.
     *
     * @param source the elements; of the same length at every rank
     * @param target where the combination goes, as long as source
     * @param reduction the operator
     * @throws IllegalArgumentException when the arguments do not fit each other
     */
    public void allreduce(long[] source, long[] target, Reduction reduction) {
        Arguments.checkLengths(source.length, target.length);
        allreduce(segments.of(source), segments.of(target), DataType.LONG, source.length, reduction);
    }

    /**
     * Copies the root's array to every rank.
     *
     * @param data at the root what is sent, elsewhere what is overwritten; of the same length at every rank
     * @param root the rank whose array is copied
     * @throws IllegalArgumentException when root is no rank of the communicator
     */
    public void broadcast(float[] data, int root) {
        broadcast(segments.of(data), DataType.FLOAT, data.length, root);
    }

    /**
     * Combines every rank's array at the root, in place: the root's array is replaced by the combination, those of
     * other ranks stay as they are.
     *
     * @param data the elements; of the same length at every rank
     * @param reduction the operator
     * @param root the rank that receives the combination
     * @throws IllegalArgumentException when root is no rank of the communicator, or the operator does not work on the
     *            type
     */
    public void reduce(float[] data, Reduction reduction, int root) {
        MemorySegment segment = segments.of(data);
        reduce(segment, segment, DataType.FLOAT, data.length, reduction, root);
    }

    /**
     * Combines every rank's array at the root.
     *
     * @param source the elements; of the same length at every rank
     * @param target where the root receives the combination, as long as source; other ranks may pass null
     * @param reduction the operator
     * @param root the rank that receives the combination
     * @throws IllegalArgumentException when the arguments do not fit each other
     */
    public void reduce(float[] source, float[] target, Reduction reduction, int root) {
        MemorySegment segment = segments.of(source);
        if (rank() == root) {
            Objects.requireNonNull(target, "target, which the root needs");
            Arguments.checkLengths(source.length, target.length);
            reduce(segment, segments.of(target), DataType.FLOAT, source.length, reduction, root);
        } else {
            reduce(segment, segment, DataType.FLOAT, source.length, reduction, root);
        }
    }

    /**
     * Combines every rank's array at every rank, in place.
     *
     * @param data the elements, replaced by the combination; of the same length at every rank
     * @param reduction the operator
     * @throws IllegalArgumentException when the operator does not work on the type, or the length is no multiple of its
     *            unit
     */
    public void allreduce(float[] data, Reduction reduction) {
        MemorySegment segment = segments.of(data);
        allreduce(segment, segment, DataType.FLOAT, data.length, reduction);
    }

    /**
     * Combines every rank's array at every rank.
     *
     * @param source the elements; of the same length at every rank
     * @param target where the combination goes, as long as source
     * @param reduction the operator
     * @throws IllegalArgumentException when the arguments do not fit each other
     */
    public void allreduce(float[] source, float[] target, Reduction reduction) {
        Arguments.checkLengths(source.length, target.length);
        allreduce(segments.of(source), segments.of(target), DataType.FLOAT, source.length, reduction);
    }

    /**
     * Copies the root's array to every rank.
     *
     * @param data at the root what is sent, elsewhere what is overwritten; of the same length at every rank
     * @param root the rank whose array is copied
     * @throws IllegalArgumentException when root is no rank of the communicator
     */
    public void broadcast(double[] data, int root) {
        broadcast(segments.of(data), DataType.DOUBLE, data.length, root);
    }

    /**
     * Combines every rank's array at the root, in place: the root's array is replaced by the combination, those of
     * other ranks stay as they are.
     *
     * @param data the elements; of the same length at every rank
     * @param reduction the operator
     * @param root the rank that receives the combination
     * @throws IllegalArgumentException when root is no rank of the communicator, or the operator does not work on the
     *            type
     */
    public void reduce(double[] data, Reduction reduction, int root) {
        MemorySegment segment = segments.of(data);
        reduce(segment, segment, DataType.DOUBLE, data.length, reduction, root);
    }

    /**
     * Combines every rank's array at the root.
     *
     * @param source the elements; of the same length at every rank
     * @param target where the root receives the combination, as long as source; other ranks may pass null
     * @param reduction the operator
     * @param root the rank that receives the combination
     * @throws IllegalArgumentException when the arguments do not fit each other
     */
    public void reduce(double[] source, double[] target, Reduction reduction, int root) {
        MemorySegment segment = segments.of(source);
        if (rank() == root) {
            Objects.requireNonNull(target, "target, which the root needs");
            Arguments.checkLengths(source.length, target.length);
            reduce(segment, segments.of(target), DataType.DOUBLE, source.length, reduction, root);
        } else {
            reduce(segment, segment, DataType.DOUBLE, source.length, reduction, root);
        }
    }

    /**
     * Combines every rank's array at every rank, in place.
     *
     * @param data the elements, replaced by the combination; of the same length at every rank
     * @param reduction the operator
     * @throws IllegalArgumentException when the operator does not work on the type, or the length is no multiple of its
     *            unit
     */
    public void allreduce(double[] data, Reduction reduction) {
        MemorySegment segment = segments.of(data);
        allreduce(segment, segment, DataType.DOUBLE, data.length, reduction);
    }

    /**
     * Combines every rank's array at every rank.
     *
     * @param source the elements; of the same length at every rank
     * @param target where the combination goes, as long as source
     * @param reduction the operator
     * @throws IllegalArgumentException when the arguments do not fit each other
     */
    public void allreduce(double[] source, double[] target, Reduction reduction) {
        Arguments.checkLengths(source.length, target.length);
        allreduce(segments.of(source), segments.of(target), DataType.DOUBLE, source.length, reduction);
    }

    /**
     * What all forms of broadcast end in.
     *
     * @param data the root's elements, overwritten elsewhere
     * @param type the type of the elements
     * @param count how many elements
     * @param root the sending rank
     */
    protected abstract void broadcast(MemorySegment data, DataType type, long count, int root);

    /**
     * What all forms of reduce end in.
     *
     * @param source this rank's elements
     * @param target at the root where the combination goes; elsewhere not used
     * @param type the type of the elements
     * @param count how many elements
     * @param reduction the operator
     * @param root the receiving rank
     */
    protected abstract void reduce(MemorySegment source, MemorySegment target, DataType type, long count,
            Reduction reduction, int root);

    /**
     * What all forms of allreduce end in.
     *
     * @param source this rank's elements
     * @param target where the combination goes
     * @param type the type of the elements
     * @param count how many elements
     * @param reduction the operator
     */
    protected abstract void allreduce(MemorySegment source, MemorySegment target, DataType type, long count,
            Reduction reduction);
}
