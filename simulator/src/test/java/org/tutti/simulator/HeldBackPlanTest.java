/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tutti.Topology;
import org.tutti.collective.layout.RingLayout;

import static org.assertj.core.api.Assertions.assertThat;

/** Requests that are held back: which rank has them, by how many operations they lag, and that they end. */
class HeldBackPlanTest {
    /** The latest call of any rank, and by how many calls each request lagged when it took its first step. */
    private static final class Lags {
        private final Map<Integer, Integer> ofRequest = new TreeMap<>();
        private int latest;
    }

    private static final class LagMachine extends VerifyingMachine {
        private final World world;
        private final int thread;
        private final int rank;
        private final Lags lags;

        LagMachine(World world, int thread, int rank, Lags lags) {
            super(world, thread);
            this.world = world;
            this.thread = thread;
            this.rank = rank;
            this.lags = lags;
        }

        @Override
        public long load(MemorySegment memory, long offset) {
            long value = super.load(memory, offset);
            int call = world.callOf(thread);
            if (world.stageOf(thread) == 0) {
                lags.latest = Math.max(lags.latest, call);
            } else {
                assertThat(world.rankOf(thread)).isEqualTo(rank);
                lags.ofRequest.putIfAbsent(call, lags.latest - call);
            }
            return value;
        }
    }

    @ParameterizedTest
    @CsvSource({"2, 1, 64", "3, 1, 32", "2, 3, 64"})
    void shouldHoldRequestsBackForAlmostAsManyOperationsAsThereAreSlots(int nodes, int ranks, int slots) {
        Topology shape = Sweep.even(nodes, ranks);
        List<Integer> lags = new ArrayList<>();
        for (int part = 0; part < HeldBackPlan.PARTS; part++) {
            HeldBackPlan plan = new HeldBackPlan(shape, part, part);
            Lags ofPlan = new Lags();
            assertThat(plan.verify((world, thread) -> new LagMachine(world, thread, plan.rank(), ofPlan))).isEmpty();
            assertThat(ofPlan.ofRequest).containsOnlyKeys(part, part + slots + 1, part + 2 * (slots + 1));
            lags.addAll(ofPlan.ofRequest.values());
        }
        assertThat(lags).allMatch(lag -> lag <= slots).filteredOn(lag -> lag > slots - slots / 4)
                .hasSizeGreaterThan(lags.size() / 4);
    }

    @Test
    void shouldHaveRequestsThatMostOtherRanksCanEnd() {
        for (Topology shape : Sweep.shapes()) {
            int slots = RingLayout.slots(shape.nodes(), shape.ranksOn(0));
            List<Integer> ranks = new ArrayList<>();
            for (int part = 0; part < HeldBackPlan.PARTS; part++) {
                HeldBackPlan plan = new HeldBackPlan(shape, part, 0);
                List<PlannedCall> calls = plan.calls();
                assertThat(calls).hasSize(3 * (slots + 1)).allMatch(call -> call.bytes() <= 128);
                List<Integer> requests = IntStream.range(0, calls.size()).filter(plan::isRequest).boxed().toList();
                assertThat(requests).containsExactly(part, part + slots + 1, part + 2 * (slots + 1));
                assertThat(requests).map(calls::get).allMatch(call -> switch (call.collective()) {
                    case BROADCAST, SCATTER -> call.root() != plan.rank();
                    case REDUCE, GATHER -> call.root() == plan.rank();
                    default -> false;
                });
                ranks.add(plan.rank());
            }
            assertThat(ranks.stream().distinct()).hasSize(Math.min(shape.size(), HeldBackPlan.PARTS))
                    .allMatch(rank -> rank >= 0 && rank < shape.size());
        }
    }

    @Test
    void shouldTakeTheSameStepsWithTheSameSeed() {
        assertThat(steps(5)).isEqualTo(steps(5)).isNotEqualTo(steps(6));
    }

    private static List<String> steps(long seed) {
        List<String> steps = new ArrayList<>();
        assertThat(new HeldBackPlan(Sweep.even(2, 2), 1, seed)
                .verify((world, thread) -> new RecordingMachine(world, thread, steps))).isEmpty();
        return steps;
    }

    @ParameterizedTest
    @CsvSource({"0", "1", "2"})
    void shouldChooseAnActorThatIsHeldBackWhenThereIsNoOther(long wayOfChoosing) {
        Interleaving interleaving = new Interleaving(wayOfChoosing);
        for (int actor = 0; actor < 3; actor++) {
            interleaving.add(actor);
        }
        interleaving.holdBack(1);
        assertThat(IntStream.generate(interleaving::choose).limit(1000)).containsOnly(0, 2);
        interleaving.remove(0);
        interleaving.remove(2);
        assertThat(interleaving.choose()).isEqualTo(1);
        interleaving.remove(1);
        assertThat(interleaving.choose()).isNegative();
        interleaving.add(1);
        assertThat(interleaving.choose()).isEqualTo(1);
        interleaving.add(2);
        assertThat(IntStream.generate(interleaving::choose).limit(1000)).containsOnly(2);
    }
}
