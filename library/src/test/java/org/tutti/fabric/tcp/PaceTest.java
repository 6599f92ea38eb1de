/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PaceTest {
    private static final long RATE_NANOS = 8; // a byte, at 1 Gbit/s

    private final Pace pace = new Pace();

    @Test
    void shouldNotSleepWhenNothingIsMissingOrTheRateIsNotKnown() {
        assertThat(pace.sleepNanos(0, 1_000)).isZero();
        assertThat(pace.sleepNanos(60_000, 2_000)).isZero();
        assertThat(pace.sleepNanos(0, 1_000_000_000)).isZero();
        assertThat(pace.sleepNanos(50_000, 2_000_000_000)).isZero(); // the frame before ended unseen
    }

    @Test
    void shouldSleepForAsLongAsTheRestTakes() {
        pace.sleepNanos(60_000, 0);
        assertThat(pace.sleepNanos(20_000, 40_000 * RATE_NANOS)).isEqualTo(20_000 * RATE_NANOS);
        assertThat(pace.sleepNanos(30_000, 400_000)).as("by the rate of the frame before")
                .isEqualTo(30_000 * RATE_NANOS);
    }

    @Test
    void shouldSleepNeitherForVeryShortNorForLong() {
        pace.sleepNanos(60_000, 0);
        assertThat(pace.sleepNanos(59_000, 1_000 * RATE_NANOS)).isEqualTo(Pace.NANOS_MAX);
        assertThat(pace.sleepNanos(10_000, 50_000 * RATE_NANOS)).isZero();
        assertThat(pace.sleepNanos(5_000, Long.MAX_VALUE / 2)).as("nothing came for years, by which no rate is known")
                .isZero();
    }

    @Test
    void shouldNotSleepForAFrameThatStands() {
        pace.sleepNanos(60_000, 0);
        assertThat(pace.sleepNanos(40_000, 20_000 * RATE_NANOS)).isEqualTo(Pace.NANOS_MAX);
        assertThat(pace.sleepNanos(40_000, 40_000 * RATE_NANOS)).isZero();
    }
}
