/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.tutti.onesided.Linearizability.Call;
import org.tutti.onesided.Linearizability.Kind;

import static org.assertj.core.api.Assertions.assertThat;

/** The judge of the histories must be right itself. */
class LinearizabilityTest {
    private static Call call(Kind kind, long operand, long expected, long returned, int rank, int order, long begin,
            long end) {
        return new Call(kind, operand, expected, returned, rank, order, begin, end);
    }

    private static Call add(long operand, long returned, int rank, long begin, long end) {
        return call(Kind.FETCH_ADD, operand, 0, returned, rank, (int) begin, begin, end);
    }

    private static boolean holds(long last, Call... calls) {
        return Linearizability.holds(List.of(calls), true, false, 0, last);
    }

    @Test
    void shouldFindTheOrderOfCallsAtTheSameTime() {
        assertThat(holds(0)).isTrue();
        assertThat(holds(1)).isFalse();
        assertThat(holds(3, add(1, 2, 0, 0, 10), add(2, 0, 1, 5, 6))).isTrue();
        assertThat(holds(3, add(1, 0, 0, 0, 10), add(2, 1, 1, 5, 6))).isTrue();
        assertThat(holds(3, add(1, 0, 0, 0, 10), add(2, 0, 1, 5, 6))).as("a lost update").isFalse();
        assertThat(holds(2, add(1, 0, 0, 0, 10), add(2, 1, 1, 5, 6))).as("another end").isFalse();
    }

    @Test
    void shouldObeyTheClock() {
        assertThat(holds(3, add(1, 2, 0, 0, 4), add(2, 0, 1, 5, 6))).as("it saw what came later").isFalse();
        assertThat(holds(3, add(1, 2, 0, 0, 5), add(2, 0, 1, 5, 6))).as("nobody knows which was first").isTrue();
        assertThat(holds(7, call(Kind.SWAP, 7, 0, 9, 0, 0, 0, 1), call(Kind.SWAP, 9, 0, 0, 1, 0, 2, 3))).isFalse();
    }

    @Test
    void shouldKnowWhenACompareAndSwapSucceeds() {
        Call wins = call(Kind.COMPARE_AND_SWAP, 5, 0, 0, 0, 0, 0, 9);
        Call loses = call(Kind.COMPARE_AND_SWAP, 6, 0, 5, 1, 0, 0, 9);
        assertThat(holds(5, wins, loses)).isTrue();
        assertThat(holds(6, wins, loses)).isFalse();
        assertThat(holds(6, wins, call(Kind.COMPARE_AND_SWAP, 6, 0, 0, 1, 0, 0, 9))).as("two win").isFalse();
    }

    @Test
    void shouldKeepTheOrderThatARankWasPromised() {
        Call adds = call(Kind.ADD, 1, 0, 0, 0, 0, 0, 100);
        Call replaces = call(Kind.REPLACE, 10, 0, 0, 0, 1, 2, 100);
        Call reads = call(Kind.FETCH_ADD, 0, 0, 1, 0, 2, 4, 5);
        assertThat(Linearizability.holds(List.of(adds, replaces), true, false, 0, 10)).isTrue();
        assertThat(Linearizability.holds(List.of(adds, replaces), true, false, 0, 11)).isFalse();
        assertThat(Linearizability.holds(List.of(adds, replaces), false, false, 0, 11)).isTrue();
        assertThat(Linearizability.holds(List.of(adds, reads), false, false, 0, 1)).isTrue();
        Call early = call(Kind.FETCH_ADD, 0, 0, 0, 0, 2, 4, 5);
        assertThat(Linearizability.holds(List.of(adds, early), false, false, 0, 1)).as("overtaken").isFalse();
    }

    @Test
    void shouldWrapInts() {
        List<Call> calls = List.of(add(Integer.MAX_VALUE, 0, 0, 0, 1), add(1, Integer.MAX_VALUE, 0, 2, 3));
        assertThat(Linearizability.holds(calls, true, true, 0, Integer.MIN_VALUE)).isTrue();
        assertThat(Linearizability.holds(calls, true, false, 0, Integer.MIN_VALUE)).isFalse();
    }

    /** Histories that have happened are accepted, and refused when one returned value is another one. */
    @Test
    void shouldTellTrueHistoriesFromFalseOnes() {
        Random random = new Random(3);
        for (int run = 0; run < 300; run++) {
            int size = 2 + random.nextInt(4);
            List<Call> calls = new ArrayList<>();
            long[] free = new long[size];
            long value = 0;
            for (int i = 0; i < 60; i++) {
                long moment = 10L * i;
                int rank = random.nextInt(size);
                long begin = Math.max(free[rank] + 1, moment - random.nextInt(40));
                long end = moment + random.nextInt(10);
                if (begin > moment) {
                    continue; // it still has another call
                }
                free[rank] = end;
                Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
                long expected = random.nextBoolean() ? value : random.nextLong();
                Call call = call(kind, random.nextLong(), expected, value, rank, i, begin, end);
                value = switch (kind) {
                    case FETCH_ADD, ADD -> value + call.operand();
                    case SWAP, REPLACE -> call.operand();
                    case COMPARE_AND_SWAP -> value == expected ? call.operand() : value;
                };
                calls.add(call);
            }
            Collections.shuffle(calls, random);
            assertThat(Linearizability.holds(calls, true, false, 0, value)).as("run %d", run).isTrue();
            assertThat(Linearizability.holds(calls, true, false, 0, value + 1)).as("run %d", run).isFalse();
            int changed = random.nextInt(calls.size());
            Call was = calls.get(changed);
            if (was.returns()) {
                calls.set(changed, call(was.kind(), was.operand(), was.expected(), was.returned() ^ 1L << 40,
                        was.rank(), was.order(), was.beginNanos(), was.endNanos()));
                assertThat(Linearizability.holds(calls, true, false, 0, value)).as("run %d", run).isFalse();
            }
        }
    }
}
