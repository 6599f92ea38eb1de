/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.util.concurrent.TimeUnit;

import org.HdrHistogram.Histogram;

/**
 * The times of a rank's calls, to three significant digits. Adding a time takes some nanoseconds and allocates nothing.
 * The peers' programs count in the same way: {@code bench/peers/loop.h}.
 */
final class Latencies {
    private static final long NANOS_MAX = TimeUnit.HOURS.toNanos(1);
    private static final int DIGITS = 3;
    private static final double NANOS_PER_MICRO = 1e3;

    private final Histogram counts = new Histogram(NANOS_MAX, DIGITS);

    /** Counts a call that took this long. */
    void add(long nanos) {
        counts.recordValue(Math.min(nanos, NANOS_MAX));
    }

    /** Forgets all calls. */
    void clear() {
        counts.reset();
    }

    /** {@return the time in microseconds that this percentage of the calls did not exceed, 0 if there were none} */
    double micros(Percentile percentile) {
        return counts.getValueAtPercentile(percentile.percent()) / NANOS_PER_MICRO;
    }
}
