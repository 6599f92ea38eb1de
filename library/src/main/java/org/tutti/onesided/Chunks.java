/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

/**
 * Divides a long transfer between nodes into chunks, so that one chunk is copied while another is sent. A transfer of
 * {@value #PIPELINED_BYTES_MIN} bytes or more has several chunks. A longer transfer has longer chunks, so that it does
 * not need many messages. The method is that of "Protocols and Strategies …" (2002), section 3.
 *
 * <p>The first and the last chunk are half as long as the others, because nothing overlaps with packing the first chunk
 * and with unpacking the last. Chunks end at multiples of 64 bytes of the transfer, where no element is cut.
 */
final class Chunks {
    /** The least length of a transfer that has several chunks, in bytes. */
    static final long PIPELINED_BYTES_MIN = 2 << 10;

    /** The greatest length of a chunk, in bytes. Two such chunks fit into the buffer of a rail. */
    static final long BYTES_MAX = 32 << 10;

    private static final long BYTES_MIN = 1 << 10;
    private static final long PART = 4;
    private static final long UNIT = 128; // two lines

    private Chunks() {}

    /**
     * Returns the length of the next chunk of a transfer.
     *
     * @param total the length of the whole transfer in bytes, 1 or more
     * @param position the number of bytes in the chunks before this one, less than the total
     * @return the length of the chunk in bytes, 1 or more
     */
    static long next(long total, long position) {
        long left = total - position;
        if (total < PIPELINED_BYTES_MIN) {
            return left;
        }
        long chunk = Math.clamp(roundUp(total / PART, UNIT), BYTES_MIN, BYTES_MAX);
        long half = chunk / 2;
        if (position == 0 || left <= half) {
            return Math.min(half, left);
        }
        long line = UNIT / 2;
        return left <= chunk + half ? Math.min(left, roundUp(left - half, line)) : chunk;
    }

    private static long roundUp(long bytes, long unit) {
        return Math.ceilDiv(bytes, unit) * unit;
    }
}
