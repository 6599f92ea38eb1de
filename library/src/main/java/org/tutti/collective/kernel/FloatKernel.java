/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.kernel;

import java.lang.foreign.ValueLayout;

import org.tutti.DataType;
import org.tutti.Reduction;

/**
 * The operators on floats. Every operator has a loop of its own, so that each is compiled for itself.
 */
final class FloatKernel extends ArrayKernel {
    /** Combines the first elements of two arrays into the left one. */
    @FunctionalInterface
    private interface Loop {
        void run(float[] left, float[] right, int count);
    }

    private final float[] left;
    private final float[] right;
    private final Loop loop;

    FloatKernel(Reduction reduction) {
        this(reduction, new float[elements(DataType.FLOAT)], new float[elements(DataType.FLOAT)]);
    }

    private FloatKernel(Reduction reduction, float[] left, float[] right) {
        super(reduction, DataType.FLOAT, ValueLayout.JAVA_FLOAT_UNALIGNED, left, right);
        this.left = left;
        this.right = right;
        this.loop = switch (reduction.name()) {
            case "sum" -> FloatKernel::sum;
            case "product" -> FloatKernel::product;
            case "min" -> FloatKernel::min;
            case "max" -> FloatKernel::max;
            case "min-location" -> FloatKernel::minLocation;
            case "max-location" -> FloatKernel::maxLocation;
            default -> throw new IllegalArgumentException(reduction + " does not work on floats");
        };
    }

    @Override
    void run(int count) {
        loop.run(left, right, count);
    }

    private static void sum(float[] left, float[] right, int count) {
        for (int i = 0; i < count; i++) {
            left[i] += right[i];
        }
    }

    private static void product(float[] left, float[] right, int count) {
        for (int i = 0; i < count; i++) {
            left[i] *= right[i];
        }
    }

    private static void min(float[] left, float[] right, int count) {
        for (int i = 0; i < count; i++) {
            left[i] = Math.min(left[i], right[i]);
        }
    }

    private static void max(float[] left, float[] right, int count) {
        for (int i = 0; i < count; i++) {
            left[i] = Math.max(left[i], right[i]);
        }
    }

    private static void minLocation(float[] left, float[] right, int count) {
        for (int i = 0; i < count; i += 2) {
            int order = minOrder(left[i], right[i]);
            if (order > 0 || order == 0 && right[i + 1] < left[i + 1]) {
                left[i] = right[i];
                left[i + 1] = right[i + 1];
            }
        }
    }

    private static void maxLocation(float[] left, float[] right, int count) {
        for (int i = 0; i < count; i += 2) {
            int order = maxOrder(left[i], right[i]);
            if (order > 0 || order == 0 && right[i + 1] < left[i + 1]) {
                left[i] = right[i];
                left[i + 1] = right[i + 1];
            }
        }
    }

    /** Negative when left wins: Float.compare, but with a NaN before any number. */
    private static int minOrder(float left, float right) {
        return Float.isNaN(left) || Float.isNaN(right) ? Float.compare(right, left) : Float.compare(left, right);
    }

    private static int maxOrder(float left, float right) {
        return Float.compare(right, left);
    }
}
