/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * A range of elements in memory that a call reads or writes: part of an array, or of an off-heap segment of any size. A
 * span is immutable and may be kept and used again; calls on spans allocate nothing, but for 80 bytes that the JDK
 * takes for each system call that sends a long message from off-heap memory. The elements stay where they are: who
 * changes them between calls changes what the next call sends.
 *
 * <p>An off-heap span needs no alignment. A {@code boolean[]} cannot lie under a span; {@link DataType#BOOLEAN}
 * elements in a segment are bytes of value 0 or 1.
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
     * A span over a whole segment.
     *
     * @param segment native memory, or a heap segment over an array of the type or over bytes
     * @param type the type of the elements
     * @return the span
     * @throws IllegalArgumentException when the segment holds no elements of that type, or no whole number of them
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
     * A span over part of a segment.
     *
     * @param segment native memory, or a heap segment over an array of the type or over bytes
     * @param type the type of the elements
     * @param byteOffset where the first element lies, in bytes from the segment's start
     * @param count how many elements, 0 or more
     * @return the span
     * @throws IllegalArgumentException when the segment cannot hold elements of that type, or count is negative
     * @throws IndexOutOfBoundsException when the range is not inside the segment
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
     * A span over a whole array.
     *
     * @param array the elements
     * @return the span
     */
    public static Span of(byte[] array) {
        return new Span(MemorySegment.ofArray(array), DataType.BYTE);
    }

    /**
     * A span over part of an array.
     *
     * @param array the elements
     * @param from the index of the first element
     * @param count how many elements, 0 or more
     * @return the span
     * @throws IndexOutOfBoundsException when the range is not inside the array
     */
    public static Span of(byte[] array, int from, int count) {
        Objects.checkFromIndexSize(from, count, array.length);
        return of(MemorySegment.ofArray(array), DataType.BYTE, (long) from * DataType.BYTE.bytes(), count);
    }

    /**
     * A span over a whole array.
     *
     * @param array the elements
     * @return the span
     */
    public static Span of(char[] array) {
        return new Span(MemorySegment.ofArray(array), DataType.CHAR);
    }

    /**
     * A span over part of an array.
     *
     * @param array the elements
     * @param from the index of the first element
     * @param count how many elements, 0 or more
     * @return the span
     * @throws IndexOutOfBoundsException when the range is not inside the array
     */
    public static Span of(char[] array, int from, int count) {
        Objects.checkFromIndexSize(from, count, array.length);
        return of(MemorySegment.ofArray(array), DataType.CHAR, (long) from * DataType.CHAR.bytes(), count);
    }

    /**
     * A span over a whole array.
     *
     * @param array the elements
     * @return the span
     */
    public static Span of(short[] array) {
        return new Span(MemorySegment.ofArray(array), DataType.SHORT);
    }

    /**
     * A span over part of an array.
     *
     * @param array the elements
     * @param from the index of the first element
     * @param count how many elements, 0 or more
     * @return the span
     * @throws IndexOutOfBoundsException when the range is not inside the array
     */
    public static Span of(short[] array, int from, int count) {
        Objects.checkFromIndexSize(from, count, array.length);
        return of(MemorySegment.ofArray(array), DataType.SHORT, (long) from * DataType.SHORT.bytes(), count);
    }

    /**
     * A span over a whole array.
     *
     * @param array the elements
     * @return the span
     */
    public static Span of(int[] array) {
        return new Span(MemorySegment.ofArray(array), DataType.INT);
    }

    /**
     * A span over part of an array.
     *
     * @param array the elements
     * @param from the index of the first element
     * @param count how many elements, 0 or more
     * @return the span
     * @throws IndexOutOfBoundsException when the range is not inside the array
     */
    public static Span of(int[] array, int from, int count) {
        Objects.checkFromIndexSize(from, count, array.length);
        return of(MemorySegment.ofArray(array), DataType.INT, (long) from * DataType.INT.bytes(), count);
    }

    /**
     * A span over a whole array.
     *
     * @param array the elements
     * @return the span
     */
    public static Span of(long[] array) {
        return new Span(MemorySegment.ofArray(array), DataType.LONG);
    }

    /**
     * A span over part of an array.
     *
     * @param array the elements
     * @param from the index of the first element
     * @param count how many elements, 0 or more
     * @return the span
     * @throws IndexOutOfBoundsException when the range is not inside the array
     */
    public static Span of(long[] array, int from, int count) {
        Objects.checkFromIndexSize(from, count, array.length);
        return of(MemorySegment.ofArray(array), DataType.LONG, (long) from * DataType.LONG.bytes(), count);
    }

    /**
     * A span over a whole array.
     *
     * @param array the elements
     * @return the span
     */
    public static Span of(float[] array) {
        return new Span(MemorySegment.ofArray(array), DataType.FLOAT);
    }

    /**
     * A span over part of an array.
     *
     * @param array the elements
     * @param from the index of the first element
     * @param count how many elements, 0 or more
     * @return the span
     * @throws IndexOutOfBoundsException when the range is not inside the array
     */
    public static Span of(float[] array, int from, int count) {
        Objects.checkFromIndexSize(from, count, array.length);
        return of(MemorySegment.ofArray(array), DataType.FLOAT, (long) from * DataType.FLOAT.bytes(), count);
    }

    /**
     * A span over a whole array.
     *
     * @param array the elements
     * @return the span
     */
    public static Span of(double[] array) {
        return new Span(MemorySegment.ofArray(array), DataType.DOUBLE);
    }

    /**
     * A span over part of an array.
     *
     * @param array the elements
     * @param from the index of the first element
     * @param count how many elements, 0 or more
     * @return the span
     * @throws IndexOutOfBoundsException when the range is not inside the array
     */
    public static Span of(double[] array, int from, int count) {
        Objects.checkFromIndexSize(from, count, array.length);
        return of(MemorySegment.ofArray(array), DataType.DOUBLE, (long) from * DataType.DOUBLE.bytes(), count);
    }

    /** A {@code boolean[]}, and bytes that stand for its elements, as no segment can be over them. */
    private record Staging(boolean[] elements, byte[] bytes) {}

    /** A span over bytes that stand for the elements of an array. */
    static Span standingFor(boolean[] array) {
        byte[] bytes = new byte[array.length];
        return new Span(MemorySegment.ofArray(bytes), DataType.BOOLEAN, new Staging(array, bytes));
    }

    /** Takes over the elements of the array that this span stands for, as they are now; most stand for none. */
    void stage() {
        if (staging != null) {
            boolean[] elements = staging.elements;
            byte[] bytes = staging.bytes;
            for (int i = 0; i < elements.length; i++) {
                bytes[i] = elements[i] ? (byte) 1 : 0;
            }
        }
    }

    /** Gives the elements to the array that this span stands for; most stand for none. */
    void unstage() {
        if (staging != null) {
            boolean[] elements = staging.elements;
            byte[] bytes = staging.bytes;
            for (int i = 0; i < elements.length; i++) {
                elements[i] = bytes[i] != 0;
            }
        }
    }

    /** What stages a span each time before a call reads it. */
    static Runnable staging(Span source) {
        return source.staging == null ? NOTHING : source::stage;
    }

    /** The same for a call whose target keeps some of its elements. */
    static Runnable staging(Span source, Span target) {
        return source.staging == null ? NOTHING : () -> {
            source.stage();
            target.stage();
        };
    }

    /** What unstages a span each time after a call has written it. */
    static Runnable unstaging(Span target) {
        return target.staging == null ? NOTHING : target::unstage;
    }

    /**
     * {@return the memory of the elements: exactly as many bytes as they have}
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
     * {@return how many elements the span has}
     */
    public long count() {
        return count;
    }

    @Override
    public String toString() {
        return "Span[" + count + " " + type + " in " + segment + "]";
    }
}
