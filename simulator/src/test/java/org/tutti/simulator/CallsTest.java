/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.choice.Catalogue;
import org.tutti.collective.Algorithm;
import org.tutti.collective.layout.RingLayout;

import static org.assertj.core.api.Assertions.assertThat;

/** The calls of verification runs: what three seeds cover, and that slots are used again. */
class CallsTest {
    private static final int SEEDS = 3;
    private static final long[] AROUND = {48, 112, 8 << 10, 16 << 10, 32 << 10, 64 << 10};
    private static final long[] AROUND_LONG = {120 << 10, 128 << 10, 256 << 10};
    private static final long LONGEST = (512 << 10) + 24;
    private static final int LONG_MIN = 100 << 10;

    static Stream<Topology> shapes() {
        return Sweep.shapes().stream();
    }

    private static List<PlannedCall> calls(Collective collective, String algorithm, Topology topology) {
        List<PlannedCall> calls = new ArrayList<>();
        for (long seed = 0; seed < SEEDS; seed++) {
            calls.addAll(Calls.of(Catalogue.find(collective, algorithm), topology, seed));
        }
        return calls;
    }

    /** The short sizes that a root must meet, in units. */
    private static Set<Long> counts(int ranks, int unit) {
        Set<Long> counts = new HashSet<>(List.of(0L, 1L, ranks - 1L, (long) ranks));
        counts.addAll(around(AROUND, unit));
        return counts;
    }

    private static Set<Long> longCounts(int unit) {
        Set<Long> counts = around(AROUND_LONG, unit);
        counts.add(LONGEST / unit);
        return counts;
    }

    private static Set<Long> around(long[] sizes, int unit) {
        Set<Long> counts = new HashSet<>();
        for (long bytes : sizes) {
            counts.addAll(List.of(bytes / unit - 1, bytes / unit, bytes / unit + 1));
        }
        return counts;
    }

    private static boolean isAround(long bytes, PlannedCall call) {
        int unit = call.operation().unitBytes();
        return Math.abs(call.bytes() / unit - bytes / unit) <= 1;
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldBroadcastFromEveryRootWithEveryCount(Topology shape) {
        List<PlannedCall> calls = calls(Collective.BROADCAST, "srm", shape);
        for (int root = 0; root < shape.size(); root++) {
            int of = root;
            assertThat(calls.stream().filter(call -> call.root() == of).map(call -> (long) call.bytes()))
                    .containsAll(counts(shape.size(), 1));
            assertThat(calls).anyMatch(call -> call.root() == of && call.bytes() > LONG_MIN);
        }
        assertThat(calls.stream().map(call -> (long) call.bytes())).containsAll(longCounts(1));
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldReduceEveryLongSizeWithEveryOperatorAndInPlaceAndNot(Topology shape) {
        List<PlannedCall> calls = calls(Collective.REDUCE, "rank-order", shape);
        for (long bytes : new long[]{120 << 10, 128 << 10, 256 << 10, LONGEST}) {
            List<PlannedCall> ofSize = calls.stream().filter(call -> isAround(bytes, call)).toList();
            assertThat(ofSize).extracting(PlannedCall::operation).contains(CheckedOperation.values());
            assertThat(ofSize).extracting(PlannedCall::inPlace).contains(true, false);
        }
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldReduceWithEveryTwoValuesTogether(Topology shape) {
        Set<List<Object>> met = new HashSet<>();
        for (PlannedCall call : calls(Collective.REDUCE, "rank-order", shape)) {
            long count = call.bytes() / call.operation().unitBytes();
            met.add(List.of(call.root(), call.operation()));
            met.add(List.of(call.root(), call.inPlace()));
            met.add(List.of(call.operation(), count));
            met.add(List.of(call.operation(), call.inPlace()));
            for (long bytes : AROUND) {
                if (isAround(bytes, call)) {
                    met.add(List.of(call.root(), "around " + bytes, call.operation()));
                    met.add(List.of("around " + bytes, count - bytes / call.operation().unitBytes(), call.inPlace()));
                }
            }
        }
        Set<List<Object>> expected = new HashSet<>();
        for (CheckedOperation operation : CheckedOperation.values()) {
            for (long count : counts(shape.size(), operation.unitBytes())) {
                expected.add(List.of(operation, count));
            }
            expected.add(List.of(operation, true));
            expected.add(List.of(operation, false));
        }
        for (int root = 0; root < shape.size(); root++) {
            for (CheckedOperation operation : CheckedOperation.values()) {
                expected.add(List.of(root, operation));
                for (long bytes : AROUND) {
                    expected.add(List.of(root, "around " + bytes, operation));
                }
            }
            expected.add(List.of(root, true));
            expected.add(List.of(root, false));
        }
        for (long bytes : AROUND) {
            for (long difference = -1; difference <= 1; difference++) {
                expected.add(List.of("around " + bytes, difference, true));
                expected.add(List.of("around " + bytes, difference, false));
            }
        }
        expected.removeAll(met);
        assertThat(expected).as("not met").isEmpty();
    }

    /** Some algorithms use what is lent only if all ranks lend both; processes do so from the node's memory only. */
    @ParameterizedTest
    @MethodSource("shapes")
    void shouldHaveCallsInWhichAllRanksCanLendByAddressAndOthers(Topology shape) {
        int shared = 0;
        int mixed = 0;
        List<PlannedCall> calls = calls(Collective.ALLREDUCE, "index-range", shape);
        for (PlannedCall call : calls) {
            Set<MemoryKind> kinds = EnumSet.noneOf(MemoryKind.class);
            for (int rank = 0; rank < shape.size(); rank++) {
                kinds.add(call.kind(rank, false));
                kinds.add(call.kind(rank, true));
            }
            shared += kinds.equals(EnumSet.of(MemoryKind.SHARED)) ? 1 : 0;
            mixed += kinds.size() > 1 ? 1 : 0;
        }
        assertThat(shared).isBetween(calls.size() / 5, calls.size() / 2);
        assertThat(mixed).isGreaterThan(calls.size() / 3);
    }

    @Test
    void shouldHaveEnoughCallsInEveryRunToUseSlotsAgain() {
        for (Collective collective : Collective.values()) {
            for (Algorithm algorithm : Catalogue.of(collective)) {
                for (Topology shape : Sweep.shapes()) {
                    int slots = RingLayout.slots(shape.nodes(), shape.ranksOn(0));
                    int parts = AlgorithmPlan.parts(algorithm, shape);
                    int calls = 0;
                    for (int part = 0; part < parts; part++) {
                        List<PlannedCall> ofRun = new AlgorithmPlan(algorithm, shape, part, 0).calls();
                        assertThat(ofRun).hasSizeGreaterThanOrEqualTo(slots + slots / 2);
                        calls += ofRun.size();
                    }
                    assertThat(calls).isEqualTo(Calls.of(algorithm, shape, 0).size());
                }
            }
        }
        assertThat(Sweep.shapes()).extracting(shape -> RingLayout.slots(shape.nodes(), shape.ranksOn(0)))
                .contains(RingLayout.SLOTS_MIN, RingLayout.SLOTS_MAX);
    }
}
