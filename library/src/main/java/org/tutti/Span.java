/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * A range of elements of one type that a call reads or writes. The elements lie in an array or in off-heap memory of
 * any size. A span is immutable and may be used repeatedly. It does not copy the elements: a change of an element
 * between two calls changes the data of the next call. Calls on spans allocate nothing, with two exceptions. The JDK
 * allocates 80 bytes for each system call that sends a long message from off-heap memory. About 600 bytes are allocated
 * when another node puts a long message straight into off-heap memory.
 *
 * <p>An off-heap span needs no alignment. A span cannot be over a {@code boolean[]}; {@link DataType#BOOLEAN} elements
 * in a segment are bytes with the value 0 or 1.
 */
public final class Span {
    private static final Runnable NOTHING = () -> {
    };

    private final MemorySegment segment;
    private final DataType type;
    private final long count;
    private final @Nullable Staging staging;

    private Span(MemorySegment segment, DataType type) {
        this(segment, type, null);
    }

    private Span(MemorySegment segment, DataType type, @Nullable Staging staging) {
        this.segment = segment;
        this.type = type;
        this.count = segment.byteSize() / type.bytes();
        this.staging = staging;
    }

    /**
     * Returns a span over all elements of a memory segment.
     *
     * @param segment native memory, or a heap segment over an array of the type or over bytes
     * @param type the type of the elements
     * @return the span
     * @throws IllegalArgumentException if elements of the type cannot lie in the segment, the segment does not hold a
     *             whole number of them, or it is a read-only heap segment
     */
    public static Span of(MemorySegment segment, DataType type) {
        if (segment.isReadOnly() && !segment.isNative()) {
            throw new IllegalArgumentException("read-only memory on the heap cannot be used; pass the array itself, or "
                    + "native memory: " + segment);
        }
        if (!Objects.requireNonNull(type, "type").fits(segment)) {
            throw new IllegalArgumentException("elements of type " + type + " cannot lie in " + segment
                    + "; use native memory, a byte[], or an array of that type");
        }
        if (segment.byteSize() % type.bytes() != 0) {
            throw new IllegalArgumentException("a segment of " + segment.byteSize() + " bytes holds no whole number of "
                    + type + " elements of " + type.bytes() + " bytes each");
        }
        return new Span(segment, type);
    }

    /**
     * Returns a span over some elements of a memory segment.
     *
     * @param segment native memory, or a heap segment over an array of the type or over bytes
     * @param type the type of the elements
     * @param byteOffset the offset of the first element, in bytes from the start of the segment
     * @param count the number of elements, 0 or more
     * @return the span
     * @throws IllegalArgumentException if elements of the type cannot lie in the segment, count is negative, or the
     *             segment is a read-only heap segment
     * @throws IndexOutOfBoundsException if the range does not lie in the segment
     */
    public static Span of(MemorySegment segment, DataType type, long byteOffset, long count) {
        Objects.requireNonNull(type, "type");
        if (count < 0 || count > Long.MAX_VALUE / type.bytes()) {
            throw new IllegalArgumentException("a span has 0 or more elements, not " + count);
        }
        Objects.checkFromIndexSize(byteOffset, count * type.bytes(), segment.byteSize());
        return of(segment.asSlice(byteOffset, count * type.bytes()), type);
    }

    /**
     * Returns a span over a whole array.
     *
     * @param array the elements
     * @return the span
     */
    public static Span of(byte[] array) {
        return new Span(MemorySegment.ofArray(array), DataType.BYTE);
    }

    /**
     * Returns a span over some consecutive elements of an array, which are not copied.
     *
     * @param array the array that holds the elements
     * @param from the index of the first element
     * @param count the number of elements, 0 or more
     * @return the span
     * @throws IndexOutOfBoundsException if the range does not lie in the array
     */
    public static Span of(byte[] array, int from, int count) {
        Objects.checkFromIndexSize(from, count, array.length);
        return of(MemorySegment.ofArray(array), DataType.BYTE, (long) from * DataType.BYTE.bytes(), count);
    }

    /**
     * Returns a span over a whole array.
     *
     * @param array the elements
     * @return the span
     */
    public static Span of(char[] array) {
        return new Span(MemorySegment.ofArray(array), DataType.CHAR);
    }

    /**
     * Returns a span over some consecutive elements of an array, which are not copied.
     *
     * @param array the array that holds the elements
     * @param from the index of the first element
     * @param count the number of elements, 0 or more
     * @return the span
     * @throws IndexOutOfBoundsException if the range does not lie in the array
     */
    public static Span of(char[] array, int from, int count) {
        Objects.checkFromIndexSize(from, count, array.length);
        return of(MemorySegment.ofArray(array), DataType.CHAR, (long) from * DataType.CHAR.bytes(), count);
    }

    /**
     * Returns a span over a whole array.
     *
     * @param array the elements
     * @return the span
     */
    public static Span of(short[] array) {
        return new Span(MemorySegment.ofArray(array), DataType.SHORT);
    }

    /**
     * Returns a span over some consecutive elements of an array, which are not copied.
     *
     * @param array the array that holds the elements
     * @param from the index of the first element
     * @param count the number of elements, 0 or more
     * @return the span
     * @throws IndexOutOfBoundsException if the range does not lie in the array
     */
    public static Span of(short[] array, int from, int count) {
        Objects.checkFromIndexSize(from, count, array.length);
        return of(MemorySegment.ofArray(array), DataType.SHORT, (long) from * DataType.SHORT.bytes(), count);
    }

    /**
     * Returns a span over a whole array.
     *
     * @param array the elements
     * @return the span
     */
    public static Span of(int[] array) {
        return new Span(MemorySegment.ofArray(array), DataType.INT);
    }

    /**
     * Returns a span over some consecutive elements of an array, which are not copied.
     *
     * @param array the array that holds the elements
     * @param from the index of the first element
     * @param count the number of elements, 0 or more
     * @return the span
     * @throws IndexOutOfBoundsException if the range does not lie in the array
     */
    public static Span of(int[] array, int from, int count) {
        Objects.checkFromIndexSize(from, count, array.length);
        return of(MemorySegment.ofArray(array), DataType.INT, (long) from * DataType.INT.bytes(), count);
    }

    /**
     * Returns a span over a whole array.
     *
     * @param array the elements
     * @return the span
     */
    public static Span of(long[] array) {
        return new Span(MemorySegment.ofArray(array), DataType.LONG);
    }

    /**
     * Returns a span over some consecutive elements of an array, which are not copied.
     *
     * @param array the array that holds the elements
     * @param from the index of the first element
     * @param count the number of elements, 0 or more
     * @return the span
     * @throws IndexOutOfBoundsException if the range does not lie in the array
     */
    public static Span of(long[] array, int from, int count) {
        Objects.checkFromIndexSize(from, count, array.length);
        return of(MemorySegment.ofArray(array), DataType.LONG, (long) from * DataType.LONG.bytes(), count);
    }

    /**
     * Returns a span over a whole array.
     *
     * @param array the elements
     * @return the span
     */
    public static Span of(float[] array) {
        return new Span(MemorySegment.ofArray(array), DataType.FLOAT);
    }

    /**
     * Returns a span over some consecutive elements of an array, which are not copied.
     *
     * @param array the array that holds the elements
     * @param from the index of the first element
     * @param count the number of elements, 0 or more
     * @return the span
     * @throws IndexOutOfBoundsException if the range does not lie in the array
     */
    public static Span of(float[] array, int from, int count) {
        Objects.checkFromIndexSize(from, count, array.length);
        return of(MemorySegment.ofArray(array), DataType.FLOAT, (long) from * DataType.FLOAT.bytes(), count);
    }

    /**
     * Returns a span over a whole array.
     *
     * @param array the elements
     * @return the span
     */
    public static Span of(double[] array) {
        return new Span(MemorySegment.ofArray(array), DataType.DOUBLE);
    }

    /**
     * Returns a span over some consecutive elements of an array, which are not copied.
     *
     * @param array the array that holds the elements
     * @param from the index of the first element
     * @param count the number of elements, 0 or more
     * @return the span
     * @throws IndexOutOfBoundsException if the range does not lie in the array
     */
    public static Span of(double[] array, int from, int count) {
        Objects.checkFromIndexSize(from, count, array.length);
        return of(MemorySegment.ofArray(array), DataType.DOUBLE, (long) from * DataType.DOUBLE.bytes(), count);
    }

    /**
     * Elements of a {@code boolean[]}, from one to another, and bytes that stand for the elements of the array, because
     * no segment can be over it.
     */
    private record Staging(boolean[] elements, byte[] bytes, int from, int to) {}

    /** Returns a span over bytes that stand for the elements of an array. */
    static Span standingFor(boolean[] array) {
        byte[] bytes = new byte[array.length];
        return new Span(MemorySegment.ofArray(bytes), DataType.BOOLEAN, new Staging(array, bytes, 0, array.length));
    }

    /** Returns a span over some of these elements. It stands for the same elements of an array of booleans. */
    Span slice(long from, long elements) {
        Staging part = staging == null ? null
                : new Staging(staging.elements, staging.bytes, Math.toIntExact(staging.from + from),
                        Math.toIntExact(staging.from + from + elements));
        return new Span(segment.asSlice(from * type.bytes(), elements * type.bytes()), type, part);
    }

    /**
     * Copies the elements of the boolean array that this span stands for into its bytes. Does nothing if it stands for
     * none.
     */
    void stage() {
        if (staging != null) {
            boolean[] elements = staging.elements;
            byte[] bytes = staging.bytes;
            for (int i = staging.from; i < staging.to; i++) {
                bytes[i] = elements[i] ? (byte) 1 : 0;
            }
        }
    }

    /** Copies the bytes of this span into the boolean array that it stands for. Does nothing if it stands for none. */
    void unstage() {
        if (staging != null) {
            boolean[] elements = staging.elements;
            byte[] bytes = staging.bytes;
            for (int i = staging.from; i < staging.to; i++) {
                elements[i] = bytes[i] != 0;
            }
        }
    }

    /** Returns an action that {@linkplain #stage stages} a span, to be run each time before a call reads it. */
    static Runnable staging(Span source) {
        return source.staging == null ? NOTHING : source::stage;
    }

    /**
     * Returns an action that stages source and target, for a call that leaves some elements of its target unchanged.
     */
    static Runnable staging(Span source, Span target) {
        return source.staging == null ? NOTHING : () -> {
            source.stage();
            target.stage();
        };
    }

    /**
     * Returns an action that {@linkplain #unstage unstages} a span, to be run each time after a call has written it.
     */
    static Runnable unstaging(Span target) {
        return target.staging == null ? NOTHING : target::unstage;
    }

    /**
     * {@return the memory of the elements, with exactly their number of bytes}
     */
    public MemorySegment segment() {
        return segment;
    }

    /**
     * {@return the type of the elements}
     */
    public DataType type() {
        return type;
    }

    /**
     * {@return the number of elements}
     */
    public long count() {
        return count;
    }

    @Override
    public String toString() {
        return "Span[" + count + " " + type + " in " + segment + "]";
    }
}
