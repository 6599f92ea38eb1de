/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.layout;

/** Computes the greatest length of the windows in which ranks show data to other ranks of their node. */
public final class WindowSizes {
    /** The length of the greatest window that a ring can have on any node, in bytes. A longer window is a block. */
    public static final long WINDOW_BYTES_MAX = 512 << 10;

    private static final long RANK_BYTES_MIN = 64 << 10;
    private static final long RANK_BYTES_MAX = 2 * WINDOW_BYTES_MAX;
    private static final long NODE_BYTES_MAX = 64 << 20;

    private WindowSizes() {}

    /**
     * Returns the length of the greatest window of a rank's ring. The ring is the memory for windows, in which the rank
     * shows data to its node. A window is at most half of the ring. The rings of a node's ranks together have 64 MiB at
     * most, unless each has only 64 KiB.
     *
     * @param ranksMax the greatest number of ranks on a node of the job
     * @return the length in bytes, a power of two, the same at every rank
     */
    public static long windowBytesMax(int ranksMax) {
        return Math.clamp(Long.highestOneBit(NODE_BYTES_MAX / ranksMax), RANK_BYTES_MIN, RANK_BYTES_MAX) / 2;
    }
}
