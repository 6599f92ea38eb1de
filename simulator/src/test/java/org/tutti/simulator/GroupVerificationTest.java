/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tutti.Topology;
import org.tutti.fabric.PutSource;
import org.tutti.fabric.PutTarget;
import org.tutti.memory.Waiter;
import org.tutti.memory.Words;

import static org.assertj.core.api.Assertions.assertThat;

/** Groups of every choice of ranks in every order, wherever these are; and drawn ones, several at once. */
@Tag("sampled")
@Execution(ExecutionMode.CONCURRENT)
class GroupVerificationTest {
    private static final long SEED = Long.getLong("simulator.seed", 20261121);
    private static final int EVERY = Integer.getInteger("simulator.every", 2);

    /** Every way to place so many ranks: nodes are numbered in the order of their first rank. */
    static List<Topology> placements(int ranks) {
        List<Topology> all = new ArrayList<>();
        place(new int[0], 0, ranks, all);
        return all;
    }

    private static void place(int[] first, int nodes, int ranks, List<Topology> all) {
        if (first.length == ranks) {
            all.add(new Topology(first));
            return;
        }
        for (int node = 0; node <= nodes; node++) {
            int[] more = Arrays.copyOf(first, first.length + 1);
            more[first.length] = node;
            place(more, Math.max(nodes, node + 1), ranks, all);
        }
    }

    private static void verify(List<GroupPlan> plans, int every) {
        List<String> failures = new ArrayList<>();
        for (int i = Math.floorMod(SEED, every); i < plans.size(); i += every) {
            plans.get(i).verify().ifPresent(found -> failures.add(found.getMessage()));
        }
        assertThat(failures).as("seed %s", SEED).isEmpty();
    }

    @Test
    void shouldFindNothingWrongWithAnyGroupOfFewRanks() {
        List<GroupPlan> plans = new ArrayList<>();
        for (int ranks = 1; ranks <= GroupPlan.ALL_MAX; ranks++) {
            for (Topology placement : placements(ranks)) {
                for (int part = 0; part < GroupPlan.parts(placement); part++) {
                    plans.add(new GroupPlan(placement, part, SEED + plans.size()));
                }
            }
        }
        assertThat(plans).hasSizeGreaterThan(1_100);
        verify(plans, 4 * EVERY);
    }

    @Test
    void shouldFindNothingWrongWithGroupsOfMoreRanks() {
        List<GroupPlan> plans = new ArrayList<>();
        for (Topology shape : Sweep.shapes()) {
            plans.add(new GroupPlan(shape, plans.size() % GroupPlan.parts(shape), SEED + plans.size()));
        }
        verify(plans, EVERY);
    }

    /** A fault of a rank. */
    private enum Fault {
        /** It believes that all others have closed a group that it has closed. */
        TAKES_ALL_FOR_CLOSED("shrink|may still"),
        /** It says nothing more to a node that it has said something to before, and has heard of since. */
        MEETS_ONCE("deadlock");

        private final String symptom;

        Fault(String symptom) {
            this.symptom = symptom;
        }
    }

    /** Left words are greater than that when their ranks have left all operations. */
    private static final long LEFT_ALL = 1L << 62;

    /** The first value of a word. */
    private static final long FIRST_STEP = (1L << 20) + 1;

    private static VerifyingMachine machine(World world, int thread, Fault fault) {
        return new VerifyingMachine(world, thread) {
            private final Set<MemorySegment> closed = new HashSet<>(); // the rings that this rank has left for good
            private final Set<List<Long>> met = new HashSet<>(); // words of regions

            @Override
            public void store(MemorySegment memory, long offset, long value) {
                if (value >= LEFT_ALL) {
                    closed.add(memory);
                }
                super.store(memory, offset, value);
            }

            @Override
            public long load(MemorySegment memory, long offset) {
                long value = super.load(memory, offset);
                boolean isLeftWord = offset > 0 && offset <= 3 * Words.LINE_BYTES; // of three ranks on one node
                return fault == Fault.TAKES_ALL_FOR_CLOSED && isLeftWord && closed.contains(memory) ? Long.MAX_VALUE
                        : value;
            }

            @Override
            public boolean put(PutTarget target, PutSource source, Waiter.Check check) {
                List<Long> word = List.of(target.region(), target.word());
                if (fault == Fault.MEETS_ONCE && target.value() == FIRST_STEP + 1 && met.contains(word)) {
                    return true;
                }
                if (target.value() == FIRST_STEP) {
                    met.add(word);
                }
                return super.put(target, source, check);
            }
        };
    }

    @ParameterizedTest
    @EnumSource
    void shouldFindFaults(Fault fault) {
        var shape = new Topology(fault == Fault.MEETS_ONCE ? new int[]{0, 1, 0, 1} : new int[3]);
        List<String> found = new ArrayList<>();
        for (int seed = 0; seed < 20; seed++) {
            GroupVerifier.verify(GroupScript.of(shape, new int[]{2, 0, 1}, seed), seed,
                    (world, thread) -> machine(world, thread, fault)).ifPresent(each -> found.add(each.getMessage()));
        }
        assertThat(found).isNotEmpty().anySatisfy(each -> assertThat(each).containsPattern(fault.symptom));
    }

    @Test
    void shouldRepeatARunWithGroups() {
        Plan plan = new GroupPlan(new Topology(new int[]{0, 1, 0}), 3, 7);
        assertThat(plan).hasToString("groups:0.1.0:3:7");
        assertThat(Plan.parse(plan.toString())).hasToString(plan.toString());
    }
}
