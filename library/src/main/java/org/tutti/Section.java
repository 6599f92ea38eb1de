/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.util.Arrays;

/**
 * Describes which bytes of a memory a transfer reads or writes, as a sequence of runs. A run is a number of contiguous
 * bytes. The transfer handles the runs in their order. A section has one of three forms:
 * <ul>
 * <li>strided, as in ARMCI: runs of equal length at regular distances, for example the rows of a tile of a matrix. The
 * runs form a grid of up to {@value #LEVELS_MAX} directions;
 * <li>a vector: any runs in any order;
 * <li>a box: a rectangular part of an n-dimensional array.
 * </ul>
 *
 * <p>A section is immutable and belongs to no memory. It may be used repeatedly, for any memory that is long enough.
 * Offsets count bytes from the start of that memory. If a type is given, all numbers count elements of that type.
 * Adjacent runs of a grid are merged if no bytes lie between them.
 */
public final class Section {
    /**
     * The greatest number of strides, which ARMCI calls stride levels. A strided section has at most this number of
     * directions in addition to its contiguous runs. A box has at most this number of dimensions, plus one.
     */
    public static final int LEVELS_MAX = 8;

    private static final long[] NONE = {};

    private final long offset;
    private final long runBytes;
    private final long[] counts;
    private final long[] strides;
    private final long[] offsets;
    private final long[] lengths;
    private final boolean strided;
    private final long bits; // of the offsets and lengths of all runs
    private final long runs;
    private final long bytes;
    private final long end;

    /** Creates a section of runs at the points of a grid. */
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

    /** Creates a section of any runs. */
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
     * Returns a section that consists of a single run of contiguous bytes.
     *
     * @param offset the offset of the first byte, 0 or more
     * @param bytes the number of bytes, 0 or more
     * @return the section
     * @throws IllegalArgumentException if a number is negative
     */
    public static Section of(long offset, long bytes) {
        return strided(offset, bytes, NONE, NONE);
    }

    /**
     * Returns a section that consists of a single run of contiguous elements.
     *
     * @param type the type of the elements
     * @param index the index of the first element, counted in elements from the start of the memory, 0 or more
     * @param count the number of elements, 0 or more
     * @return the section
     * @throws IllegalArgumentException if a number is negative
     */
    public static Section of(DataType type, long index, long count) {
        return strided(type, index, count, NONE, NONE);
    }

    /**
     * Returns a section of runs of equal length at regular distances in one or more directions, for example the rows of
     * a tile of a matrix. All numbers are in elements.
     *
     * @param type the type of the elements
     * @param index the index of the first element of the first run, 0 or more
     * @param count the number of elements of each run, 0 or more
     * @param counts the number of runs in each direction, 0 or more; at most {@value #LEVELS_MAX} directions
     * @param strides the distance in elements between the starts of adjacent runs in each direction, 0 or more
     * @return the section
     * @throws IllegalArgumentException if a number is negative, there are too many directions, or the numbers of counts
     *             and strides differ
     */
    public static Section strided(DataType type, long index, long count, long[] counts, long[] strides) {
        return strided(inBytes(type, index), inBytes(type, count), counts, inBytes(type, strides));
    }

    /**
     * Returns a section of runs of any length at any positions, in the given order. All numbers are in elements.
     *
     * @param type the type of the elements
     * @param indexes the index of the first element of each run, 0 or more
     * @param counts the number of elements of each run, 0 or more
     * @return the section
     * @throws IllegalArgumentException if a number is negative, or the numbers of indexes and counts differ
     */
    public static Section vector(DataType type, long[] indexes, long[] counts) {
        return vector(inBytes(type, indexes), inBytes(type, counts));
    }

    private static long[] inBytes(DataType type, long[] elements) {
        return Arrays.stream(elements).map(each -> inBytes(type, each)).toArray();
    }

    private static long inBytes(DataType type, long elements) {
        if (elements < 0) {
            return elements; // the caller refuses it
        }
        if (elements > Long.MAX_VALUE / type.bytes()) {
            throw new IllegalArgumentException("a section cannot reach beyond " + Long.MAX_VALUE + " bytes, as "
                    + elements + " " + type + " elements do");
        }
        return elements * type.bytes();
    }

    /**
     * Returns a section of runs of equal length at regular distances in one or more directions, for example the rows of
     * a tile of a matrix. Run (i₀, i₁, …) begins at {@code offset + i₀·strides[0] + i₁·strides[1] + …}, and i₀ varies
     * fastest. The stride of a direction with fewer than two points is ignored.
     *
     * @param offset the offset of the first run, 0 or more
     * @param bytes the length of each run, 0 or more
     * @param counts the number of runs in each direction, 0 or more; at most {@value #LEVELS_MAX} directions
     * @param strides the distance in bytes between the starts of adjacent runs in each direction, 0 or more
     * @return the section
     * @throws IllegalArgumentException if a number is negative, there are too many directions, or the numbers of counts
     *             and strides differ
     */
    public static Section strided(long offset, long bytes, long[] counts, long[] strides) {
        if (counts.length != strides.length || counts.length > LEVELS_MAX || offset < 0 || bytes < 0
                || Arrays.stream(counts).anyMatch(count -> count < 0)
                || Arrays.stream(strides).anyMatch(stride -> stride < 0)) {
            throw new IllegalArgumentException("a strided section has numbers of 0 or more, and as many counts as "
                    + "strides, at most " + LEVELS_MAX + ", not " + describe(offset, bytes, counts, strides));
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
                run *= count; // the runs of this direction touch
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
     * Returns a section of runs of any length at any positions, in the given order. All numbers are in bytes.
     *
     * @param offsets the offset of the first byte of each run, 0 or more
     * @param bytes the number of bytes of each run, 0 or more
     * @return the section
     * @throws IllegalArgumentException if a number is negative, or the numbers of offsets and lengths differ
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
     * Returns a section with a box, a rectangular part of an n-dimensional array. The array begins at the start of the
     * memory. The last index of the array varies fastest, as in Java and C.
     *
     * @param type the type of the elements
     * @param shape the length of the array in each dimension, 1 or more; 1 to {@value #LEVELS_MAX} + 1 dimensions
     * @param from the first index of the box in each dimension
     * @param count the length of the box in each dimension, 0 or more
     * @return the section
     * @throws IllegalArgumentException if the arguments differ in their number of dimensions, or the array is longer
     *             than any memory
     * @throws IndexOutOfBoundsException if a part of the box lies outside the array
     */
    public static Section box(DataType type, long[] shape, long[] from, long[] count) {
        return box(0, type, shape, from, count);
    }

    /**
     * Returns a section with a box, a rectangular part of an n-dimensional array. The array may begin at any byte of
     * the memory. The last index of the array varies fastest, as in Java and C.
     *
     * @param offset the byte at which the array begins, 0 or more
     * @param type the type of the elements
     * @param shape the length of the array in each dimension, 1 or more; 1 to {@value #LEVELS_MAX} + 1 dimensions
     * @param from the first index of the box in each dimension
     * @param count the length of the box in each dimension, 0 or more
     * @return the section
     * @throws IllegalArgumentException if the offset is negative, the arguments differ in their number of dimensions,
     *             or the array is longer than any memory
     * @throws IndexOutOfBoundsException if a part of the box lies outside the array
     */
    public static Section box(long offset, DataType type, long[] shape, long[] from, long[] count) {
        int dimensions = shape.length;
        if (dimensions == 0 || dimensions > LEVELS_MAX + 1 || from.length != dimensions || count.length != dimensions) {
            throw new IllegalArgumentException(
                    "a box has 1 to " + (LEVELS_MAX + 1) + " dimensions, the same in shape, from "
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
     * {@return the total number of bytes}
     */
    public long bytes() {
        return bytes;
    }

    /**
     * {@return the offset of the first byte after all runs, which is the least size of a memory with this section}
     */
    public long end() {
        return end;
    }

    /**
     * {@return the number of runs}
     */
    public long runs() {
        return runs;
    }

    /**
     * {@return the offset of a run in bytes}
     *
     * @param run the number of the run, from 0
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
     * {@return the length of a run in bytes}
     *
     * @param run the number of the run, from 0
     */
    public long bytesOf(long run) {
        return strided ? runBytes : lengths[(int) run];
    }

    /**
     * {@return true if the runs are those of a grid, false if the section is a vector}
     */
    public boolean isStrided() {
        return strided;
    }

    /**
     * {@return the number of directions of the grid, 0 to {@value #LEVELS_MAX}; 0 for a vector}
     */
    public int directions() {
        return counts.length;
    }

    /**
     * {@return the number of points of the grid in a direction}
     *
     * @param direction the number of the direction, from 0
     */
    public long countOf(int direction) {
        return counts[direction];
    }

    /**
     * {@return the number of bytes from the start of a run to the start of the next run in a direction of the grid}
     *
     * @param direction the number of the direction, from 0
     */
    public long strideOf(int direction) {
        return strides[direction];
    }

    /**
     * Returns whether all runs that are not empty begin and end at multiples of a number of bytes, for example the size
     * of an element.
     *
     * @param unit the number of bytes, 1 or more
     * @return whether all offsets and lengths are multiples of the number
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

    /**
     * Returns a description for messages: the number of bytes and runs, and the range from the first byte to the last
     * one.
     */
    @Override
    public String toString() {
        long start = strided ? offset : Arrays.stream(offsets).min().orElse(0);
        return "a section of " + bytes + " bytes in " + runs + (runs == 1 ? " run" : " runs") + ", from byte " + start
                + " to " + end;
    }
}
