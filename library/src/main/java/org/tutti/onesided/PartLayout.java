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
 *  then        words of 8 bytes that count notifications, as many as were asked for, and one more, up to a whole line
 * </pre>
 *
 * <p>A stripe is {@value #STRIPE_BYTES} bytes of data. There is a lock for each, but at least one and at most
 * {@value #LOCKS_MAX}. Other processes reach the data, and the words behind them: a put raises words of the region that
 * it goes to.
 */
final class PartLayout {
    /** The data under one lock at a time. */
    static final int STRIPE_BYTES = 32 << 10;

    /** The most locks of a part. */
    static final int LOCKS_MAX = 64;

    private PartLayout() {}

    private static long locks(long dataBytes) {
        return Math.clamp(Math.ceilDiv(dataBytes, (long) STRIPE_BYTES), 1, LOCKS_MAX);
    }

    /** The size of the block for a part; behind the last word must be room for the tag that fabrics may lay there. */
    static long bytes(long dataBytes, int notifications) {
        return locks(dataBytes) * Words.LINE_BYTES + Memory.roundToLines(notification(dataBytes, notifications + 1));
    }

    /** The data of a part. */
    static MemorySegment data(MemorySegment block, long dataBytes) {
        return block.asSlice(locks(dataBytes) * Words.LINE_BYTES, dataBytes);
    }

    /** What other processes reach: the data, where they begin, and the notifications. */
    static MemorySegment region(MemorySegment block, long dataBytes) {
        return block.asSlice(locks(dataBytes) * Words.LINE_BYTES);
    }

    /** Where a word of notifications lies in the region. */
    static long notification(long dataBytes, int index) {
        return Memory.roundToLines(dataBytes) + (long) index * Long.BYTES;
    }

    /** Where the lock for a byte of the data lies in the block. */
    static long lock(long dataBytes, long offset) {
        assert offset >= 0 && offset < dataBytes : "byte " + offset + " of a part of " + dataBytes;
        return offset / STRIPE_BYTES % locks(dataBytes) * Words.LINE_BYTES;
    }
}
