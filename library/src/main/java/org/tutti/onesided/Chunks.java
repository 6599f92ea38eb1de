/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

/**
 * Divides a transfer into chunks for pipelined streaming ("Protocols and Strategies …", 2002, section 3): the longer
 * the transfer, the longer its chunks, so that copies and wires overlap from {@value #PIPELINED_BYTES_MIN} bytes on and
 * long transfers have few frames. The first chunk and the last one are half as long as the others: nothing overlaps
 * with packing the first and with unpacking the last. Chunks end at multiples of 64 bytes of the transfer, where no
 * element is cut.
 */
final class Chunks {
    /** The least bytes of a transfer with several chunks. */
    static final long PIPELINED_BYTES_MIN = 2 << 10;

    /** The greatest length of a chunk. Two such chunks fit into the buffer of a rail. */
    static final long BYTES_MAX = 32 << 10;

    private static final long BYTES_MIN = 1 << 10;
    private static final long PART = 4;
    private static final long UNIT = 128; // two lines

    private Chunks() {}

    /**
     * Returns the length of the next chunk of a transfer.
     *
     * @param total the length of the transfer in bytes, 1 or more
     * @param position the number of bytes in earlier chunks
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
