/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.kernel;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import org.tutti.DataType;
import org.tutti.Reduction;

/**
 * The operators on ints. Every operator has a loop of its own, so that each is compiled for itself.
 */
final class IntKernel extends Kernel {
    private static final ValueLayout.OfInt LAYOUT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final long BYTES = Integer.BYTES;

    /** One loop over three ranges of the same length. */
    @FunctionalInterface
    private interface Loop {
        void run(MemorySegment left, long l, MemorySegment right, long r, MemorySegment target, long t, long bytes);
    }

    private final Loop loop;

    IntKernel(Reduction reduction) {
        super(reduction, DataType.INT);
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

    private static void bitwiseAnd(MemorySegment left, long l, MemorySegment right, long r, MemorySegment target,
            long t,
            long bytes) {
        for (long at = 0; at < bytes; at += BYTES) {
            target.set(LAYOUT, t + at, left.get(LAYOUT, l + at) & right.get(LAYOUT, r + at));
        }
    }

    private static void bitwiseOr(MemorySegment left, long l, MemorySegment right, long r, MemorySegment target, long t,
            long bytes) {
        for (long at = 0; at < bytes; at += BYTES) {
            target.set(LAYOUT, t + at, left.get(LAYOUT, l + at) | right.get(LAYOUT, r + at));
        }
    }

    private static void bitwiseXor(MemorySegment left, long l, MemorySegment right, long r, MemorySegment target,
            long t,
            long bytes) {
        for (long at = 0; at < bytes; at += BYTES) {
            target.set(LAYOUT, t + at, left.get(LAYOUT, l + at) ^ right.get(LAYOUT, r + at));
        }
    }

    private static void logicalAnd(MemorySegment left, long l, MemorySegment right, long r, MemorySegment target,
            long t,
            long bytes) {
        for (long at = 0; at < bytes; at += BYTES) {
            target.set(LAYOUT, t + at, left.get(LAYOUT, l + at) != 0 && right.get(LAYOUT, r + at) != 0 ? 1 : 0);
        }
    }

    private static void logicalOr(MemorySegment left, long l, MemorySegment right, long r, MemorySegment target, long t,
            long bytes) {
        for (long at = 0; at < bytes; at += BYTES) {
            target.set(LAYOUT, t + at, left.get(LAYOUT, l + at) != 0 || right.get(LAYOUT, r + at) != 0 ? 1 : 0);
        }
    }

    private static void logicalXor(MemorySegment left, long l, MemorySegment right, long r, MemorySegment target,
            long t,
            long bytes) {
        for (long at = 0; at < bytes; at += BYTES) {
            target.set(LAYOUT, t + at, (left.get(LAYOUT, l + at) != 0) != (right.get(LAYOUT, r + at) != 0) ? 1 : 0);
        }
    }

    private static void minLocation(MemorySegment left, long l, MemorySegment right, long r, MemorySegment target,
            long t, long bytes) {
        for (long at = 0; at < bytes; at += 2 * BYTES) {
            int order = Integer.compare(left.get(LAYOUT, l + at), right.get(LAYOUT, r + at));
            boolean isLeft = order == 0
                    ? left.get(LAYOUT, l + at + BYTES) <= right.get(LAYOUT, r + at + BYTES)
                    : order < 0;
            MemorySegment source = isLeft ? left : right;
            long from = (isLeft ? l : r) + at;
            int value = source.get(LAYOUT, from);
            int index = source.get(LAYOUT, from + BYTES);
            target.set(LAYOUT, t + at, value);
            target.set(LAYOUT, t + at + BYTES, index);
        }
    }

    private static void maxLocation(MemorySegment left, long l, MemorySegment right, long r, MemorySegment target,
            long t, long bytes) {
        for (long at = 0; at < bytes; at += 2 * BYTES) {
            int order = Integer.compare(left.get(LAYOUT, l + at), right.get(LAYOUT, r + at));
            boolean isLeft = order == 0
                    ? left.get(LAYOUT, l + at + BYTES) <= right.get(LAYOUT, r + at + BYTES)
                    : order > 0;
            MemorySegment source = isLeft ? left : right;
            long from = (isLeft ? l : r) + at;
            int value = source.get(LAYOUT, from);
            int index = source.get(LAYOUT, from + BYTES);
            target.set(LAYOUT, t + at, value);
            target.set(LAYOUT, t + at + BYTES, index);
        }
    }
}
