/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.kernel;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import org.tutti.DataType;
import org.tutti.Reduction;

/**
 * The operators on doubles. Every operator has a loop of its own, so that each is compiled for itself.
 */
final class DoubleKernel extends Kernel {
    private static final ValueLayout.OfDouble LAYOUT = ValueLayout.JAVA_DOUBLE_UNALIGNED;
    private static final long BYTES = Double.BYTES;

    /** One loop over three ranges of the same length. */
    @FunctionalInterface
    private interface Loop {
        void run(MemorySegment left, long l, MemorySegment right, long r, MemorySegment target, long t, long bytes);
    }

    private final Loop loop;

    DoubleKernel(Reduction reduction) {
        super(reduction, DataType.DOUBLE);
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
    public void combine(MemorySegment left, long leftOffset, MemorySegment right, long rightOffset,
            MemorySegment target, long targetOffset, long bytes) {
        loop.run(left, leftOffset, right, rightOffset, target, targetOffset, bytes);
    }

    private static void sum(MemorySegment left, long l, MemorySegment right, long r, MemorySegment target, long t,
            long bytes) {
        for (long at = 0; at < bytes; at += BYTES) {
            target.set(LAYOUT, t + at, left.get(LAYOUT, l + at) + right.get(LAYOUT, r + at));
        }
    }

    private static void product(MemorySegment left, long l, MemorySegment right, long r, MemorySegment target, long t,
            long bytes) {
        for (long at = 0; at < bytes; at += BYTES) {
            target.set(LAYOUT, t + at, left.get(LAYOUT, l + at) * right.get(LAYOUT, r + at));
        }
    }

    private static void min(MemorySegment left, long l, MemorySegment right, long r, MemorySegment target, long t,
            long bytes) {
        for (long at = 0; at < bytes; at += BYTES) {
            target.set(LAYOUT, t + at, Math.min(left.get(LAYOUT, l + at), right.get(LAYOUT, r + at)));
        }
    }

    private static void max(MemorySegment left, long l, MemorySegment right, long r, MemorySegment target, long t,
            long bytes) {
        for (long at = 0; at < bytes; at += BYTES) {
            target.set(LAYOUT, t + at, Math.max(left.get(LAYOUT, l + at), right.get(LAYOUT, r + at)));
        }
    }

    private static void minLocation(MemorySegment left, long l, MemorySegment right, long r, MemorySegment target,
            long t, long bytes) {
        for (long at = 0; at < bytes; at += 2 * BYTES) {
            int order = minOrder(left.get(LAYOUT, l + at), right.get(LAYOUT, r + at));
            boolean isLeft = order == 0
                    ? left.get(LAYOUT, l + at + BYTES) <= right.get(LAYOUT, r + at + BYTES)
                    : order < 0;
            MemorySegment source = isLeft ? left : right;
            long from = (isLeft ? l : r) + at;
            double value = source.get(LAYOUT, from);
            double index = source.get(LAYOUT, from + BYTES);
            target.set(LAYOUT, t + at, value);
            target.set(LAYOUT, t + at + BYTES, index);
        }
    }

    private static void maxLocation(MemorySegment left, long l, MemorySegment right, long r, MemorySegment target,
            long t, long bytes) {
        for (long at = 0; at < bytes; at += 2 * BYTES) {
            int order = maxOrder(left.get(LAYOUT, l + at), right.get(LAYOUT, r + at));
            boolean isLeft = order == 0
                    ? left.get(LAYOUT, l + at + BYTES) <= right.get(LAYOUT, r + at + BYTES)
                    : order < 0;
            MemorySegment source = isLeft ? left : right;
            long from = (isLeft ? l : r) + at;
            double value = source.get(LAYOUT, from);
            double index = source.get(LAYOUT, from + BYTES);
            target.set(LAYOUT, t + at, value);
            target.set(LAYOUT, t + at + BYTES, index);
        }
    }

    /** Negative when left wins: Double.compare, but with a NaN before any number. */
    private static int minOrder(double left, double right) {
        return Double.isNaN(left) || Double.isNaN(right) ? Double.compare(right, left) : Double.compare(left, right);
    }

    private static int maxOrder(double left, double right) {
        return Double.compare(right, left);
    }
}
