/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ArrivalRateTest {
    private static final long RATE_NANOS = 8; // a byte, at 1 Gbit/s

    private final ArrivalRate arrivalRate = new ArrivalRate();

    @Test
    void shouldNotSleepWhenNothingIsMissingOrTheRateIsNotKnown() {
        assertThat(arrivalRate.sleepNanos(0, 1_000)).isZero();
        assertThat(arrivalRate.sleepNanos(60_000, 2_000)).isZero();
        assertThat(arrivalRate.sleepNanos(0, 1_000_000_000)).isZero();
        assertThat(arrivalRate.sleepNanos(50_000, 2_000_000_000)).isZero(); // the frame before ended unseen
    }

    @Test
    void shouldSleepForAsLongAsTheRestTakes() {
        arrivalRate.sleepNanos(60_000, 0);
        assertThat(arrivalRate.sleepNanos(20_000, 40_000 * RATE_NANOS)).isEqualTo(20_000 * RATE_NANOS);
        assertThat(arrivalRate.sleepNanos(30_000, 400_000)).as("by the rate of the frame before")
                .isEqualTo(30_000 * RATE_NANOS);
    }

    @Test
    void shouldSleepNeitherForVeryShortNorForLong() {
        arrivalRate.sleepNanos(60_000, 0);
        assertThat(arrivalRate.sleepNanos(59_000, 1_000 * RATE_NANOS)).isEqualTo(ArrivalRate.NANOS_MAX);
        assertThat(arrivalRate.sleepNanos(10_000, 50_000 * RATE_NANOS)).isZero();
        assertThat(arrivalRate.sleepNanos(5_000, Long.MAX_VALUE / 2))
                .as("nothing came for years, by which no rate is known")
                .isZero();
    }

    @Test
    void shouldNotSleepForAFrameThatStands() {
        arrivalRate.sleepNanos(60_000, 0);
        assertThat(arrivalRate.sleepNanos(40_000, 20_000 * RATE_NANOS)).isEqualTo(ArrivalRate.NANOS_MAX);
        assertThat(arrivalRate.sleepNanos(40_000, 40_000 * RATE_NANOS)).isZero();
    }
}
