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

    /**
     * For Tutti's own implementation only.
     */
    protected NonBlockingCommunicator() {}

    /**
     * {@return this rank's number in the communicator}
     */
    protected abstract int rank();

    /**
     * As {@link Communicator#barrier()}.
     *
     * @return the request
     */
    public abstract Request barrier();

    /**
     * As {@link Communicator#broadcast(Span, int)}.
     *
     * @param data the elements
     * @param root the sending rank
     * @return the request
     */
    public Request broadcast(Span data, int root) {
        Arguments.checkShareable(data.segment(), "data");
        return broadcast(data.segment(), data.type(), data.count(), root, NOTHING);
    }

    /**
     * As {@link Communicator#reduce(Span, Reduction, int)}.
     *
     * @param data the elements
     * @param reduction the operator
     * @param root the receiving rank
     * @return the request
     */
    public Request reduce(Span data, Reduction reduction, int root) {
        Arguments.checkShareable(data.segment(), "data");
        return reduce(data.segment(), data.segment(), data.type(), data.count(), reduction, root, NOTHING);
    }

    /**
     * As {@link Communicator#reduce(Span, Span, Reduction, int)}.
     *
     * @param source the elements
     * @param target where the root receives the combination; other ranks may pass null
     * @param reduction the operator
     * @param root the receiving rank
     * @return the request
     */
    public Request reduce(Span source, Span target, Reduction reduction, int root) {
        Arguments.checkShareable(source.segment(), "source");
        if (rank() == root) {
            Arguments.checkFits(source, Objects.requireNonNull(target, "target, which the root needs"));
            Arguments.checkShareable(target.segment(), "target");
        }
        return reduce(source.segment(), rank() == root ? target.segment() : source.segment(), source.type(),
                source.count(), reduction, root, NOTHING);
    }

    /**
     * As {@link Communicator#allreduce(Span, Reduction)}.
     *
     * @param data the elements
     * @param reduction the operator
     * @return the request
     */
    public Request allreduce(Span data, Reduction reduction) {
        Arguments.checkShareable(data.segment(), "data");
        return allreduce(data.segment(), data.segment(), data.type(), data.count(), reduction, NOTHING);
    }

    /**
     * As {@link Communicator#allreduce(Span, Span, Reduction)}.
     *
     * @param source the elements
     * @param target where the combination goes
     * @param reduction the operator
     * @return the request
     */
    public Request allreduce(Span source, Span target, Reduction reduction) {
        Arguments.checkShareable(source.segment(), "source");
        Arguments.checkFits(source, target);
        Arguments.checkShareable(target.segment(), "target");
        return allreduce(source.segment(), target.segment(), source.type(), source.count(), reduction, NOTHING);
    }

    /**
     * As {@link Communicator#broadcast(boolean[], int)}.
     *
     * @param data the elements
     * @param root the root
     * @return the request
     */
    public Request broadcast(boolean[] data, int root) {
        byte[] staged = stage(data);
        return broadcast(MemorySegment.ofArray(staged), DataType.BOOLEAN, data.length, root,
                rank() == root ? NOTHING : () -> unstage(staged, data));
    }

    /**
     * As {@link Communicator#reduce(boolean[], Reduction, int)}.
     *
     * @param data the elements
     * @param reduction the operator
     * @param root the root
     * @return the request
     */
    public Request reduce(boolean[] data, Reduction reduction, int root) {
        return reduce(data, data, reduction, root);
    }

    /**
     * As {@link Communicator#reduce(boolean[], boolean[], Reduction, int)}.
     *
     * @param source the elements
     * @param target where the combination goes
     * @param reduction the operator
     * @param root the root
     * @return the request
     */
    public Request reduce(boolean[] source, boolean[] target, Reduction reduction, int root) {
        if (rank() == root) {
            Objects.requireNonNull(target, "target, which the root needs");
            Arguments.checkLengths(source.length, target.length);
        }
        byte[] staged = stage(source);
        MemorySegment segment = MemorySegment.ofArray(staged);
        return reduce(segment, segment, DataType.BOOLEAN, source.length, reduction, root,
                rank() == root ? () -> unstage(staged, target) : NOTHING);
    }

    /**
     * As {@link Communicator#allreduce(boolean[], Reduction)}.
     *
     * @param data the elements
     * @param reduction the operator
     * @return the request
     */
    public Request allreduce(boolean[] data, Reduction reduction) {
        return allreduce(data, data, reduction);
    }

    /**
     * As {@link Communicator#allreduce(boolean[], boolean[], Reduction)}.
     *
     * @param source the elements
     * @param target where the combination goes
     * @param reduction the operator
     * @return the request
     */
    public Request allreduce(boolean[] source, boolean[] target, Reduction reduction) {
        Arguments.checkLengths(source.length, target.length);
        byte[] staged = stage(source);
        MemorySegment segment = MemorySegment.ofArray(staged);
        return allreduce(segment, segment, DataType.BOOLEAN, source.length, reduction, () -> unstage(staged, target));
    }

    /**
     * As {@link Communicator#broadcast(byte[], int)}.
     *
     * @param data the elements
     * @param root the root
     * @return the request
     */
    public Request broadcast(byte[] data, int root) {
        return broadcast(MemorySegment.ofArray(data), DataType.BYTE, data.length, root, NOTHING);
    }

    /**
     * As {@link Communicator#reduce(byte[], Reduction, int)}.
     *
     * @param data the elements
     * @param reduction the operator
     * @param root the root
     * @return the request
     */
    public Request reduce(byte[] data, Reduction reduction, int root) {
        MemorySegment segment = MemorySegment.ofArray(data);
        return reduce(segment, segment, DataType.BYTE, data.length, reduction, root, NOTHING);
    }

    /**
     * As {@link Communicator#reduce(byte[], byte[], Reduction, int)}.
     *
     * @param source the elements
     * @param target where the combination goes
     * @param reduction the operator
     * @param root the root
     * @return the request
     */
    public Request reduce(byte[] source, byte[] target, Reduction reduction, int root) {
        if (rank() == root) {
            Objects.requireNonNull(target, "target, which the root needs");
            Arguments.checkLengths(source.length, target.length);
        }
        MemorySegment segment = MemorySegment.ofArray(source);
        return reduce(segment, rank() == root ? MemorySegment.ofArray(target) : segment, DataType.BYTE, source.length,
                reduction, root, NOTHING);
    }

    /**
     * As {@link Communicator#allreduce(byte[], Reduction)}.
     *
     * @param data the elements
     * @param reduction the operator
     * @return the request
     */
    public Request allreduce(byte[] data, Reduction reduction) {
        MemorySegment segment = MemorySegment.ofArray(data);
        return allreduce(segment, segment, DataType.BYTE, data.length, reduction, NOTHING);
    }

    /**
     * As {@link Communicator#allreduce(byte[], byte[], Reduction)}.
     *
     * @param source the elements
     * @param target where the combination goes
     * @param reduction the operator
     * @return the request
     */
    public Request allreduce(byte[] source, byte[] target, Reduction reduction) {
        Arguments.checkLengths(source.length, target.length);
        return allreduce(MemorySegment.ofArray(source), MemorySegment.ofArray(target), DataType.BYTE, source.length,
                reduction, NOTHING);
    }

    /**
     * As {@link Communicator#broadcast(char[], int)}.
     *
     * @param data the elements
     * @param root the root
     * @return the request
     */
    public Request broadcast(char[] data, int root) {
        return broadcast(MemorySegment.ofArray(data), DataType.CHAR, data.length, root, NOTHING);
    }

    /**
     * As {@link Communicator#reduce(char[], Reduction, int)}.
     *
     * @param data the elements
     * @param reduction the operator
     * @param root the root
     * @return the request
     */
    public Request reduce(char[] data, Reduction reduction, int root) {
        MemorySegment segment = MemorySegment.ofArray(data);
        return reduce(segment, segment, DataType.CHAR, data.length, reduction, root, NOTHING);
    }

    /**
     * As {@link Communicator#reduce(char[], char[], Reduction, int)}.
     *
     * @param source the elements
     * @param target where the combination goes
     * @param reduction the operator
     * @param root the root
     * @return the request
     */
    public Request reduce(char[] source, char[] target, Reduction reduction, int root) {
        if (rank() == root) {
            Objects.requireNonNull(target, "target, which the root needs");
            Arguments.checkLengths(source.length, target.length);
        }
        MemorySegment segment = MemorySegment.ofArray(source);
        return reduce(segment, rank() == root ? MemorySegment.ofArray(target) : segment, DataType.CHAR, source.length,
                reduction, root, NOTHING);
    }

    /**
     * As {@link Communicator#allreduce(char[], Reduction)}.
     *
     * @param data the elements
     * @param reduction the operator
     * @return the request
     */
    public Request allreduce(char[] data, Reduction reduction) {
        MemorySegment segment = MemorySegment.ofArray(data);
        return allreduce(segment, segment, DataType.CHAR, data.length, reduction, NOTHING);
    }

    /**
     * As {@link Communicator#allreduce(char[], char[], Reduction)}.
     *
     * @param source the elements
     * @param target where the combination goes
     * @param reduction the operator
     * @return the request
     */
    public Request allreduce(char[] source, char[] target, Reduction reduction) {
        Arguments.checkLengths(source.length, target.length);
        return allreduce(MemorySegment.ofArray(source), MemorySegment.ofArray(target), DataType.CHAR, source.length,
                reduction, NOTHING);
    }

    /**
     * As {@link Communicator#broadcast(short[], int)}.
     *
     * @param data the elements
     * @param root the root
     * @return the request
     */
    public Request broadcast(short[] data, int root) {
        return broadcast(MemorySegment.ofArray(data), DataType.SHORT, data.length, root, NOTHING);
    }

    /**
     * As {@link Communicator#reduce(short[], Reduction, int)}.
     *
     * @param data the elements
     * @param reduction the operator
     * @param root the root
     * @return the request
     */
    public Request reduce(short[] data, Reduction reduction, int root) {
        MemorySegment segment = MemorySegment.ofArray(data);
        return reduce(segment, segment, DataType.SHORT, data.length, reduction, root, NOTHING);
    }

    /**
     * As {@link Communicator#reduce(short[], short[], Reduction, int)}.
     *
     * @param source the elements
     * @param target where the combination goes
     * @param reduction the operator
     * @param root the root
     * @return the request
     */
    public Request reduce(short[] source, short[] target, Reduction reduction, int root) {
        if (rank() == root) {
            Objects.requireNonNull(target, "target, which the root needs");
            Arguments.checkLengths(source.length, target.length);
        }
        MemorySegment segment = MemorySegment.ofArray(source);
        return reduce(segment, rank() == root ? MemorySegment.ofArray(target) : segment, DataType.SHORT, source.length,
                reduction, root, NOTHING);
    }

    /**
     * As {@link Communicator#allreduce(short[], Reduction)}.
     *
     * @param data the elements
     * @param reduction the operator
     * @return the request
     */
    public Request allreduce(short[] data, Reduction reduction) {
        MemorySegment segment = MemorySegment.ofArray(data);
        return allreduce(segment, segment, DataType.SHORT, data.length, reduction, NOTHING);
    }

    /**
     * As {@link Communicator#allreduce(short[], short[], Reduction)}.
     *
     * @param source the elements
     * @param target where the combination goes
     * @param reduction the operator
     * @return the request
     */
    public Request allreduce(short[] source, short[] target, Reduction reduction) {
        Arguments.checkLengths(source.length, target.length);
        return allreduce(MemorySegment.ofArray(source), MemorySegment.ofArray(target), DataType.SHORT, source.length,
                reduction, NOTHING);
    }

    /**
     * As {@link Communicator#broadcast(int[], int)}.
     *
     * @param data the elements
     * @param root the root
     * @return the request
     */
    public Request broadcast(int[] data, int root) {
        return broadcast(MemorySegment.ofArray(data), DataType.INT, data.length, root, NOTHING);
    }

    /**
     * As {@link Communicator#reduce(int[], Reduction, int)}.
     *
     * @param data the elements
     * @param reduction the operator
     * @param root the root
     * @return the request
     */
    public Request reduce(int[] data, Reduction reduction, int root) {
        MemorySegment segment = MemorySegment.ofArray(data);
        return reduce(segment, segment, DataType.INT, data.length, reduction, root, NOTHING);
    }

    /**
     * As {@link Communicator#reduce(int[], int[], Reduction, int)}.
     *
     * @param source the elements
     * @param target where the combination goes
     * @param reduction the operator
     * @param root the root
     * @return the request
     */
    public Request reduce(int[] source, int[] target, Reduction reduction, int root) {
        if (rank() == root) {
            Objects.requireNonNull(target, "target, which the root needs");
            Arguments.checkLengths(source.length, target.length);
        }
        MemorySegment segment = MemorySegment.ofArray(source);
        return reduce(segment, rank() == root ? MemorySegment.ofArray(target) : segment, DataType.INT, source.length,
                reduction, root, NOTHING);
    }

    /**
     * As {@link Communicator#allreduce(int[], Reduction)}.
     *
     * @param data the elements
     * @param reduction the operator
     * @return the request
     */
    public Request allreduce(int[] data, Reduction reduction) {
        MemorySegment segment = MemorySegment.ofArray(data);
        return allreduce(segment, segment, DataType.INT, data.length, reduction, NOTHING);
    }

    /**
     * As {@link Communicator#allreduce(int[], int[], Reduction)}.
     *
     * @param source the elements
     * @param target where the combination goes
     * @param reduction the operator
     * @return the request
     */
    public Request allreduce(int[] source, int[] target, Reduction reduction) {
        Arguments.checkLengths(source.length, target.length);
        return allreduce(MemorySegment.ofArray(source), MemorySegment.ofArray(target), DataType.INT, source.length,
                reduction, NOTHING);
    }

    /**
     * As {@link Communicator#broadcast(long[], int)}.
     *
     * @param data the elements
     * @param root the root
     * @return the request
     */
    public Request broadcast(long[] data, int root) {
        return broadcast(MemorySegment.ofArray(data), DataType.LONG, data.length, root, NOTHING);
    }

    /**
     * As {@link Communicator#reduce(long[], Reduction, int)}.
     *
     * @param data the elements
     * @param reduction the operator
     * @param root the root
     * @return the request
     */
    public Request reduce(long[] data, Reduction reduction, int root) {
        MemorySegment segment = MemorySegment.ofArray(data);
        return reduce(segment, segment, DataType.LONG, data.length, reduction, root, NOTHING);
    }

    /**
     * As {@link Communicator#reduce(long[], long[], Reduction, int)}.
     *
     * @param source the elements
     * @param target where the combination goes
     * @param reduction the operator
     * @param root the root
     * @return the request
     */
    public Request reduce(long[] source, long[] target, Reduction reduction, int root) {
        if (rank() == root) {
            Objects.requireNonNull(target, "target, which the root needs");
            Arguments.checkLengths(source.length, target.length);
        }
        MemorySegment segment = MemorySegment.ofArray(source);
        return reduce(segment, rank() == root ? MemorySegment.ofArray(target) : segment, DataType.LONG, source.length,
                reduction, root, NOTHING);
    }

    /**
     * As {@link Communicator#allreduce(long[], Reduction)}.
     *
     * @param data the elements
     * @param reduction the operator
     * @return the request
     */
    public Request allreduce(long[] data, Reduction reduction) {
        MemorySegment segment = MemorySegment.ofArray(data);
        return allreduce(segment, segment, DataType.LONG, data.length, reduction, NOTHING);
    }

    /**
     * As {@link Communicator#allreduce(long[], long[], Reduction)}.
     *
     * @param source the elements
     * @param target where the combination goes
     * @param reduction the operator
     * @return the request
     */
    public Request allreduce(long[] source, long[] target, Reduction reduction) {
        Arguments.checkLengths(source.length, target.length);
        return allreduce(MemorySegment.ofArray(source), MemorySegment.ofArray(target), DataType.LONG, source.length,
                reduction, NOTHING);
    }

    /**
     * As {@link Communicator#broadcast(float[], int)}.
     *
     * @param data the elements
     * @param root the root
     * @return the request
     */
    public Request broadcast(float[] data, int root) {
        return broadcast(MemorySegment.ofArray(data), DataType.FLOAT, data.length, root, NOTHING);
    }

    /**
     * As {@link Communicator#reduce(float[], Reduction, int)}.
     *
     * @param data the elements
     * @param reduction the operator
     * @param root the root
     * @return the request
     */
    public Request reduce(float[] data, Reduction reduction, int root) {
        MemorySegment segment = MemorySegment.ofArray(data);
        return reduce(segment, segment, DataType.FLOAT, data.length, reduction, root, NOTHING);
    }

    /**
     * As {@link Communicator#reduce(float[], float[], Reduction, int)}.
     *
     * @param source the elements
     * @param target where the combination goes
     * @param reduction the operator
     * @param root the root
     * @return the request
     */
    public Request reduce(float[] source, float[] target, Reduction reduction, int root) {
        if (rank() == root) {
            Objects.requireNonNull(target, "target, which the root needs");
            Arguments.checkLengths(source.length, target.length);
        }
        MemorySegment segment = MemorySegment.ofArray(source);
        return reduce(segment, rank() == root ? MemorySegment.ofArray(target) : segment, DataType.FLOAT, source.length,
                reduction, root, NOTHING);
    }

    /**
     * As {@link Communicator#allreduce(float[], Reduction)}.
     *
     * @param data the elements
     * @param reduction the operator
     * @return the request
     */
    public Request allreduce(float[] data, Reduction reduction) {
        MemorySegment segment = MemorySegment.ofArray(data);
        return allreduce(segment, segment, DataType.FLOAT, data.length, reduction, NOTHING);
    }

    /**
     * As {@link Communicator#allreduce(float[], float[], Reduction)}.
     *
     * @param source the elements
     * @param target where the combination goes
     * @param reduction the operator
     * @return the request
     */
    public Request allreduce(float[] source, float[] target, Reduction reduction) {
        Arguments.checkLengths(source.length, target.length);
        return allreduce(MemorySegment.ofArray(source), MemorySegment.ofArray(target), DataType.FLOAT, source.length,
                reduction, NOTHING);
    }

    /**
     * As {@link Communicator#broadcast(double[], int)}.
     *
     * @param data the elements
     * @param root the root
     * @return the request
     */
    public Request broadcast(double[] data, int root) {
        return broadcast(MemorySegment.ofArray(data), DataType.DOUBLE, data.length, root, NOTHING);
    }

    /**
     * As {@link Communicator#reduce(double[], Reduction, int)}.
     *
     * @param data the elements
     * @param reduction the operator
     * @param root the root
     * @return the request
     */
    public Request reduce(double[] data, Reduction reduction, int root) {
        MemorySegment segment = MemorySegment.ofArray(data);
        return reduce(segment, segment, DataType.DOUBLE, data.length, reduction, root, NOTHING);
    }

    /**
     * As {@link Communicator#reduce(double[], double[], Reduction, int)}.
     *
     * @param source the elements
     * @param target where the combination goes
     * @param reduction the operator
     * @param root the root
     * @return the request
     */
    public Request reduce(double[] source, double[] target, Reduction reduction, int root) {
        if (rank() == root) {
            Objects.requireNonNull(target, "target, which the root needs");
            Arguments.checkLengths(source.length, target.length);
        }
        MemorySegment segment = MemorySegment.ofArray(source);
        return reduce(segment, rank() == root ? MemorySegment.ofArray(target) : segment, DataType.DOUBLE, source.length,
                reduction, root, NOTHING);
    }

    /**
     * As {@link Communicator#allreduce(double[], Reduction)}.
     *
     * @param data the elements
     * @param reduction the operator
     * @return the request
     */
    public Request allreduce(double[] data, Reduction reduction) {
        MemorySegment segment = MemorySegment.ofArray(data);
        return allreduce(segment, segment, DataType.DOUBLE, data.length, reduction, NOTHING);
    }

    /**
     * As {@link Communicator#allreduce(double[], double[], Reduction)}.
     *
     * @param source the elements
     * @param target where the combination goes
     * @param reduction the operator
     * @return the request
     */
    public Request allreduce(double[] source, double[] target, Reduction reduction) {
        Arguments.checkLengths(source.length, target.length);
        return allreduce(MemorySegment.ofArray(source), MemorySegment.ofArray(target), DataType.DOUBLE, source.length,
                reduction, NOTHING);
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

    private static byte[] stage(boolean[] elements) {
        byte[] staged = new byte[elements.length];
        for (int i = 0; i < elements.length; i++) {
            staged[i] = elements[i] ? (byte) 1 : 0;
        }
        return staged;
    }

    private static void unstage(byte[] staged, boolean[] elements) {
        for (int i = 0; i < elements.length; i++) {
            elements[i] = staged[i] != 0;
        }
    }
}
