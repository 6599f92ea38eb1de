/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.kernel;

import java.lang.foreign.MemorySegment;

/**
 * Combines whole vectors of elements; see {@link SegmentLoop}. Any number of threads may use it. It does not link to
 * the Vector API.
 */
interface VectorLoop {
    /**
     * Combines the beginnings of two ranges: {@code target = left op right}. The target may be left or right.
     *
     * @param left elements of lower ranks
     * @param leftOffset at which byte
     * @param right elements of higher ranks
     * @param rightOffset at which byte
     * @param target where the result goes
     * @param targetOffset at which byte
     * @param bytes the length of each range
     * @return how many bytes of each it has combined: all whole vectors, or less while it is not compiled
     */
    long combine(MemorySegment left, long leftOffset, MemorySegment right, long rightOffset, MemorySegment target,
            long targetOffset, long bytes);
}
