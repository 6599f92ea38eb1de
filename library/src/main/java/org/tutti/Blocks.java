/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * Where the blocks of the ranks of a communicator lie in an array or a {@link Span}, and how long they are: for the
 * calls of a {@link Communicator} whose blocks may differ in length. Counts and displacements are in elements; blocks
 * may be empty, lie in any order, and have holes between them.
 *
 * <p>Immutable, and safe for use by any number of threads. It is made once and used often: a call with it allocates
 * nothing.
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
     * Blocks that lie one after the other, in the order of the ranks.
     *
     * @param counts for each rank how many elements its block has
     * @return the blocks
     * @throws IllegalArgumentException when a count is negative, or their sum above {@link Long#MAX_VALUE}
     */
    public static Blocks of(int... counts) {
        return of(Arrays.stream(counts).asLongStream().toArray());
    }

    /**
     * Blocks that lie one after the other, in the order of the ranks.
     *
     * @param counts for each rank how many elements its block has
     * @return the blocks
     * @throws IllegalArgumentException when a count is negative, or their sum above {@link Long#MAX_VALUE}
     */
    public static Blocks of(long[] counts) {
        long[] displacements = new long[counts.length];
        for (int rank = 1; rank < counts.length; rank++) {
            displacements[rank] = displacements[rank - 1] + counts[rank - 1];
        }
        return new Blocks(counts.clone(), displacements);
    }

    /**
     * Blocks that lie anywhere.
     *
     * @param counts for each rank how many elements its block has
     * @param displacements for each rank at which element its block begins
     * @return the blocks
     * @throws IllegalArgumentException when there are not as many counts as displacements, one of them is negative, or
     *             a block ends behind {@link Long#MAX_VALUE}
     */
    public static Blocks of(int[] counts, int[] displacements) {
        return of(Arrays.stream(counts).asLongStream().toArray(),
                Arrays.stream(displacements).asLongStream().toArray());
    }

    /**
     * Blocks that lie anywhere.
     *
     * @param counts for each rank how many elements its block has
     * @param displacements for each rank at which element its block begins
     * @return the blocks
     * @throws IllegalArgumentException when there are not as many counts as displacements, one of them is negative, or
     *             a block ends behind {@link Long#MAX_VALUE}
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
     * {@return of how many ranks there are blocks}
     */
    public int ranks() {
        return counts.length;
    }

    /**
     * Tells how long a block is.
     *
     * @param rank the rank, 0 to {@link #ranks} − 1
     * @return how many elements it has, 0 or more
     */
    public long count(int rank) {
        return counts[rank];
    }

    /**
     * Tells where a block begins.
     *
     * @param rank the rank, 0 to {@link #ranks} − 1
     * @return at which element
     */
    public long displacement(int rank) {
        return displacements[rank];
    }

    /**
     * {@return the first element behind all blocks: how many elements an array must have at least}
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

    /** Blocks that are written to must be apart. */
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
