/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.kernel;

import java.lang.foreign.ValueLayout;

import org.tutti.DataType;
import org.tutti.Reduction;

/**
 * The predefined operators on longs. Every operator has a loop of its own, so that the compiler compiles each loop
 * separately.
 */
final class LongKernel extends ArrayKernel {
    /** Combines the first {@code count} elements of both arrays, and writes the results to the left array. */
    @FunctionalInterface
    private interface Loop {
        void run(long[] left, long[] right, int count);
    }

    private final long[] left;
    private final long[] right;
    private final Loop loop;

    LongKernel(Reduction reduction) {
        this(reduction, new long[elements(DataType.LONG)], new long[elements(DataType.LONG)]);
    }

    private LongKernel(Reduction reduction, long[] left, long[] right) {
        super(reduction, DataType.LONG, ValueLayout.JAVA_LONG_UNALIGNED, left, right);
        this.left = left;
        this.right = right;
        this.loop = switch (reduction.name()) {
            case "sum" -> LongKernel::sum;
            case "product" -> LongKernel::product;
            case "min" -> LongKernel::min;
            case "max" -> LongKernel::max;
            case "bitwise-and" -> LongKernel::bitwiseAnd;
            case "bitwise-or" -> LongKernel::bitwiseOr;
            case "bitwise-xor" -> LongKernel::bitwiseXor;
            case "logical-and" -> LongKernel::logicalAnd;
            case "logical-or" -> LongKernel::logicalOr;
            case "logical-xor" -> LongKernel::logicalXor;
            case "min-location" -> LongKernel::minLocation;
            case "max-location" -> LongKernel::maxLocation;
            default -> throw new IllegalArgumentException(reduction + " does not work on longs");
        };
    }

    @Override
    void run(int count) {
        loop.run(left, right, count);
    }

    private static void sum(long[] left, long[] right, int count) {
        for (int i = 0; i < count; i++) {
            left[i] += right[i];
        }
    }

    private static void product(long[] left, long[] right, int count) {
        for (int i = 0; i < count; i++) {
            left[i] *= right[i];
        }
    }

    private static void min(long[] left, long[] right, int count) {
        for (int i = 0; i < count; i++) {
            left[i] = Math.min(left[i], right[i]);
        }
    }

    private static void max(long[] left, long[] right, int count) {
        for (int i = 0; i < count; i++) {
            left[i] = Math.max(left[i], right[i]);
        }
    }

    private static void bitwiseAnd(long[] left, long[] right, int count) {
        for (int i = 0; i < count; i++) {
            left[i] &= right[i];
        }
    }

    private static void bitwiseOr(long[] left, long[] right, int count) {
        for (int i = 0; i < count; i++) {
            left[i] |= right[i];
        }
    }

    private static void bitwiseXor(long[] left, long[] right, int count) {
        for (int i = 0; i < count; i++) {
            left[i] ^= right[i];
        }
    }

    private static void logicalAnd(long[] left, long[] right, int count) {
        for (int i = 0; i < count; i++) {
            left[i] = left[i] != 0 && right[i] != 0 ? 1 : 0;
        }
    }

    private static void logicalOr(long[] left, long[] right, int count) {
        for (int i = 0; i < count; i++) {
            left[i] = left[i] != 0 || right[i] != 0 ? 1 : 0;
        }
    }

    private static void logicalXor(long[] left, long[] right, int count) {
        for (int i = 0; i < count; i++) {
            left[i] = (left[i] != 0) != (right[i] != 0) ? 1 : 0;
        }
    }

    private static void minLocation(long[] left, long[] right, int count) {
        for (int i = 0; i < count; i += 2) {
            int order = Long.compare(left[i], right[i]);
            if (order > 0 || order == 0 && right[i + 1] < left[i + 1]) {
                left[i] = right[i];
                left[i + 1] = right[i + 1];
            }
        }
    }

    private static void maxLocation(long[] left, long[] right, int count) {
        for (int i = 0; i < count; i += 2) {
            int order = Long.compare(right[i], left[i]);
            if (order > 0 || order == 0 && right[i + 1] < left[i + 1]) {
                left[i] = right[i];
                left[i + 1] = right[i + 1];
            }
        }
    }
}
