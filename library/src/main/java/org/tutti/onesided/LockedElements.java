/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Combines source elements with target elements by plain loads and stores. The caller must have locked the target
 * range.
 */
final class LockedElements {
    private static final ValueLayout.OfFloat FLOATS = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final ValueLayout.OfDouble DOUBLES = ValueLayout.JAVA_DOUBLE_UNALIGNED;

    private LockedElements() {}

    /** Combines elements of type float; {@code bytes} is a multiple of the size of an element or pair. */
    static void floats(Accumulation how, float scale, float imaginary, MemorySegment target, long targetOffset,
            MemorySegment source, long sourceOffset, int bytes) {
        switch (how) {
            case SUM -> {
                for (int at = 0; at < bytes; at += Float.BYTES) {
                    float here = target.get(FLOATS, targetOffset + at);
                    float there = source.get(FLOATS, sourceOffset + at);
                    target.set(FLOATS, targetOffset + at, here + scale * there);
                }
            }
            case MIN -> {
                for (int at = 0; at < bytes; at += Float.BYTES) {
                    float here = target.get(FLOATS, targetOffset + at);
                    float there = source.get(FLOATS, sourceOffset + at);
                    target.set(FLOATS, targetOffset + at, Math.min(here, there));
                }
            }
            case MAX -> {
                for (int at = 0; at < bytes; at += Float.BYTES) {
                    float here = target.get(FLOATS, targetOffset + at);
                    float there = source.get(FLOATS, sourceOffset + at);
                    target.set(FLOATS, targetOffset + at, Math.max(here, there));
                }
            }
            case REPLACE -> MemorySegment.copy(source, sourceOffset, target, targetOffset, bytes);
            case SUM_OF_COMPLEX -> {
                for (int at = 0; at < bytes; at += 2 * Float.BYTES) {
                    long there = targetOffset + at;
                    float a = source.get(FLOATS, sourceOffset + at);
                    float b = source.get(FLOATS, sourceOffset + at + Float.BYTES);
                    target.set(FLOATS, there, target.get(FLOATS, there) + scale * a - imaginary * b);
                    target.set(FLOATS, there + Float.BYTES,
                            target.get(FLOATS, there + Float.BYTES) + scale * b + imaginary * a);
                }
            }
            default -> throw new IllegalArgumentException(how + " does not work on elements of type float");
        }
    }

    /** Combines elements of type double; {@code bytes} is a multiple of the size of an element or pair. */
    static void doubles(Accumulation how, double scale, double imaginary, MemorySegment target, long targetOffset,
            MemorySegment source, long sourceOffset, int bytes) {
        switch (how) {
            case SUM -> {
                for (int at = 0; at < bytes; at += Double.BYTES) {
                    double here = target.get(DOUBLES, targetOffset + at);
                    double there = source.get(DOUBLES, sourceOffset + at);
                    target.set(DOUBLES, targetOffset + at, here + scale * there);
                }
            }
            case MIN -> {
                for (int at = 0; at < bytes; at += Double.BYTES) {
                    double here = target.get(DOUBLES, targetOffset + at);
                    double there = source.get(DOUBLES, sourceOffset + at);
                    target.set(DOUBLES, targetOffset + at, Math.min(here, there));
                }
            }
            case MAX -> {
                for (int at = 0; at < bytes; at += Double.BYTES) {
                    double here = target.get(DOUBLES, targetOffset + at);
                    double there = source.get(DOUBLES, sourceOffset + at);
                    target.set(DOUBLES, targetOffset + at, Math.max(here, there));
                }
            }
            case REPLACE -> MemorySegment.copy(source, sourceOffset, target, targetOffset, bytes);
            case SUM_OF_COMPLEX -> {
                for (int at = 0; at < bytes; at += 2 * Double.BYTES) {
                    long there = targetOffset + at;
                    double a = source.get(DOUBLES, sourceOffset + at);
                    double b = source.get(DOUBLES, sourceOffset + at + Double.BYTES);
                    target.set(DOUBLES, there, target.get(DOUBLES, there) + scale * a - imaginary * b);
                    target.set(DOUBLES, there + Double.BYTES,
                            target.get(DOUBLES, there + Double.BYTES) + scale * b + imaginary * a);
                }
            }
            default -> throw new IllegalArgumentException(how + " does not work on elements of type double");
        }
    }
}
