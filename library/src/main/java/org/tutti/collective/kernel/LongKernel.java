/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.kernel;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import org.tutti.DataType;
import org.tutti.Reduction;

/**
 * The operators on longs. Every operator has a loop of its own, so that each is compiled for itself.
 */
final class LongKernel extends Kernel {
    private static final ValueLayout.OfLong LAYOUT = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final long BYTES = Long.BYTES;

    /** One loop over three ranges of the same length. */
    @FunctionalInterface
    private interface Loop {
        void run(MemorySegment left, long l, MemorySegment right, long r, MemorySegment target, long t, long bytes);
    }

    private final Loop loop;

    LongKernel(Reduction reduction) {
        super(reduction, DataType.LONG);
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
            int order = Long.compare(left.get(LAYOUT, l + at), right.get(LAYOUT, r + at));
            boolean isLeft = order == 0
                    ? left.get(LAYOUT, l + at + BYTES) <= right.get(LAYOUT, r + at + BYTES)
                    : order < 0;
            MemorySegment source = isLeft ? left : right;
            long from = (isLeft ? l : r) + at;
            long value = source.get(LAYOUT, from);
            long index = source.get(LAYOUT, from + BYTES);
            target.set(LAYOUT, t + at, value);
            target.set(LAYOUT, t + at + BYTES, index);
        }
    }

    private static void maxLocation(MemorySegment left, long l, MemorySegment right, long r, MemorySegment target,
            long t, long bytes) {
        for (long at = 0; at < bytes; at += 2 * BYTES) {
            int order = Long.compare(left.get(LAYOUT, l + at), right.get(LAYOUT, r + at));
            boolean isLeft = order == 0
                    ? left.get(LAYOUT, l + at + BYTES) <= right.get(LAYOUT, r + at + BYTES)
                    : order > 0;
            MemorySegment source = isLeft ? left : right;
            long from = (isLeft ? l : r) + at;
            long value = source.get(LAYOUT, from);
            long index = source.get(LAYOUT, from + BYTES);
            target.set(LAYOUT, t + at, value);
            target.set(LAYOUT, t + at + BYTES, index);
        }
    }
}
