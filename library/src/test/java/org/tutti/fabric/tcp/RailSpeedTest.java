/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.util.Arrays;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/** Speeds are found, and by them the shares of rails, on links that pass just so many bytes a nanosecond. */
class RailSpeedTest {
    private static final int FRAME_BYTES = 16 << 10;
    private static final int QUEUED_BYTES_MAX = 2 << 20;
    private static final long STEP_NANOS = 10_000;

    /** A link, which tells of what it has passed as the other side of a rail does. */
    private static final class Link {
        final RailSpeed speed = new RailSpeed();
        double bytesPerNano;
        double queued;
        double given;
        double passed;
        double asked = Double.MAX_VALUE;
        long told;

        Link(double bytesPerNano) {
            this.bytesPerNano = bytesPerNano;
            speed.begin(0);
        }

        void give(int bytes, long nowNanos) {
            queued += bytes;
            given += bytes;
            if (speed.give(bytes, nowNanos)) {
                asked = given;
            }
        }

        void pass(long nowNanos) {
            double moved = Math.min(queued, bytesPerNano * STEP_NANOS);
            queued -= moved;
            passed += moved;
            if (passed - told >= RailSpeed.TOLD_BYTES || passed >= asked) {
                asked = passed >= asked ? Double.MAX_VALUE : asked;
                told = (long) passed;
                speed.noteArrived(told, nowNanos);
            }
        }
    }

    /** Sends so many bytes over links, each frame over the one on which it is to arrive first; returns how long. */
    private static long send(long bytes, long fromNanos, Link... links) {
        long now = fromNanos;
        long left = bytes;
        while (left > 0 || Arrays.stream(links).anyMatch(link -> link.queued > 0)) {
            while (left > 0 && Arrays.stream(links).mapToDouble(link -> link.queued).sum() < QUEUED_BYTES_MAX) {
                Link best = links[0];
                for (Link link : links) {
                    if (link.speed.nanosUntil(FRAME_BYTES, now) < best.speed.nanosUntil(FRAME_BYTES, now)) {
                        best = link;
                    }
                }
                best.give(FRAME_BYTES, now);
                left -= FRAME_BYTES;
            }
            now += STEP_NANOS;
            for (Link link : links) {
                link.pass(now);
            }
        }
        return now - fromNanos;
    }

    @ParameterizedTest
    @CsvSource({"0.031, 0.031", "0.125, 0.031", "0.031, 0.125", "1.25, 0.125", "0.125, 0.05"})
    void shouldShareByTheSpeedsOfTheRails(double one, double other) {
        Link first = new Link(one);
        Link second = new Link(other);
        long bytes = 8 << 20;
        long learning = send(bytes, 0, first, second);
        for (int message = 1; message <= 3; message++) {
            double nanos = send(bytes, learning * message * 2, first, second);
            assertThat(nanos / (bytes / (one + other))).as("times the ideal").isLessThan(1.08);
        }
        assertThat(first.speed.bytesPerNano() / second.speed.bytesPerNano()).isCloseTo(one / other,
                within(0.3 * one / other));
    }

    @Test
    void shouldFindThatARailHasBecomeSlowOrFast() {
        Link first = new Link(0.125);
        Link second = new Link(0.125);
        long bytes = 8 << 20;
        long now = send(bytes, 0, first, second);
        for (double speed : new double[]{0.0125, 0.125}) {
            second.bytesPerNano = speed;
            for (int message = 0; message < 30; message++) {
                now += send(bytes, now, first, second);
            }
            double nanos = send(bytes, now, first, second);
            now += (long) nanos;
            assertThat(nanos / (bytes / (0.125 + speed))).as("times the ideal with " + speed).isLessThan(1.1);
        }
    }

    @Test
    void shouldNotBeMisledByWhatCannotBe() {
        RailSpeed speed = new RailSpeed();
        speed.begin(0);
        speed.give(1000, 0);
        speed.noteArrived(Long.MAX_VALUE, 5_000_000);
        speed.noteArrived(-1, 10_000_000);
        speed.noteArrived(500, 15_000_000);
        assertThat(speed.nanosUntil(1000, 20_000_000)).isBetween(0L, 200_000_000L);
        assertThat(speed.bytesPerNano()).isBetween(1e-5, 10.0);
    }
}
