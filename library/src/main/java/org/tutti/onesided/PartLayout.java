/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;

import org.tutti.memory.Memory;
import org.tutti.memory.Words;

/**
 * A part's block in its node's memory.
 *
 * <pre>
 *  line k:     +0 lock k: 0, or the rank that holds it plus one; for the stripes k, k + locks, k + 2·locks, …
 *  +64·locks   the data, as many bytes as were asked for, up to a whole line
 * </pre>
 *
 * <p>A stripe is {@value #STRIPE_BYTES} bytes of data. There is a lock for each, but at least one and at most
 * {@value #LOCKS_MAX}. Other processes reach the data only.
 */
final class PartLayout {
    /** The data under one lock at a time. */
    static final int STRIPE_BYTES = 4 << 10;

    /** The most locks of a part. */
    static final int LOCKS_MAX = 64;

    private PartLayout() {}

    private static long locks(long dataBytes) {
        return Math.clamp(Math.ceilDiv(dataBytes, (long) STRIPE_BYTES), 1, LOCKS_MAX);
    }

    /** The size of the block for a part of so many bytes. */
    static long bytes(long dataBytes) {
        return locks(dataBytes) * Words.LINE_BYTES + Memory.roundToLines(dataBytes);
    }

    /** The data of a part. */
    static MemorySegment data(MemorySegment block, long dataBytes) {
        return block.asSlice(locks(dataBytes) * Words.LINE_BYTES, dataBytes);
    }

    /** Where the lock for a byte of the data lies in the block. */
    static long lock(long dataBytes, long offset) {
        return offset / STRIPE_BYTES % locks(dataBytes) * Words.LINE_BYTES;
    }
}
