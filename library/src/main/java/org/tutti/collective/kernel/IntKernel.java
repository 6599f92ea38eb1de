/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.kernel;

import java.lang.foreign.ValueLayout;

import org.tutti.DataType;
import org.tutti.Reduction;

/**
 * The operators on ints. Every operator has a loop of its own, so that each is compiled for itself.
 */
final class IntKernel extends ArrayKernel {
    /** Combines the first elements of two arrays into the left one. */
    @FunctionalInterface
    private interface Loop {
        void run(int[] left, int[] right, int count);
    }

    private final int[] left;
    private final int[] right;
    private final Loop loop;

    IntKernel(Reduction reduction) {
        this(reduction, new int[elements(DataType.INT)], new int[elements(DataType.INT)]);
    }

    private IntKernel(Reduction reduction, int[] left, int[] right) {
        super(reduction, DataType.INT, ValueLayout.JAVA_INT_UNALIGNED, left, right);
        this.left = left;
        this.right = right;
        this.loop = switch (reduction.name()) {
            case "sum" -> IntKernel::sum;
            case "product" -> IntKernel::product;
            case "min" -> IntKernel::min;
            case "max" -> IntKernel::max;
            case "bitwise-and" -> IntKernel::bitwiseAnd;
            case "bitwise-or" -> IntKernel::bitwiseOr;
            case "bitwise-xor" -> IntKernel::bitwiseXor;
            case "logical-and" -> IntKernel::logicalAnd;
            case "logical-or" -> IntKernel::logicalOr;
            case "logical-xor" -> IntKernel::logicalXor;
            case "min-location" -> IntKernel::minLocation;
            case "max-location" -> IntKernel::maxLocation;
            default -> throw new IllegalArgumentException(reduction + " does not work on ints");
        };
    }

    @Override
    void run(int count) {
        loop.run(left, right, count);
    }

    private static void sum(int[] left, int[] right, int count) {
        for (int i = 0; i < count; i++) {
            left[i] += right[i];
        }
    }

    private static void product(int[] left, int[] right, int count) {
        for (int i = 0; i < count; i++) {
            left[i] *= right[i];
        }
    }

    private static void min(int[] left, int[] right, int count) {
        for (int i = 0; i < count; i++) {
            left[i] = Math.min(left[i], right[i]);
        }
    }

    private static void max(int[] left, int[] right, int count) {
        for (int i = 0; i < count; i++) {
            left[i] = Math.max(left[i], right[i]);
        }
    }

    private static void bitwiseAnd(int[] left, int[] right, int count) {
        for (int i = 0; i < count; i++) {
            left[i] &= right[i];
        }
    }

    private static void bitwiseOr(int[] left, int[] right, int count) {
        for (int i = 0; i < count; i++) {
            left[i] |= right[i];
        }
    }

    private static void bitwiseXor(int[] left, int[] right, int count) {
        for (int i = 0; i < count; i++) {
            left[i] ^= right[i];
        }
    }

    private static void logicalAnd(int[] left, int[] right, int count) {
        for (int i = 0; i < count; i++) {
            left[i] = left[i] != 0 && right[i] != 0 ? 1 : 0;
        }
    }

    private static void logicalOr(int[] left, int[] right, int count) {
        for (int i = 0; i < count; i++) {
            left[i] = left[i] != 0 || right[i] != 0 ? 1 : 0;
        }
    }

    private static void logicalXor(int[] left, int[] right, int count) {
        for (int i = 0; i < count; i++) {
            left[i] = (left[i] != 0) != (right[i] != 0) ? 1 : 0;
        }
    }

    private static void minLocation(int[] left, int[] right, int count) {
        for (int i = 0; i < count; i += 2) {
            int order = Integer.compare(left[i], right[i]);
            if (order > 0 || order == 0 && right[i + 1] < left[i + 1]) {
                left[i] = right[i];
                left[i + 1] = right[i + 1];
            }
        }
    }

    private static void maxLocation(int[] left, int[] right, int count) {
        for (int i = 0; i < count; i += 2) {
            int order = Integer.compare(right[i], left[i]);
            if (order > 0 || order == 0 && right[i + 1] < left[i + 1]) {
                left[i] = right[i];
                left[i + 1] = right[i + 1];
            }
        }
    }
}
