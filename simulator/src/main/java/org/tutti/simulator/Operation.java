/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import org.tutti.DataType;
import org.tutti.Reduction;

/**
 * What calls of a verification run move or combine. The expected results are computed here, one rank after the other,
 * without the library's kernels.
 */
enum Operation {
    /** Bytes, combined by exclusive or: messages of any length, cut anywhere. */
    BYTES(DataType.BYTE, Reduction.BITWISE_XOR),
    /** Sums of longs. */
    SUM(DataType.LONG, Reduction.SUM),
    /** Products of 2×2 matrices of longs, modulo 2⁶⁴: associative to the bit, and not commutative. */
    MATRIX(DataType.LONG, Reduction.of("matrix-product", DataType.LONG, 4, false, Operation::multiply));

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final int ROW = 2;

    private final DataType type;
    private final Reduction reduction;

    Operation(DataType type, Reduction reduction) {
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

    /** Combines the bytes of a lower rank with those of the next one, into the lower one's. */
    void combine(byte[] left, byte[] right) {
        MemorySegment lower = MemorySegment.ofArray(left);
        MemorySegment higher = MemorySegment.ofArray(right);
        switch (this) {
            case BYTES -> {
                for (int i = 0; i < left.length; i++) {
                    left[i] ^= right[i];
                }
            }
            case SUM -> {
                for (long at = 0; at < left.length; at += Long.BYTES) {
                    lower.set(LONG, at, lower.get(LONG, at) + higher.get(LONG, at));
                }
            }
            case MATRIX -> {
                long[] product = new long[ROW * ROW];
                for (long at = 0; at < left.length; at += (long) ROW * ROW * Long.BYTES) {
                    for (int i = 0; i < product.length; i++) {
                        product[i] = lower.get(LONG, at + i / ROW * ROW * Long.BYTES)
                                * higher.get(LONG, at + i % ROW * Long.BYTES)
                                + lower.get(LONG, at + (i / ROW * ROW + 1) * Long.BYTES)
                                        * higher.get(LONG, at + (i % ROW + ROW) * Long.BYTES);
                    }
                    MemorySegment.copy(MemorySegment.ofArray(product), 0, lower, at, (long) ROW * ROW * Long.BYTES);
                }
            }
        }
    }

    /** The operator as a user would write it. */
    private static void multiply(MemorySegment left, MemorySegment right, MemorySegment result, long count) {
        for (long at = 0; at < count * Long.BYTES; at += 4L * Long.BYTES) {
            long a = left.get(LONG, at);
            long b = left.get(LONG, at + 8);
            long c = left.get(LONG, at + 16);
            long d = left.get(LONG, at + 24);
            long e = right.get(LONG, at);
            long f = right.get(LONG, at + 8);
            long g = right.get(LONG, at + 16);
            long h = right.get(LONG, at + 24);
            result.set(LONG, at, a * e + b * g);
            result.set(LONG, at + 8, a * f + b * h);
            result.set(LONG, at + 16, c * e + d * g);
            result.set(LONG, at + 24, c * f + d * h);
        }
    }
}
