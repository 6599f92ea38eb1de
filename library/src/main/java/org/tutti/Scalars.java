/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

/**
 * Holds the arrays in which calls with a single value pass it. They are reused, so that these calls allocate nothing.
 */
final class Scalars {
    final boolean[] booleans = new boolean[1];
    final int[] ints = new int[1];
    final long[] longs = new long[1];
    final double[] doubles = new double[1];
    private final Span ofBooleans = Span.standingFor(booleans);
    private final Span ofInts = Span.of(ints);
    private final Span ofLongs = Span.of(longs);
    private final Span ofDoubles = Span.of(doubles);

    Span of(boolean value) {
        booleans[0] = value;
        ofBooleans.stage();
        return ofBooleans;
    }

    Span of(int value) {
        ints[0] = value;
        return ofInts;
    }

    Span of(long value) {
        longs[0] = value;
        return ofLongs;
    }

    Span of(double value) {
        doubles[0] = value;
        return ofDoubles;
    }
}
