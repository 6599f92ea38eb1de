/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.util.Arrays;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tutti.SampledRows;
import org.tutti.fabric.Striping;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The gain of several rails by their measured speeds, on links with rates, in simulated time. A rate of 0.125 is 1
 * Gbit/s.
 */
@Execution(ExecutionMode.CONCURRENT) // it only computes
class RailSharesTest {
    private static final int LEARNING = 40;
    private static final int MEASURED = 20;

    private static double alone(int bytes, double rate) {
        try (RatedLinks one = new RatedLinks(Striping.SPEED, rate)) {
            return one.mean(bytes, MEASURED);
        }
    }

    /** Each message is awaited before the next one begins. */
    @ParameterizedTest
    @SampledRows({"65536, 1.15", "16384, 1.0", "1048576, 1.2", "8388608, 1.2"})
    void shouldGainOnUnequalRails(int bytes, double gain) {
        try (RatedLinks both = new RatedLinks(Striping.SPEED, 0.125, 0.031)) {
            both.mean(bytes, LEARNING);
            assertThat(alone(bytes, 0.125) / both.mean(bytes, MEASURED)).as("gain").isGreaterThan(gain);
        }
    }

    @ParameterizedTest
    @SampledRows({"65536, 2, 1.95", "1048576, 2, 1.95", "1000000, 2, 1.95", "65536, 4, 3.8", "16384, 2, 1.9",
            "1048576, 4, 3.9"})
    void shouldGainOnEqualRails(int bytes, int rails, double gain) {
        double[] rates = new double[rails];
        Arrays.fill(rates, 0.031);
        try (RatedLinks all = new RatedLinks(Striping.SPEED, rates)) {
            all.mean(bytes, LEARNING);
            assertThat(alone(bytes, 0.031) / all.mean(bytes, MEASURED)).as("gain").isGreaterThan(gain);
        }
    }

    /** Whatever it is used for, a rail that was slow for a while is found to be fast again. */
    @ParameterizedTest
    @SampledRows({"65536", "8192", "1048576"})
    void shouldFindThatASlowRailHasBecomeFast(int bytes) {
        try (RatedLinks both = new RatedLinks(Striping.SPEED, 0.125, 0.001)) {
            both.mean(bytes, 4 * LEARNING);
            both.setRate(1, 0.125);
            both.keepPutting(bytes, 1_000_000_000);
            double now = both.mean(bytes, MEASURED);
            try (RatedLinks fast = new RatedLinks(Striping.SPEED, 0.125, 0.125)) {
                fast.mean(bytes, LEARNING);
                assertThat(now / fast.mean(bytes, MEASURED)).as("times as long").isLessThan(1.1);
            }
        }
    }

    @ParameterizedTest
    @SampledRows({"65536", "16384", "1048576"})
    void shouldFindThatARailHasBecomeSlow(int bytes) {
        try (RatedLinks both = new RatedLinks(Striping.SPEED, 0.125, 0.125)) {
            both.mean(bytes, LEARNING);
            both.setRate(1, 0.0125);
            both.mean(bytes, LEARNING);
            assertThat(alone(bytes, 0.125) / both.mean(bytes, MEASURED)).as("gain").isGreaterThan(0.95);
        }
    }

    /** What is seen of a rail that is seldom used says little about its speed. */
    @Test
    void shouldKnowSpeedsAfterAQuietTime() {
        try (RatedLinks both = new RatedLinks(Striping.SPEED, 0.125, 0.031)) {
            int bytes = 4 << 20;
            both.mean(bytes, LEARNING);
            double before = both.mean(bytes, 1);
            for (int i = 0; i < 2000; i++) {
                both.put(32 << 10);
                both.pass(1_000_000);
            }
            assertThat(both.mean(bytes, 1) / before).as("times as long").isLessThan(1.1);
        }
    }

    /** Of a new connection nothing is known: that must not make it look faster than any other. */
    @Test
    void shouldNotFloodARailThatComesBack() {
        try (RatedLinks both = new RatedLinks(Striping.SPEED, 0.125, 0.031)) {
            int bytes = 1 << 20;
            both.mean(bytes, LEARNING);
            both.breakAndMend(1, 0.031);
            assertThat(alone(bytes, 0.125) / both.mean(bytes, 1)).as("gain").isGreaterThan(1.1);
        }
    }

    /** The first message of all, of which half must go over the slow rail. */
    @Test
    void shouldNotFloodARailThatIsStillUnknown() {
        try (RatedLinks both = new RatedLinks(Striping.SPEED, 0.031, 0.125)) {
            int bytes = 8 << 20;
            assertThat(both.mean(bytes, 1) / (bytes / 0.156)).as("times the ideal").isLessThan(1.15);
        }
    }

    /** What is measured of rails that are alike differs by chance: it must not bring all short messages to one. */
    @ParameterizedTest
    @CsvSource({"0.031, 0.03, 0.45, 0.55", "0.125, 0.125, 0.45, 0.55", "0.125, 0.031, 0, 0.1"})
    void shouldSendShortMessagesOverRailsInTurnsThatAreAlike(double one, double other, double least, double most) {
        try (RatedLinks both = new RatedLinks(Striping.SPEED, one, other)) {
            both.mean(1 << 20, LEARNING);
            long before = both.sentBytes(0);
            long beforeOther = both.sentBytes(1);
            both.mean(2 << 10, 100);
            double sent = both.sentBytes(0) - before;
            double sentOther = both.sentBytes(1) - beforeOther;
            assertThat(sentOther / (sent + sentOther)).as("part of the second").isBetween(least, most);
        }
    }
}
