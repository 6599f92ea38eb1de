/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.kernel;

import java.lang.foreign.ValueLayout;

import org.tutti.DataType;
import org.tutti.Reduction;

/**
 * The predefined operators on doubles. Every operator has a loop of its own, so that the compiler compiles each loop
 * separately.
 */
final class DoubleKernel extends ArrayKernel {
    /** Combines the first {@code count} elements of both arrays, and writes the results to the left array. */
    @FunctionalInterface
    private interface Loop {
        void run(double[] left, double[] right, int count);
    }

    private final double[] left;
    private final double[] right;
    private final Loop loop;

    DoubleKernel(Reduction reduction) {
        this(reduction, new double[elements(DataType.DOUBLE)], new double[elements(DataType.DOUBLE)]);
    }

    private DoubleKernel(Reduction reduction, double[] left, double[] right) {
        super(reduction, DataType.DOUBLE, ValueLayout.JAVA_DOUBLE_UNALIGNED, left, right);
        this.left = left;
        this.right = right;
        this.loop = switch (reduction.name()) {
            case "sum" -> DoubleKernel::sum;
            case "product" -> DoubleKernel::product;
            case "min" -> DoubleKernel::min;
            case "max" -> DoubleKernel::max;
            case "min-location" -> DoubleKernel::minLocation;
            case "max-location" -> DoubleKernel::maxLocation;
            default -> throw new IllegalArgumentException(reduction + " does not work on doubles");
        };
    }

    @Override
    void run(int count) {
        loop.run(left, right, count);
    }

    private static void sum(double[] left, double[] right, int count) {
        for (int i = 0; i < count; i++) {
            left[i] += right[i];
        }
    }

    private static void product(double[] left, double[] right, int count) {
        for (int i = 0; i < count; i++) {
            left[i] *= right[i];
        }
    }

    private static void min(double[] left, double[] right, int count) {
        for (int i = 0; i < count; i++) {
            left[i] = Math.min(left[i], right[i]);
        }
    }

    private static void max(double[] left, double[] right, int count) {
        for (int i = 0; i < count; i++) {
            left[i] = Math.max(left[i], right[i]);
        }
    }

    private static void minLocation(double[] left, double[] right, int count) {
        for (int i = 0; i < count; i += 2) {
            int order = minOrder(left[i], right[i]);
            if (order > 0 || order == 0 && right[i + 1] < left[i + 1]) {
                left[i] = right[i];
                left[i + 1] = right[i + 1];
            }
        }
    }

    private static void maxLocation(double[] left, double[] right, int count) {
        for (int i = 0; i < count; i += 2) {
            int order = maxOrder(left[i], right[i]);
            if (order > 0 || order == 0 && right[i + 1] < left[i + 1]) {
                left[i] = right[i];
                left[i + 1] = right[i + 1];
            }
        }
    }

    /** Compares two values as Double.compare does, except that a NaN comes before any number; negative if left wins. */
    private static int minOrder(double left, double right) {
        return Double.isNaN(left) || Double.isNaN(right) ? Double.compare(right, left) : Double.compare(left, right);
    }

    private static int maxOrder(double left, double right) {
        return Double.compare(right, left);
    }
}
