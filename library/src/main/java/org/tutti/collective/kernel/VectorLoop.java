/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.kernel;

import java.lang.foreign.MemorySegment;

/**
 * Combines whole vectors of elements; {@link SegmentLoop} implements it. Any number of threads may use a loop. This
 * type does not link to the Vector API, so a JVM without the API can load it.
 */
interface VectorLoop {
    /**
     * Combines the first elements of two ranges of memory, {@code target = left op right}, and returns the number of
     * bytes combined. The target may be the left or the right range.
     *
     * @param left the memory that holds the elements of lower ranks
     * @param leftOffset the offset of the first element in {@code left}, in bytes
     * @param right the memory that holds the elements of higher ranks
     * @param rightOffset the offset of the first element in {@code right}, in bytes
     * @param target the memory for the result
     * @param targetOffset the offset of the result in {@code target}, in bytes
     * @param bytes the length of each range in bytes
     * @return the number of bytes of each range that are combined: all whole vectors, or fewer while the loop is not
     *          compiled
     */
    long combine(MemorySegment left, long leftOffset, MemorySegment right, long rightOffset, MemorySegment target,
            long targetOffset, long bytes);
}
