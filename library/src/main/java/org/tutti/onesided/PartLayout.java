/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;

import org.tutti.memory.Memory;
import org.tutti.memory.Words;

/**
 * The layout of a part, the memory that one rank contributes to remote memory, with its locks and its notification
 * words.
 *
 * <pre>
 *  line k:     +0 lock k: 0, or the rank that holds it plus one; for the stripes k, k + locks, k + 2·locks, …
 *  +64·locks   the data, rounded up to a whole line
 *  then        the notification words of 8 bytes, and one more word, rounded up to a whole line
 * </pre>
 *
 * <p>A stripe is {@value #STRIPE_BYTES} bytes of data. There is a lock for each stripe, but at least one lock and at
 * most {@value #LOCKS_MAX}. Other processes can reach the data and the notification words. The words lie in the same
 * region as the data, because a put raises words only of its own region.
 */
final class PartLayout {
    /** The length of a stripe in bytes. A stripe is the data that one lock protects at a time. */
    static final int STRIPE_BYTES = 32 << 10;

    /** The greatest number of locks of a part. */
    static final int LOCKS_MAX = 64;

    private PartLayout() {}

    private static long locks(long dataBytes) {
        return Math.clamp(Math.ceilDiv(dataBytes, (long) STRIPE_BYTES), 1, LOCKS_MAX);
    }

    /**
     * Returns the size in bytes of the memory for a part, its locks and its notification words. The size includes room
     * behind the last word for a tag that the fabric, the transport between nodes, may write there.
     */
    static long bytes(long dataBytes, int notifications) {
        return locks(dataBytes) * Words.LINE_BYTES + Memory.roundToLines(notification(dataBytes, notifications + 1));
    }

    /** Returns the data of a part, from its block. */
    static MemorySegment data(MemorySegment block, long dataBytes) {
        return block.asSlice(locks(dataBytes) * Words.LINE_BYTES, dataBytes);
    }

    /** Returns the region that other processes can reach: the data, and then the notification words. */
    static MemorySegment region(MemorySegment block, long dataBytes) {
        return block.asSlice(locks(dataBytes) * Words.LINE_BYTES);
    }

    /** Returns the offset of a notification word in the region. */
    static long notification(long dataBytes, int index) {
        return Memory.roundToLines(dataBytes) + (long) index * Long.BYTES;
    }

    /** Returns the offset in the block of the lock that protects a byte of the data. */
    static long lock(long dataBytes, long offset) {
        assert offset >= 0 && offset < dataBytes : "byte " + offset + " of a part of " + dataBytes;
        return offset / STRIPE_BYTES % locks(dataBytes) * Words.LINE_BYTES;
    }
}
