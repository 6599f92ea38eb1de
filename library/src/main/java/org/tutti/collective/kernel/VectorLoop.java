/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.kernel;

import java.lang.foreign.MemorySegment;

/**
 * A loop that combines whole vectors of elements; see {@link SegmentLoop}. Any number of threads may use it. This type
 * does not link to the Vector API.
 */
interface VectorLoop {
    /**
     * Combines the beginnings of two ranges: {@code target = left op right}. The target may be left or right.
     *
     * @param left elements of lower ranks
     * @param leftOffset their offset in that memory
     * @param right elements of higher ranks
     * @param rightOffset their offset in that memory
     * @param target the memory for the result
     * @param targetOffset the offset of the result in it
     * @param bytes the length of each range
     * @return the bytes of each range that it has combined: all whole vectors, or fewer while it is not compiled
     */
    long combine(MemorySegment left, long leftOffset, MemorySegment right, long rightOffset, MemorySegment target,
            long targetOffset, long bytes);
}
