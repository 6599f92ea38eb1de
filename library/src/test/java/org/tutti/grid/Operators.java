/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.grid;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

import org.tutti.DataType;
import org.tutti.Reduction;

/**
 * The operators of the grid: all that are built in, and users' own.
 */
final class Operators {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    /** Products of 2×2 matrices of longs, modulo 2⁶⁴: associative to the bit, and not commutative. */
    static final Reduction MATRIX_PRODUCT =
            Reduction.of("matrix-product", DataType.LONG, 4, false, Operators::multiplyMatrices);

    /** Keeps the left operand: the combination of all ranks is what rank 0 has. */
    static final Reduction LEFTMOST = Reduction.ofInts("leftmost", false, (left, _) -> left);

    /** Keeps the right operand: the combination of all ranks is what the last rank has. */
    static final Reduction RIGHTMOST = Reduction.ofDoubles("rightmost", false, (_, right) -> right);

    /** A user's own sum, which commutes. */
    static final Reduction OWN_SUM = Reduction.ofLongs("own-sum", true, Long::sum);

    static final List<Reduction> ALL = List.of(Reduction.SUM, Reduction.PRODUCT, Reduction.MIN, Reduction.MAX,
            Reduction.BITWISE_AND, Reduction.BITWISE_OR, Reduction.BITWISE_XOR, Reduction.LOGICAL_AND,
            Reduction.LOGICAL_OR, Reduction.LOGICAL_XOR, Reduction.MIN_LOCATION, Reduction.MAX_LOCATION, MATRIX_PRODUCT,
            LEFTMOST, RIGHTMOST, OWN_SUM);

    private Operators() {}

    private static void multiplyMatrices(MemorySegment left, MemorySegment right, MemorySegment result, long count) {
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
