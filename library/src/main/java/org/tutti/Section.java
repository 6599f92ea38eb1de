/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.util.Arrays;

/**
 * Which bytes of a memory a transfer is about, and in which order: a sequence of runs, each of bytes that follow each
 * other. Three forms: strided, as ARMCI has it (runs at the nodes of a grid of up to {@value #LEVELS_MAX} levels, the
 * contiguous bytes being the first); a vector of any runs; and a box of an n-dimensional array.
 *
 * <p>A section is immutable and knows no memory: it may be used for any that it fits into, again and again. Numbers are
 * in bytes from the start of that memory, or in elements of a type if one is given. Neighbouring runs of a grid are
 * taken together where they touch.
 */
public final class Section {
    /** The most levels of a grid, and the most dimensions of a box. */
    public static final int LEVELS_MAX = 8;

    private static final long[] NONE = {};

    private final long offset;
    private final long runBytes;
    private final long[] counts;
    private final long[] strides;
    private final long[] offsets;
    private final long[] lengths;
    private final boolean strided;
    private final long bits; // of all places and lengths of runs
    private final long runs;
    private final long bytes;
    private final long end;

    /** A grid. */
    private Section(long offset, long runBytes, long[] counts, long[] strides) {
        this.offset = offset;
        this.runBytes = runBytes;
        this.counts = counts;
        this.strides = strides;
        this.offsets = NONE;
        this.lengths = NONE;
        this.strided = true;
        this.bits = runBytes == 0 ? 0 : offset | runBytes | Arrays.stream(strides).reduce(0, (all, each) -> all | each);
        try {
            long all = 1;
            long last = offset;
            for (int level = 0; level < counts.length; level++) {
                all = Math.multiplyExact(all, counts[level]);
                last = Math.addExact(last, Math.multiplyExact(counts[level] - 1, strides[level]));
            }
            this.runs = runBytes == 0 ? 0 : all;
            this.bytes = Math.multiplyExact(runs, runBytes);
            this.end = runs == 0 ? offset : Math.addExact(last, runBytes);
        } catch (ArithmeticException _) {
            throw new IllegalArgumentException("a section cannot reach beyond " + Long.MAX_VALUE + " bytes, as "
                    + describe(offset, runBytes, counts, strides) + " does");
        }
    }

    /** A vector. */
    private Section(long[] offsets, long[] lengths) {
        this.offset = 0;
        this.runBytes = 0;
        this.counts = NONE;
        this.strides = NONE;
        this.offsets = offsets;
        this.lengths = lengths;
        this.strided = false;
        this.runs = offsets.length;
        long all = 0;
        long last = 0;
        long places = 0;
        try {
            for (int run = 0; run < offsets.length; run++) {
                all = Math.addExact(all, lengths[run]);
                last = Math.max(last, Math.addExact(offsets[run], lengths[run]));
                places |= lengths[run] == 0 ? 0 : offsets[run] | lengths[run];
            }
        } catch (ArithmeticException _) {
            throw new IllegalArgumentException("a section cannot reach beyond " + Long.MAX_VALUE + " bytes");
        }
        this.bits = places;
        this.bytes = all;
        this.end = last;
    }

    /**
     * Bytes that follow each other.
     *
     * @param offset the first one, 0 or more
     * @param bytes how many, 0 or more
     * @return the section
     * @throws IllegalArgumentException when a number is negative
     */
    public static Section of(long offset, long bytes) {
        return strided(offset, bytes, NONE, NONE);
    }

    /**
     * Elements that follow each other.
     *
     * @param type the type of the elements
     * @param index the first one, counted in elements from the start of the memory, 0 or more
     * @param count how many, 0 or more
     * @return the section
     * @throws IllegalArgumentException when a number is negative
     */
    public static Section of(DataType type, long index, long count) {
        return strided(type, index, count, NONE, NONE);
    }

    /**
     * Runs of equal length at the nodes of a grid, as {@link #strided(long, long, long[], long[])} has it, with all
     * numbers counted in elements.
     *
     * @param type the type of the elements
     * @param index the first element of the first run, 0 or more
     * @param count how many elements a run has, 0 or more
     * @param counts how many nodes the grid has in each direction, 0 or more; at most {@value #LEVELS_MAX} − 1
     *            numbers
     * @param strides the elements from the beginning of a run to that of the next one in each direction, 0 or more
     * @return the section
     * @throws IllegalArgumentException when a number is negative, or there are too many, or not as many counts as
     *             strides
     */
    public static Section strided(DataType type, long index, long count, long[] counts, long[] strides) {
        return strided(inBytes(type, index), inBytes(type, count), counts, inBytes(type, strides));
    }

    /**
     * Any runs, in the order given, with all numbers counted in elements.
     *
     * @param type the type of the elements
     * @param indexes the first element of each run, 0 or more
     * @param counts how many elements each run has, 0 or more
     * @return the section
     * @throws IllegalArgumentException when a number is negative, or there are not as many indexes as counts
     */
    public static Section vector(DataType type, long[] indexes, long[] counts) {
        return vector(inBytes(type, indexes), inBytes(type, counts));
    }

    private static long[] inBytes(DataType type, long[] elements) {
        return Arrays.stream(elements).map(each -> inBytes(type, each)).toArray();
    }

    private static long inBytes(DataType type, long elements) {
        if (elements < 0) {
            return elements; // which is refused
        }
        if (elements > Long.MAX_VALUE / type.bytes()) {
            throw new IllegalArgumentException("a section cannot reach beyond " + Long.MAX_VALUE + " bytes, as "
                    + elements + " " + type + " elements do");
        }
        return elements * type.bytes();
    }

    /**
     * Runs of equal length at the nodes of a grid: run (i₀, i₁, …) begins at
     * {@code offset + i₀·strides[0] + i₁·strides[1] + …}; i₀ runs fastest. The stride of a direction of less than two
     * nodes is not used.
     *
     * @param offset where the first run begins, 0 or more
     * @param bytes the length of each run, 0 or more
     * @param counts how many nodes the grid has in each direction, 0 or more; at most {@value #LEVELS_MAX} − 1
     *            numbers
     * @param strides the bytes from the beginning of a run to that of the next one in each direction, 0 or more
     * @return the section
     * @throws IllegalArgumentException when a number is negative, or there are too many, or not as many counts as
     *             strides
     */
    public static Section strided(long offset, long bytes, long[] counts, long[] strides) {
        if (counts.length != strides.length || counts.length >= LEVELS_MAX || offset < 0 || bytes < 0
                || Arrays.stream(counts).anyMatch(count -> count < 0)
                || Arrays.stream(strides).anyMatch(stride -> stride < 0)) {
            throw new IllegalArgumentException("a strided section has numbers of 0 or more, and as many counts as "
                    + "strides, at most " + (LEVELS_MAX - 1) + ", not " + describe(offset, bytes, counts, strides));
        }
        if (bytes == 0 || Arrays.stream(counts).anyMatch(count -> count == 0)) {
            return new Section(offset, 0, NONE, NONE);
        }
        int directions = 0;
        long run = bytes;
        long[] usedCounts = new long[counts.length];
        long[] usedStrides = new long[counts.length];
        for (int direction = 0; direction < counts.length; direction++) {
            long count = counts[direction];
            if (directions == 0 && strides[direction] == run && run <= Long.MAX_VALUE / count) {
                run *= count; // its runs touch
            } else if (count > 1) {
                usedCounts[directions] = count;
                usedStrides[directions] = strides[direction];
                directions++;
            }
        }
        return new Section(offset, run, Arrays.copyOf(usedCounts, directions), Arrays.copyOf(usedStrides, directions));
    }

    private static String describe(long offset, long bytes, long[] counts, long[] strides) {
        return "offset " + offset + ", runs of " + bytes + " bytes, counts " + Arrays.toString(counts) + ", strides "
                + Arrays.toString(strides);
    }

    /**
     * Any runs, in the order given.
     *
     * @param offsets where each run begins, 0 or more
     * @param bytes the length of each, 0 or more
     * @return the section
     * @throws IllegalArgumentException when a number is negative, or there are not as many offsets as lengths
     */
    public static Section vector(long[] offsets, long[] bytes) {
        if (offsets.length != bytes.length || Arrays.stream(offsets).anyMatch(each -> each < 0)
                || Arrays.stream(bytes).anyMatch(each -> each < 0)) {
            throw new IllegalArgumentException("a vector has as many offsets as lengths, all 0 or more, not "
                    + Arrays.toString(offsets) + " and " + Arrays.toString(bytes));
        }
        return new Section(offsets.clone(), bytes.clone());
    }

    /**
     * A box of an n-dimensional array at the beginning of the memory, whose last index runs fastest, as in Java and C.
     *
     * @param type the type of the elements
     * @param shape the array's length in each dimension, 1 or more; 1 to {@value #LEVELS_MAX} numbers
     * @param from the box's first index in each dimension
     * @param count the box's length in each dimension, 0 or more
     * @return the section
     * @throws IllegalArgumentException when there are not as many numbers of each kind, or the array is longer than
     *             any memory
     * @throws IndexOutOfBoundsException when the box is not inside the array
     */
    public static Section box(DataType type, long[] shape, long[] from, long[] count) {
        return box(0, type, shape, from, count);
    }

    /**
     * A box of an n-dimensional array that begins anywhere in the memory, with the last index running fastest.
     *
     * @param offset at which byte the array begins, 0 or more
     * @param type the type of the elements
     * @param shape the array's length in each dimension, 1 or more; 1 to {@value #LEVELS_MAX} numbers
     * @param from the box's first index in each dimension
     * @param count the box's length in each dimension, 0 or more
     * @return the section
     * @throws IllegalArgumentException when the offset is negative, there are not as many numbers of each kind, or the
     *             array is longer than any memory
     * @throws IndexOutOfBoundsException when the box is not inside the array
     */
    public static Section box(long offset, DataType type, long[] shape, long[] from, long[] count) {
        int dimensions = shape.length;
        if (dimensions == 0 || dimensions > LEVELS_MAX || from.length != dimensions || count.length != dimensions) {
            throw new IllegalArgumentException("a box has 1 to " + LEVELS_MAX + " dimensions, the same in shape, from "
                    + "and count, not " + Arrays.toString(shape) + ", " + Arrays.toString(from) + " and "
                    + Arrays.toString(count));
        }
        long[] counts = new long[dimensions - 1];
        long[] strides = new long[dimensions - 1];
        long stride = type.bytes();
        long start = 0; // in the array
        for (int dimension = dimensions - 1; dimension >= 0; dimension--) {
            if (from[dimension] < 0 || count[dimension] < 0 || shape[dimension] < 1
                    || from[dimension] > shape[dimension] - count[dimension]) {
                throw new IndexOutOfBoundsException("a box of " + Arrays.toString(count) + " elements from "
                        + Arrays.toString(from) + " on is not inside an array of " + Arrays.toString(shape));
            }
            if (dimension < dimensions - 1) {
                counts[dimensions - 2 - dimension] = count[dimension];
                strides[dimensions - 2 - dimension] = stride;
            }
            start += from[dimension] * stride;
            if (stride > Long.MAX_VALUE / shape[dimension]) {
                throw new IllegalArgumentException("an array of " + Arrays.toString(shape) + " " + type
                        + " elements is longer than any memory");
            }
            stride *= shape[dimension];
        }
        if (offset < 0 || offset > Long.MAX_VALUE - stride) {
            throw new IllegalArgumentException("an array of " + Arrays.toString(shape) + " " + type
                    + " elements cannot begin at byte " + offset + ": that is 0 to " + (Long.MAX_VALUE - stride));
        }
        return strided(offset + start, count[dimensions - 1] * type.bytes(), counts, strides);
    }

    /**
     * {@return how many bytes the section has in all}
     */
    public long bytes() {
        return bytes;
    }

    /**
     * {@return the byte after the last one that it reaches: the least size of a memory that it fits into}
     */
    public long end() {
        return end;
    }

    /**
     * {@return how many runs it has}
     */
    public long runs() {
        return runs;
    }

    /**
     * {@return where a run begins}
     *
     * @param run which one, from 0
     */
    public long offsetOf(long run) {
        if (!strided) {
            return offsets[(int) run];
        }
        long at = offset;
        long rest = run;
        for (int level = 0; level < counts.length; level++) {
            at += rest % counts[level] * strides[level];
            rest /= counts[level];
        }
        return at;
    }

    /**
     * {@return how long a run is}
     *
     * @param run which one, from 0
     */
    public long bytesOf(long run) {
        return strided ? runBytes : lengths[(int) run];
    }

    /**
     * {@return whether its runs are those of a grid; otherwise it is a vector}
     */
    public boolean isStrided() {
        return strided;
    }

    /**
     * {@return how many directions the grid has, 0 to {@value #LEVELS_MAX} − 1; a vector has none}
     */
    public int directions() {
        return counts.length;
    }

    /**
     * {@return how many nodes the grid has in a direction}
     *
     * @param direction which one, from 0
     */
    public long countOf(int direction) {
        return counts[direction];
    }

    /**
     * {@return the bytes from the beginning of a run to that of the next one in a direction of the grid}
     *
     * @param direction which one, from 0
     */
    public long strideOf(int direction) {
        return strides[direction];
    }

    /**
     * Tells whether all runs that are not empty begin and end at multiples of a number.
     *
     * @param unit the number, 1 or more
     * @return whether they do
     */
    public boolean isMultipleOf(int unit) {
        if (Integer.bitCount(unit) == 1) {
            return (bits & unit - 1) == 0;
        }
        for (long run = 0; run < runs; run++) {
            if (bytesOf(run) > 0 && (offsetOf(run) % unit != 0 || bytesOf(run) % unit != 0)) {
                return false;
            }
        }
        return true;
    }

    /** As a part of a message: how many bytes, in how many runs, and from where to where. */
    @Override
    public String toString() {
        long start = strided ? offset : Arrays.stream(offsets).min().orElse(0);
        return "a section of " + bytes + " bytes in " + runs + (runs == 1 ? " run" : " runs") + ", from byte " + start
                + " to " + end;
    }
}
