/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.layout;

/** The lengths of the windows in which ranks show data to other ranks of their node. */
public final class WindowSizes {
    /** The greatest window that a ring can have; a longer window is a block. */
    public static final long WINDOW_BYTES_MAX = 512 << 10;

    private static final long RANK_BYTES_MIN = 64 << 10;
    private static final long RANK_BYTES_MAX = 2 * WINDOW_BYTES_MAX;
    private static final long NODE_BYTES_MAX = 64 << 20;

    private WindowSizes() {}

    /**
     * Returns the greatest window of a ring.
     *
     * @param ranksMax the greatest number of ranks on a node of the job: together their rings stay below 64 MiB, and
     *            each ring has 64 KiB at least
     * @return bytes, a power of two, the same at every rank
     */
    public static long windowBytesMax(int ranksMax) {
        return Math.clamp(Long.highestOneBit(NODE_BYTES_MAX / ranksMax), RANK_BYTES_MIN, RANK_BYTES_MAX) / 2;
    }
}
