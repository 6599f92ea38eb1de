/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.choice.Catalogue;
import org.tutti.memory.Waiter;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * In how many calls of a one-way sequence a rank is held back, as it would overrun a slower one otherwise: when ranks
 * run as far apart as they can. With {@code -Dthrottling.print=true} it prints what it finds.
 */
class ThrottlingTest {
    private static final int CALLS = 300;
    private static final int[] SEEDS = {2, 5, 8, 11}; // of those that let ranks run apart
    private static final int WINDOWS_OF_64_KIB = 16; // in the ring of 1 MiB
    private static final int SLOTS_OF_A_LONG_BUFFER = 4;
    private static final int ASKED_FIRST = 1; // the first call between two nodes finds out where eager buffers are

    /** The object of a rank's wait, by the method of the library that waits. */
    private enum Held {
        SLOT("OperationLifecycle.begin"), WINDOW("WindowPool.take"), LOAN("ZeroCopyLoans.takeBlocksBack"),
        SLOT_ELSEWHERE("Edges.awaitLeft"), INVITATION("Edges.awaitInvitation"), CREDIT("Outflow.send");

        private final String method;

        Held(String method) {
            this.method = method;
        }
    }

    /** Notes in which calls its rank really waits; a word that is there already is not awaited. */
    private static final class NotingMachine extends VerifyingMachine {
        private final World world;
        private final int thread;
        private final Map<Held, Set<Integer>> held;

        NotingMachine(World world, int thread, Map<Held, Set<Integer>> held) {
            super(world, thread);
            this.world = world;
            this.thread = thread;
            this.held = held;
        }

        private void note() {
            StackWalker.getInstance().walk(frames -> frames.flatMap(frame -> Stream.of(Held.values())
                    .filter(each -> (frame.getClassName() + "." + frame.getMethodName()).endsWith("." + each.method)))
                    .findFirst())
                    .ifPresent(each -> held.computeIfAbsent(each, _ -> new TreeSet<>()).add(world.callOf(thread)));
        }

        @Override
        public void await(MemorySegment memory, long offset, long atLeast, Waiter.Check check) {
            note();
            super.await(memory, offset, atLeast, check);
        }

        @Override
        public void pause(int turn) {
            note();
            super.pause(turn);
        }
    }

    /** The most calls in which a rank was held back by each. */
    private static Map<Held, Integer> hold(Collective collective, String algorithm, int bytes, Topology topology) {
        List<PlannedCall> calls = new ArrayList<>();
        for (int i = 0; i < CALLS; i++) {
            long salt = 2L * i; // even, so that all blocks have one length
            calls.add(new PlannedCall(Catalogue.find(collective, algorithm), CheckedOperation.BYTES, 0, bytes, false,
                    salt));
        }
        Map<Held, Integer> most = new EnumMap<>(Held.class);
        for (Held each : Held.values()) {
            most.put(each, 0);
        }
        for (int seed : SEEDS) {
            List<Map<Held, Set<Integer>>> held =
                    Stream.<Map<Held, Set<Integer>>>generate(() -> new EnumMap<>(Held.class)).limit(topology.size())
                            .toList();
            assertThat(Verifier.verify(topology, calls, 1, seed,
                    (world, thread) -> new NotingMachine(world, thread, held.get(thread)))).isEmpty();
            held.forEach(ofRank -> ofRank.forEach((each, in) -> most.merge(each, in.size(), Math::max)));
        }
        if (Boolean.getBoolean("throttling.print")) {
            System.out.println(collective.label() + " of " + bytes + " bytes on " + topology + ": " + most);
        }
        return most;
    }

    private static final Topology ONE_NODE = Sweep.even(1, 3);
    private static final Topology TWO_NODES = Sweep.even(2, 2);

    /** The root is not held back before all slots are in use, and after that once for each that becomes free. */
    @Test
    void shouldHoldTheRootOfBroadcastsBackWhenAllSlotsAreInUse() {
        for (Topology topology : List.of(ONE_NODE, TWO_NODES)) {
            Map<Held, Integer> held = hold(Collective.BROADCAST, "slot-ring", Long.BYTES, topology);
            int ahead = CALLS - Calls.slots(topology);
            assertThat(held.get(Held.SLOT)).isBetween(1, ahead);
            assertThat(held.get(Held.SLOT_ELSEWHERE)).isBetween(0, ahead);
            assertThat(held.get(Held.CREDIT)).isLessThanOrEqualTo(ASKED_FIRST);
            assertThat(held.get(Held.WINDOW) + held.get(Held.INVITATION) + held.get(Held.LOAN)).isZero();
        }
    }

    /** Blocks of 64 KiB have no place that is promised: a node is invited in each call, and windows are few. */
    @Test
    void shouldHoldSendersOfGathersBackWhenWindowsAreInUse() {
        Map<Held, Integer> onOne = hold(Collective.GATHER, "direct", 64 << 10, ONE_NODE);
        assertThat(onOne.get(Held.LOAN)).isBetween(1, CALLS);
        assertThat(onOne.get(Held.WINDOW)).isLessThanOrEqualTo(CALLS - WINDOWS_OF_64_KIB);
        assertThat(onOne.get(Held.INVITATION) + onOne.get(Held.CREDIT) + onOne.get(Held.SLOT_ELSEWHERE)).isZero();
        Map<Held, Integer> onTwo = hold(Collective.GATHER, "direct", 64 << 10, TWO_NODES);
        assertThat(onTwo.get(Held.WINDOW)).isBetween(1, CALLS - WINDOWS_OF_64_KIB);
        assertThat(onTwo.get(Held.INVITATION)).isBetween(1, CALLS);
        assertThat(onTwo.get(Held.CREDIT) + onTwo.get(Held.LOAN)).isZero();
    }

    /** Blocks of 32 KiB go to long buffers: no node is invited, and a sender runs ahead until all are in use. */
    @ParameterizedTest
    @EnumSource(names = {"GATHER", "SCATTER"})
    void shouldHoldSendersBackWhenLongBuffersAreInUse(Collective collective) {
        Map<Held, Integer> held = hold(collective, "direct", 32 << 10, TWO_NODES);
        assertThat(held.get(Held.SLOT_ELSEWHERE)).isBetween(1, CALLS - Calls.slots(TWO_NODES) / SLOTS_OF_A_LONG_BUFFER);
        assertThat(held.get(Held.CREDIT)).isLessThanOrEqualTo(ASKED_FIRST);
        assertThat(held.get(Held.INVITATION) + held.get(Held.LOAN)).isZero();
    }

    /** All need something of all in each call: nobody gets far enough ahead, and short blocks have promised places. */
    @Test
    void shouldHoldNobodyBackInExchanges() {
        for (Topology topology : List.of(ONE_NODE, TWO_NODES)) {
            Map<Held, Integer> held = hold(Collective.ALL_TO_ALL, "direct", Long.BYTES * 16, topology);
            assertThat(held.get(Held.CREDIT)).isLessThanOrEqualTo(ASKED_FIRST);
            held.remove(Held.CREDIT);
            assertThat(held.values()).containsOnly(0);
        }
    }
}
