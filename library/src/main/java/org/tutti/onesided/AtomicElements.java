/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Combines source elements with target elements, one by one, by the processor's atomic instructions. Sums wrap around.
 */
final class AtomicElements {
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
    private static final ValueLayout.OfInt INTS = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONGS = ValueLayout.JAVA_LONG_UNALIGNED;

    private AtomicElements() {}

    /** Combines elements of type int; {@code bytes} is a multiple of their size. */
    static void ints(Accumulation how, int scale, MemorySegment target, long targetOffset, MemorySegment source,
            long sourceOffset, long bytes) {
        switch (how) {
            case SUM -> {
                for (long at = 0; at < bytes; at += Integer.BYTES) {
                    INT.getAndAdd(target, targetOffset + at, scale * source.get(INTS, sourceOffset + at));
                }
            }
            case MIN -> {
                for (long at = 0; at < bytes; at += Integer.BYTES) {
                    int value = source.get(INTS, sourceOffset + at);
                    int old = (int) INT.getVolatile(target, targetOffset + at);
                    while (value < old && !INT.compareAndSet(target, targetOffset + at, old, value)) {
                        old = (int) INT.getVolatile(target, targetOffset + at);
                    }
                }
            }
            case MAX -> {
                for (long at = 0; at < bytes; at += Integer.BYTES) {
                    int value = source.get(INTS, sourceOffset + at);
                    int old = (int) INT.getVolatile(target, targetOffset + at);
                    while (value > old && !INT.compareAndSet(target, targetOffset + at, old, value)) {
                        old = (int) INT.getVolatile(target, targetOffset + at);
                    }
                }
            }
            case BITWISE_AND -> {
                for (long at = 0; at < bytes; at += Integer.BYTES) {
                    INT.getAndBitwiseAnd(target, targetOffset + at, source.get(INTS, sourceOffset + at));
                }
            }
            case BITWISE_OR -> {
                for (long at = 0; at < bytes; at += Integer.BYTES) {
                    INT.getAndBitwiseOr(target, targetOffset + at, source.get(INTS, sourceOffset + at));
                }
            }
            case BITWISE_XOR -> {
                for (long at = 0; at < bytes; at += Integer.BYTES) {
                    INT.getAndBitwiseXor(target, targetOffset + at, source.get(INTS, sourceOffset + at));
                }
            }
            case REPLACE -> {
                for (long at = 0; at < bytes; at += Integer.BYTES) {
                    INT.setVolatile(target, targetOffset + at, source.get(INTS, sourceOffset + at));
                }
            }
            default -> throw new IllegalArgumentException(how + " does not work on elements of type int");
        }
    }

    /** Combines elements of type long; {@code bytes} is a multiple of their size. */
    static void longs(Accumulation how, long scale, MemorySegment target, long targetOffset, MemorySegment source,
            long sourceOffset, long bytes) {
        switch (how) {
            case SUM -> {
                for (long at = 0; at < bytes; at += Long.BYTES) {
                    LONG.getAndAdd(target, targetOffset + at, scale * source.get(LONGS, sourceOffset + at));
                }
            }
            case MIN -> {
                for (long at = 0; at < bytes; at += Long.BYTES) {
                    long value = source.get(LONGS, sourceOffset + at);
                    long old = (long) LONG.getVolatile(target, targetOffset + at);
                    while (value < old && !LONG.compareAndSet(target, targetOffset + at, old, value)) {
                        old = (long) LONG.getVolatile(target, targetOffset + at);
                    }
                }
            }
            case MAX -> {
                for (long at = 0; at < bytes; at += Long.BYTES) {
                    long value = source.get(LONGS, sourceOffset + at);
                    long old = (long) LONG.getVolatile(target, targetOffset + at);
                    while (value > old && !LONG.compareAndSet(target, targetOffset + at, old, value)) {
                        old = (long) LONG.getVolatile(target, targetOffset + at);
                    }
                }
            }
            case BITWISE_AND -> {
                for (long at = 0; at < bytes; at += Long.BYTES) {
                    LONG.getAndBitwiseAnd(target, targetOffset + at, source.get(LONGS, sourceOffset + at));
                }
            }
            case BITWISE_OR -> {
                for (long at = 0; at < bytes; at += Long.BYTES) {
                    LONG.getAndBitwiseOr(target, targetOffset + at, source.get(LONGS, sourceOffset + at));
                }
            }
            case BITWISE_XOR -> {
                for (long at = 0; at < bytes; at += Long.BYTES) {
                    LONG.getAndBitwiseXor(target, targetOffset + at, source.get(LONGS, sourceOffset + at));
                }
            }
            case REPLACE -> {
                for (long at = 0; at < bytes; at += Long.BYTES) {
                    LONG.setVolatile(target, targetOffset + at, source.get(LONGS, sourceOffset + at));
                }
            }
            default -> throw new IllegalArgumentException(how + " does not work on elements of type long");
        }
    }
}
