/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.util.Arrays;

/**
 * The values that a rank writes to all its elements before each call. They are small whole numbers that count up from
 * element to element, and start anew after a period. From call to call they move on by one element, so that every
 * element changes. Writing copies short blocks of a table: the JVM would compile a loop for the sizes of the first
 * cells, and not unroll it for longer ones. {@code bench/peers/loop.h} does the same.
 */
final class Pattern {
    private static final int PERIOD = 251;
    private static final int BLOCK = 2 * PERIOD; // the table stays in the nearest cache

    private final double[] values = new double[BLOCK + PERIOD];

    /** The elements that a rank writes. */
    @FunctionalInterface
    interface Elements {
        /** Writes some values to the elements that begin at an index. */
        void write(double[] values, int from, int index, int count);
    }

    /** @param first the least value */
    Pattern(double first) {
        Arrays.setAll(values, i -> value(first, i, 0));
    }

    /** {@return the value of an element in a call, given the least value} */
    static double value(double first, long index, long call) {
        return first + (index + call) % PERIOD;
    }

    /** Writes the values of a call to as many elements. */
    void write(Elements elements, int count, long call) {
        int from = (int) (call % PERIOD);
        for (int at = 0; at < count; at += BLOCK) {
            elements.write(values, from, at, Math.min(BLOCK, count - at));
        }
    }
}
