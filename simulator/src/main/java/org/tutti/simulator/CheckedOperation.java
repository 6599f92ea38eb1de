/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import org.tutti.DataType;
import org.tutti.Reduction;

/**
 * The elements that calls of a verification run move or combine. This class computes the expected results itself, one
 * rank after the other, without the library's kernels.
 */
enum CheckedOperation {
    /** Bytes, combined by exclusive or: messages of any length, cut anywhere. */
    BYTES(DataType.BYTE, Reduction.BITWISE_XOR),
    /** Sums of longs. */
    SUM(DataType.LONG, Reduction.SUM),
    /** Products of 2×2 matrices of longs, modulo 2⁶⁴: associative to the bit, and not commutative. */
    MATRIX(DataType.LONG, Reduction.of("matrix-product", DataType.LONG, 4, false, CheckedOperation::multiply));

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final int ROW = 2;
    private static final int MATRIX_LONGS = ROW * ROW;
    private static final int BLOCK_BYTES = 8 << 10;
    private static final int BLOCK_LONGS = BLOCK_BYTES / Long.BYTES;

    private final DataType type;
    private final Reduction reduction;

    CheckedOperation(DataType type, Reduction reduction) {
        this.type = type;
        this.reduction = reduction;
    }

    DataType type() {
        return type;
    }

    Reduction reduction() {
        return reduction;
    }

    int unitBytes() {
        return type.bytes() * reduction.unit();
    }

    /**
     * Combines the bytes of lower ranks with those of the next rank, in place of the former. It copies blocks to arrays
     * that stay in the nearest cache.
     */
    void combine(byte[] left, MemorySegment right) {
        if (this == BYTES) {
            byte[] others = new byte[Math.min(left.length, BLOCK_BYTES)];
            for (int from = 0; from < left.length; from += BLOCK_BYTES) {
                int length = Math.min(BLOCK_BYTES, left.length - from);
                MemorySegment.copy(right, ValueLayout.JAVA_BYTE, from, others, 0, length);
                for (int i = 0; i < length; i++) {
                    left[from + i] ^= others[i];
                }
            }
            return;
        }
        MemorySegment result = MemorySegment.ofArray(left);
        long[] lower = new long[Math.min(left.length, BLOCK_BYTES) / Long.BYTES];
        long[] higher = new long[lower.length];
        for (int from = 0; from < left.length; from += BLOCK_BYTES) {
            int length = Math.min(BLOCK_BYTES, left.length - from) / Long.BYTES;
            MemorySegment.copy(result, LONG, from, lower, 0, length);
            MemorySegment.copy(right, LONG, from, higher, 0, length);
            if (this == SUM) {
                for (int i = 0; i < length; i++) {
                    lower[i] += higher[i];
                }
            } else {
                for (int at = 0; at < length; at += MATRIX_LONGS) {
                    multiply(lower, higher, at);
                }
            }
            MemorySegment.copy(lower, 0, result, LONG, from, length);
        }
    }

    /**
     * Multiplies two matrices by rows and columns. The operator below does the same without loops, so the two check
     * each other.
     */
    private static void multiply(long[] lower, long[] higher, int at) {
        for (int row = at; row < at + MATRIX_LONGS; row += ROW) {
            long first = lower[row];
            long second = lower[row + 1];
            for (int column = 0; column < ROW; column++) {
                lower[row + column] = first * higher[at + column] + second * higher[at + column + ROW];
            }
        }
    }

    /**
     * The operator as an experienced user would write it: it copies to arrays, which are fast whatever the segments
     * are. Otherwise a verification would spend most of its time here.
     */
    private static void multiply(MemorySegment left, MemorySegment right, MemorySegment result, long count) {
        int block = (int) Math.min(count, BLOCK_LONGS);
        long[] lower = new long[block];
        long[] higher = new long[block];
        for (long from = 0; from < count; from += block) {
            int length = (int) Math.min(block, count - from);
            MemorySegment.copy(left, LONG, from * Long.BYTES, lower, 0, length);
            MemorySegment.copy(right, LONG, from * Long.BYTES, higher, 0, length);
            for (int at = 0; at < length; at += MATRIX_LONGS) {
                long a = lower[at];
                long b = lower[at + 1];
                long c = lower[at + 2];
                long d = lower[at + 3];
                long e = higher[at];
                long f = higher[at + 1];
                long g = higher[at + 2];
                long h = higher[at + 3];
                lower[at] = a * e + b * g;
                lower[at + 1] = a * f + b * h;
                lower[at + 2] = c * e + d * g;
                lower[at + 3] = c * f + d * h;
            }
            MemorySegment.copy(lower, 0, result, LONG, from * Long.BYTES, length);
        }
    }
}
