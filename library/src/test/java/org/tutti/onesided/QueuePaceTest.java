/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongUnaryOperator;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The queue of a mutex in virtual time: how often a rank looks at it, and whether it is awake at its turn. */
class QueuePaceTest {
    private static final long MICRO = 1_000;
    private static final long MILLI = 1_000_000;
    private static final long LOOK_NANOS = 2 * MICRO; // of a rank that is awake

    /** A wait: when the rank slept, in nanoseconds from its beginning, and how long. */
    private record Wait(List<Long> begun, List<Long> slept) {
        long awakeAt() {
            return begun.isEmpty() ? 0 : begun.getLast() + slept.getLast();
        }
    }

    /** The rank waits until nobody is ahead of it; what is ahead follows from the time since the beginning. */
    private static Wait await(QueuePace pace, LongUnaryOperator ahead) {
        Wait wait = new Wait(new ArrayList<>(), new ArrayList<>());
        long nowNanos = 0;
        pace.begin((int) ahead.applyAsLong(0), 0);
        for (long left = ahead.applyAsLong(0); left > 0; left = ahead.applyAsLong(nowNanos)) {
            long nanos = pace.sleepNanos((int) left, nowNanos);
            if (nanos > 0) {
                wait.begun.add(nowNanos);
                wait.slept.add(nanos);
            }
            nowNanos += nanos > 0 ? nanos : LOOK_NANOS;
        }
        return wait;
    }

    private static LongUnaryOperator steady(int ahead, long handOverNanos) {
        return now -> Math.max(0, ahead - now / handOverNanos);
    }

    @ParameterizedTest
    @ValueSource(longs = {MICRO, 50 * MICRO, MILLI, 1000 * MILLI})
    void shouldStayAwakeAsTheNextOne(long handOverNanos) {
        QueuePace pace = new QueuePace();
        for (int i = 0; i < 3; i++) {
            assertThat(await(pace, steady(1, handOverNanos)).begun).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"2, 160000", "16, 20000", "64, 4000", "199, 1600"})
    void shouldStayAwakeIfTheTurnComesSooner(int ahead, long handOverNanos) {
        QueuePace pace = new QueuePace();
        for (int i = 0; i < 3; i++) {
            assertThat(await(pace, steady(ahead, handOverNanos)).begun).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"2, 800000", "8, 200000", "64, 20000", "64, 100000", "199, 10000", "199, 100000", "199, 1000000"})
    void shouldBeAwakeBeforeTheTurnAndLookSeldom(int ahead, long handOverNanos) {
        QueuePace pace = new QueuePace();
        for (int i = 0; i < 5; i++) {
            Wait wait = await(pace, steady(ahead, handOverNanos));
            assertThat(wait.awakeAt()).isLessThan(ahead * handOverNanos);
            long waitedNanos = ahead * handOverNanos;
            double doublings = Math.log((double) waitedNanos / (400 * MICRO)) / Math.log(2);
            assertThat(wait.begun.size()).isGreaterThan(0)
                    .isLessThan((int) (2 * doublings + waitedNanos / (20 * MILLI)) + 4);
        }
    }

    @Test
    void shouldBeAwakeInTheFirstPartOfEachWaitHoweverSlowTheLastOneWas() {
        QueuePace pace = new QueuePace();
        await(pace, steady(10, 100 * MILLI));
        assertThat(await(pace, steady(10, MICRO)).begun).isEmpty();
    }

    @Test
    void shouldLookAFewTimesASecondBehindAHolderThatComputes() {
        Wait wait = await(new QueuePace(), now -> now < 1000 * MILLI ? 64 : 0);
        assertThat(wait.slept.getLast()).isEqualTo(20 * MILLI);
        assertThat(wait.slept.size()).isLessThan(70);
        for (int i = 0; i < wait.slept.size(); i++) {
            assertThat(wait.slept.get(i)).isLessThanOrEqualTo(wait.begun.get(i));
        }
    }
}
