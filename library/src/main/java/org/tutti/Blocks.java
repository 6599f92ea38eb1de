/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * The positions and the lengths of blocks in an array or a {@link Span}, one block for each rank. They are arguments of
 * those calls of a {@link Communicator} that send or receive blocks of different lengths. In calls of a {@link
 * Neighbourhood} there is one block for each source or each target, in their order, in place of a rank. Counts and
 * displacements are in elements. Blocks may be empty, lie in any order, and have gaps between them.
 *
 * <p>Blocks are immutable, and safe for use by any number of threads. A call with blocks allocates nothing, so a
 * program should make its blocks once and use them often.
 */
public final class Blocks {
    private final long[] counts;
    private final long[] displacements;
    private final long end;
    private final int[] overlap; // two ranks, or none

    private Blocks(long[] counts, long[] displacements) {
        this.counts = counts;
        this.displacements = displacements;
        this.end = check();
        this.overlap = findOverlap();
    }

    /**
     * Returns blocks for all ranks that lie one after the other in an array or a span, in the order of the ranks.
     *
     * @param counts the number of elements of each rank's block
     * @return the blocks
     * @throws IllegalArgumentException if a count is negative, or the sum of the counts exceeds {@link Long#MAX_VALUE}
     */
    public static Blocks of(int... counts) {
        return of(Arrays.stream(counts).asLongStream().toArray());
    }

    /**
     * Returns blocks for all ranks that lie one after the other in an array or a span, in the order of the ranks.
     *
     * @param counts the number of elements of each rank's block
     * @return the blocks
     * @throws IllegalArgumentException if a count is negative, or the sum of the counts exceeds {@link Long#MAX_VALUE}
     */
    public static Blocks of(long[] counts) {
        long[] displacements = new long[counts.length];
        for (int rank = 1; rank < counts.length; rank++) {
            displacements[rank] = displacements[rank - 1] + counts[rank - 1];
        }
        return new Blocks(counts.clone(), displacements);
    }

    /**
     * Returns blocks for all ranks, each at a given position of an array or a span.
     *
     * @param counts the number of elements of each rank's block
     * @param displacements the index of the first element of each rank's block
     * @return the blocks
     * @throws IllegalArgumentException if there are more counts than displacements or fewer, if one of them is
     *             negative, or if a block ends beyond {@link Long#MAX_VALUE}
     */
    public static Blocks of(int[] counts, int[] displacements) {
        return of(Arrays.stream(counts).asLongStream().toArray(),
                Arrays.stream(displacements).asLongStream().toArray());
    }

    /**
     * Returns blocks for all ranks, each at a given position of an array or a span.
     *
     * @param counts the number of elements of each rank's block
     * @param displacements the index of the first element of each rank's block
     * @return the blocks
     * @throws IllegalArgumentException if there are more counts than displacements or fewer, if one of them is
     *             negative, or if a block ends beyond {@link Long#MAX_VALUE}
     */
    public static Blocks of(long[] counts, long[] displacements) {
        if (counts.length != displacements.length) {
            throw new IllegalArgumentException("blocks need a count and a displacement for each rank, but there are "
                    + counts.length + " counts and " + displacements.length + " displacements");
        }
        return new Blocks(counts.clone(), displacements.clone());
    }

    private long check() {
        long last = 0;
        for (int rank = 0; rank < counts.length; rank++) {
            long count = counts[rank];
            long displacement = displacements[rank];
            if (count < 0 || displacement < 0) {
                throw new IllegalArgumentException("the block of rank " + rank + " has count " + count
                        + " and displacement " + displacement + "; both must be 0 or more");
            }
            if (displacement > Long.MAX_VALUE - count) {
                throw new IllegalArgumentException("the block of rank " + rank + " would end behind element "
                        + Long.MAX_VALUE + ", the last that can be counted: it has count " + count
                        + " and displacement " + displacement);
            }
            if (count > 0) {
                last = Math.max(last, displacement + count);
            }
        }
        return last;
    }

    private int[] findOverlap() {
        int[] ranks = IntStream.range(0, counts.length).filter(rank -> counts[rank] > 0).boxed()
                .sorted(Comparator.comparingLong(rank -> displacements[rank])).mapToInt(rank -> rank).toArray();
        for (int i = 1; i < ranks.length; i++) {
            if (displacements[ranks[i - 1]] + counts[ranks[i - 1]] > displacements[ranks[i]]) {
                return new int[]{ranks[i - 1], ranks[i]};
            }
        }
        return new int[0];
    }

    /**
     * {@return the number of ranks that have a block}
     */
    public int ranks() {
        return counts.length;
    }

    /**
     * Returns the length of the block of a rank.
     *
     * @param rank the rank, 0 to {@link #ranks} − 1
     * @return the number of elements of the block, 0 or more
     */
    public long count(int rank) {
        return counts[rank];
    }

    /**
     * Returns the position at which the block of a rank begins.
     *
     * @param rank the rank, 0 to {@link #ranks} − 1
     * @return the index of the block's first element in the array or span
     */
    public long displacement(int rank) {
        return displacements[rank];
    }

    /**
     * {@return the index of the first element after all blocks, which is the least length of an array with these
     * blocks}
     */
    public long end() {
        return end;
    }

    void check(int size, long length, String name) {
        if (counts.length != size) {
            throw new IllegalArgumentException("the blocks of the " + name + " are those of " + counts.length
                    + " ranks, but the communicator has " + size);
        }
        if (end > length) {
            throw new IllegalArgumentException("the blocks of the " + name + " end at element " + end
                    + ", but it has " + length);
        }
    }

    /** Checks that the blocks, which are written to, do not overlap. */
    void checkApart(String name) {
        if (overlap.length > 0) {
            throw new IllegalArgumentException("the blocks of ranks " + overlap[0] + " and " + overlap[1] + " in the "
                    + name + " overlap; what is received must be apart");
        }
    }

    @Override
    public String toString() {
        return "blocks with counts " + text(counts) + " at " + text(displacements);
    }

    private static String text(long[] values) {
        int shown = Math.min(values.length, 16);
        return Arrays.toString(Arrays.copyOf(values, shown)) + (shown < values.length ? " and so on" : "");
    }
}
