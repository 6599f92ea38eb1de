/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.util.Random;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

/** Percentiles of times against those of a sorted array. */
class LatenciesTest {
    private static final double DIGITS = 0.1; // percent

    private final Latencies latencies = new Latencies();

    private void assertThatTheyAreThoseOf(long... nanos) {
        long[] sorted = LongStream.of(nanos).sorted().toArray();
        latencies.clear();
        LongStream.of(nanos).forEach(latencies::add);
        for (var percentile : Percentile.values()) {
            int index = (int) Math.ceil(sorted.length * percentile.percent() / 100) - 1;
            assertThat(latencies.micros(percentile)).as(percentile.label()).isCloseTo(sorted[index] / 1e3,
                    withinPercentage(DIGITS));
        }
    }

    @Test
    void shouldBeThoseOfASortedArray() {
        assertThatTheyAreThoseOf(700);
        assertThatTheyAreThoseOf(LongStream.rangeClosed(1, 1_000).toArray());
        var random = new Random(7);
        assertThatTheyAreThoseOf(LongStream.generate(() -> 1L << random.nextInt(35)).limit(12_345)
                .map(scale -> scale + random.nextLong(scale)).toArray());
    }

    @Test
    void shouldBeZeroWithoutCalls() {
        latencies.add(5);
        latencies.clear();
        assertThat(latencies.micros(Percentile.P999)).isZero();
    }

    @Test
    void shouldCountLongerCallsAsAnHour() {
        latencies.add(Long.MAX_VALUE);
        assertThat(latencies.micros(Percentile.P50)).isCloseTo(3_600e6, withinPercentage(DIGITS));
    }
}
