/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.lang.foreign.ValueLayout;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.tutti.Collective;
import org.tutti.Communicator;
import org.tutti.Span;
import org.tutti.Tutti;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

/** A call of {@code tutti bench} gets no element of the call before; the ranks are threads. */
class RewritingTest {
    private static final int RANKS = 3;
    private static final int COUNT = 1000; // more than a table has
    private static final int CALLS = 600; // more than two periods

    private interface Program {
        void run(Communicator world, BenchLoop loop);
    }

    private static void onEachRank(int ranks, Collective collective, CommunicatorKind kind, int count, boolean segments,
            Program program) {
        Tutti.runLocal(ranks, job -> {
            var world = job.world();
            try (var communicators = Communicators.of(kind, world);
                    var loop = new BenchLoop(world, communicators, collective, (long) count * Double.BYTES, segments)) {
                program.run(world, loop);
            }
        });
    }

    private static void assertThatEveryElementChanges(Collective collective, boolean segments) {
        onEachRank(RANKS, collective, CommunicatorKind.WORLD, COUNT, segments, (_, loop) -> {
            var before = elements(loop.operands().sourceSpan());
            for (int i = 0; i < CALLS; i++) {
                loop.run(1, false);
                var now = elements(loop.operands().sourceSpan());
                assertThat(now).hasSizeGreaterThanOrEqualTo(COUNT);
                for (int at = 0; at < now.length; at++) {
                    assertThat(now[at]).as("element %d in call %d", at, i).isNotEqualTo(before[at]);
                }
                loop.checkAll();
                before = now;
            }
        });
    }

    private static double[] elements(Span span) {
        return span.segment().toArray(ValueLayout.JAVA_DOUBLE);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "BARRIER")
    void shouldChangeEveryElementOfASourceBetweenTwoCalls(Collective collective) {
        assertThatEveryElementChanges(collective, false);
    }

    @ParameterizedTest
    @EnumSource(names = {"BROADCAST", "ALL_TO_ALL"})
    void shouldChangeEveryElementOfSharedMemoryToo(Collective collective) {
        assertThatEveryElementChanges(collective, true);
    }

    /** The receivers of a broadcast hold no right value before a call that does nothing. */
    @ParameterizedTest
    @EnumSource(names = {"BROADCAST", "ALLREDUCE", "ALLGATHER"})
    void shouldNoticeAResultOfTheCallBefore(Collective collective) {
        onEachRank(RANKS, collective, CommunicatorKind.WORLD, COUNT, false, (world, loop) -> {
            loop.run(1, false);
            loop.rewrite();
            if (world.rank() > 0) {
                assertThatThrownBy(loop::checkAll).isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("call 2: element 0 is ");
            }
        });
    }

    /** A call that does nothing, such as a broadcast of a lone rank, may take less time than was subtracted. */
    @Test
    void shouldSubtractWhatItShowsButLeaveATime() {
        onEachRank(1, Collective.BROADCAST, CommunicatorKind.WORLD, COUNT, false, (_, loop) -> {
            loop.warmUpAgain();
            var repeat = loop.repeat();
            assertThat(repeat.microseconds()).isPositive();
            assertThat(loop.withoutRewriting(1e9)).isCloseTo(1e9 - 1e3 * repeat.rewriting(), within(1e-3))
                    .isLessThan(1e9);
            assertThat(loop.withoutRewriting(1)).isEqualTo(1);
        });
    }

    /** One of three ranks is alone in its group. If this rank measured no rewriting, the others would wait for it. */
    @ParameterizedTest
    @CsvSource({"1, false", "2, true"})
    void shouldMeasureRewritingOnAllRanksOrNone(int count, boolean expected) {
        onEachRank(RANKS, Collective.ALL_TO_ALL, CommunicatorKind.INTERLEAVED, count, false,
                (_, loop) -> assertThat(loop.hasMuchData()).isEqualTo(expected));
    }
}
