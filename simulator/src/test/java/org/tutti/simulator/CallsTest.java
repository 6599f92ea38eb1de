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
    private static final long[] AROUND =
            {48, 112, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 120 << 10, 128 << 10, 256 << 10};

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

    /** The sizes that a root must meet when whole units are what is counted. */
    private static Set<Long> counts(int ranks, int unit) {
        Set<Long> counts = new HashSet<>(List.of(0L, 1L, ranks - 1L, (long) ranks, ((512L << 10) + 24) / unit));
        for (long bytes : AROUND) {
            counts.addAll(List.of(bytes / unit - 1, bytes / unit, bytes / unit + 1));
        }
        return counts;
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldBroadcastFromEveryRootWithEveryCount(Topology shape) {
        List<PlannedCall> calls = calls(Collective.BROADCAST, "srm", shape);
        for (int root = 0; root < shape.size(); root++) {
            int of = root;
            assertThat(calls.stream().filter(call -> call.root() == of).map(call -> (long) call.bytes()))
                    .containsAll(counts(shape.size(), 1));
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
            met.add(List.of(call.bytes(), call.inPlace()));
            for (long bytes : AROUND) {
                if (Math.abs(count - bytes / call.operation().unitBytes()) <= 1) {
                    met.add(List.of(call.root(), "around " + bytes, call.operation()));
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
            expected.add(List.of((int) bytes, true));
            expected.add(List.of((int) bytes, false));
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
