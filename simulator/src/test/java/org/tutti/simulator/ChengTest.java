/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.tutti.Collective;
import org.tutti.choice.Catalogue;
import org.tutti.simulator.Trace.Kind;
import org.tutti.simulator.Trace.Step;
import org.tutti.simulator.cost.Costs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/** Which ranks add up in Cheng's scheme, and how many messages there are and wait for each other. */
class ChengTest {
    private static final double EXACT = 1e-9;
    private static final int RANKS = 4;
    private static final long BYTES = 8;
    private static final int CALLS = 600;

    /** Only the way over the rail takes time: a microsecond a message. */
    private static final Model LATENCY =
            new Model("test", 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 1024, 1, 1, 0, 0, Levels.NONE);

    /** A nanosecond for each byte that is combined, too. */
    private static final Model COMBINING =
            new Model("test", 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1024, RANKS, 1, 0, 0, Levels.NONE);

    /** To the cluster master, and from there: n − 1 messages each, and one wait each, for any number of nodes. */
    @ParameterizedTest
    @CsvSource({"BARRIER, 2, 2", "BROADCAST, 1, 1", "REDUCE, 1, 1", "ALLREDUCE, 2, 2"})
    void shouldSendToEachOtherNodeAtMostOnceEachWay(Collective collective, int waits, int ways) {
        for (int nodes : new int[]{2, 3, 7, 8, 16}) {
            Prediction prediction = predict(collective, "cheng", nodes, 1, LATENCY);
            assertThat(prediction.micros()).isCloseTo(waits, within(EXACT));
            assertThat(prediction.messages()).isEqualTo(ways * (nodes - 1L));
            assertThat(Costs.of(Catalogue.find(collective, "cheng"), nodes, RANKS, bytes(collective)).railSteps())
                    .isEqualTo(waits);
        }
    }

    /** A drawn cluster master's node gets a broadcast from the root's node first, and sends the root's node a total. */
    @ParameterizedTest
    @CsvSource({"BARRIER, 0, 2", "BROADCAST, 0, 1", "REDUCE, 1, 1", "ALLREDUCE, 0, 2"})
    void shouldNeedOneMoreMessageForARootElsewhere(Collective collective, int moreForTheRoot, int ways) {
        for (int nodes : new int[]{2, 3, 7, 16}) {
            long messages = steps(predict(collective, "cheng-random", nodes, CALLS, LATENCY), Kind.ARRIVAL).count();
            long least = CALLS * ways * (nodes - 1L);
            // the cluster master is on the root's node in one of n calls
            double expected = least + moreForTheRoot * CALLS * (nodes - 1.0) / nodes;
            assertThat((double) messages).isCloseTo(expected, within(moreForTheRoot * 0.1 * CALLS));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"REDUCE", "ALLREDUCE"})
    void shouldAddUpAtTheRootAndAtFirstRanksIfNothingIsDrawn(Collective collective) {
        int root = collective.hasRoot() ? 6 : 0;
        Map<Integer, Integer> sums = sums(Prediction.of(Catalogue.find(collective, "cheng"), Sweep.even(3, RANKS),
                BYTES, root, COMBINING));
        int others = RANKS - 1;
        assertThat(sums).isEqualTo(root == 0 ? Map.of(0, others + 2, 4, others, 8, others)
                : Map.of(0, others, 6, others + 2, 8, others));
    }

    /** As SMP master a rank adds up the p − 1 others of its node, and as cluster master n − 1 nodes, too. */
    @ParameterizedTest
    @CsvSource({"REDUCE, 1", "REDUCE, 3", "ALLREDUCE, 1", "ALLREDUCE, 2", "ALLREDUCE, 5"})
    void shouldDrawEachRankOfANodeAlikeOften(Collective collective, int nodes) {
        Map<Integer, Integer> sums = sums(predict(collective, "cheng-random", nodes, CALLS, COMBINING));
        double each = CALLS * (RANKS - 1.0 + (nodes - 1.0) / nodes) / RANKS;
        assertThat(sums).hasSize(nodes * RANKS);
        assertThat(sums.values()).allSatisfy(count -> assertThat((double) count).isBetween(0.7 * each, 1.3 * each));
        assertThat(sums.values().stream().mapToInt(Integer::intValue).sum()).isEqualTo(CALLS * (nodes * RANKS - 1));
    }

    private static Prediction predict(Collective collective, String name, int nodes, int calls, Model model) {
        return Prediction.ofMean(Catalogue.find(collective, name), Sweep.even(nodes, RANKS), bytes(collective), 0,
                model, calls);
    }

    private static long bytes(Collective collective) {
        return collective == Collective.BARRIER ? 0 : BYTES;
    }

    /** Returns how often each rank combines, for the ranks that do. */
    private static Map<Integer, Integer> sums(Prediction prediction) {
        Map<Integer, Integer> sums = new TreeMap<>();
        steps(prediction, Kind.COMBINE).forEach(step -> sums.merge(step.rank(), 1, Integer::sum));
        return sums;
    }

    private static Stream<Step> steps(Prediction prediction, Kind kind) {
        Trace trace = prediction.trace();
        return IntStream.range(0, trace.size()).mapToObj(trace::step).filter(step -> step.kind() == kind);
    }
}
