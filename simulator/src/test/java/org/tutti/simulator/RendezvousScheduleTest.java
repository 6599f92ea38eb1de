/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.IntStream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.choice.Catalogue;
import org.tutti.collective.layout.RingLayout;
import org.tutti.memory.Words;
import org.tutti.simulator.Trace.Kind;
import org.tutti.simulator.Trace.Step;

import static org.assertj.core.api.Assertions.assertThat;

/** How many nodes' long messages a node has at a time: those of its ports, and the next ones. */
class RendezvousScheduleTest {
    private static final int RANKS = 2;
    private static final long ALL_BYTES = 512 << 10; // of one operation of a tree
    private static final long INVITATION_BYTES = 32;

    private static final Model MODEL =
            new Model("test", 0, 0.1, 0, 0.1, 0, 0, 0, 5, 0.5, 0, 0, 0, 0, 1, 1, 1 << 20, 4, 1, 0, 0, Levels.NONE);

    /** As many as the algorithm may have, where there are so many senders. */
    @ParameterizedTest
    @CsvSource({"direct, 1, 64, 0, 2", "direct, 1, 64, 5, 2", "direct, 1, 16, 1, 2", "direct, 1, 2, 0, 1",
            "tree, 1, 64, 0, 2", "tree, 1, 64, 3, 2", "tree@3-ports, 3, 64, 0, 6", "tree@3-ports, 3, 64, 7, 6",
            "halving, 1, 64, 0, 2", "halving, 1, 37, 1, 2", "blocks, 1, 64, 0, 2", "blocks, 1, 16, 1, 2"})
    void shouldInviteTheNextSendersOnly(String name, int ports, int nodes, int root, int most) {
        Trace trace = trace(Collective.GATHER, name, nodes, root);
        Map<Integer, RendezvousSchedule> turns = new HashMap<>(); // of each receiver
        for (int index = 0; index < trace.size(); index++) {
            Step step = trace.step(index);
            if (step.kind() == Kind.PUT && step.bytes() == INVITATION_BYTES) {
                turns.computeIfAbsent(step.rank(), _ -> new RendezvousSchedule()).begin(step.other(), step.start());
            } else if (step.kind() == Kind.ARRIVAL && step.bytes() != INVITATION_BYTES) {
                turns.computeIfAbsent(step.other(), _ -> new RendezvousSchedule()).end(step.rank(), step.end());
            }
        }
        assertThat(most).isLessThanOrEqualTo(2 * ports);
        assertThat(turns.values()).extracting(RendezvousSchedule::most).allMatch(found -> found <= most);
        assertThat(turns.get(root / RANKS * RANKS).most()).isEqualTo(most);
    }

    /** Whoever of its node is the root. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldInviteTheSecondSenderWhenTheFirstPieceOfTheFirstOneHasCome(int root) {
        Trace trace = trace(Collective.GATHER, "direct", 16, root);
        List<Step> invitations = steps(trace,
                step -> step.kind() == Kind.PUT && step.bytes() == INVITATION_BYTES);
        int first = invitations.getFirst().other();
        List<Step> arrivals = steps(trace, step -> step.kind() == Kind.ARRIVAL && step.rank() == first);
        assertThat(invitations.get(1).start()).isGreaterThanOrEqualTo(arrivals.getFirst().end())
                .isLessThan(arrivals.getLast().end());
    }

    private static List<Step> steps(Trace trace, Predicate<Step> which) {
        return IntStream.range(0, trace.size()).mapToObj(trace::step).filter(which)
                .sorted(Comparator.comparingDouble(Step::start)).toList();
    }

    private static Trace trace(Collective collective, String name, int nodes, int root) {
        Topology topology = Sweep.even(nodes, RANKS);
        return Prediction.of(Catalogue.find(collective, name), topology, blockBytes(name, nodes), root, MODEL).trace();
    }

    /** A node of direct has blocks of its own only, which must exceed a pair; a subtree has more. */
    private static long blockBytes(String name, int nodes) {
        if (name.equals("blocks")) { // longer than what is sent without an invitation
            return RingLayout.pairEagerBytes(nodes) + RingLayout.pairLongBytes(nodes);
        }
        long all = name.equals("direct") ? 2 * ALL_BYTES : ALL_BYTES;
        return all / nodes / RANKS / Words.LINE_BYTES * Words.LINE_BYTES;
    }

    /** When what a rank exchanges with each other one begins and ends. */
    private static final class RendezvousSchedule {
        private final Map<Integer, Double> begins = new HashMap<>();
        private final Map<Integer, Double> ends = new HashMap<>();

        void begin(int other, double time) {
            begins.merge(other, time, Math::min);
        }

        void end(int other, double time) {
            ends.merge(other, time, Math::max);
        }

        int most() {
            TreeMap<Double, Integer> changes = new TreeMap<>();
            begins.forEach((other, time) -> {
                changes.merge(time, 1, Integer::sum);
                changes.merge(ends.get(other), -1, Integer::sum);
            });
            int now = 0;
            int most = 0;
            for (int change : changes.values()) {
                now += change;
                most = Math.max(most, now);
            }
            return most;
        }
    }
}
