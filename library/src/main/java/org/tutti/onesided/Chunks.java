/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

/**
 * How pipelined streaming divides a transfer ("Protocols and Strategies …", 2002, section 3): the longer the transfer,
 * the longer its chunks, so that copies and wires overlap from {@value #PIPELINED_BYTES_MIN} bytes on and long
 * transfers have few frames. The first chunk and the last one are half as long as the others: nothing overlaps with
 * packing the first and with unpacking the last. Chunks end at multiples of 64 bytes of the transfer, where no element
 * is cut.
 */
final class Chunks {
    /** From how many bytes on a transfer has several chunks. */
    static final long PIPELINED_BYTES_MIN = 2 << 10;

    /** The longest chunk: two of them fit into the buffer of a rail. */
    static final long BYTES_MAX = 32 << 10;

    private static final long BYTES_MIN = 1 << 10;
    private static final long PART = 4;
    private static final long UNIT = 128; // half of it is a line

    private Chunks() {}

    /**
     * The next chunk of a transfer.
     *
     * @param total how many bytes the transfer has, 1 or more
     * @param position how many of them earlier chunks have
     * @return how many bytes the chunk has, 1 or more
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
