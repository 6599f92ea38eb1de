/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.choice.Catalogue;
import org.tutti.collective.Algorithm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/** Algorithms in which a node sends to several others in a step. */
class PortsTest {
    private static final long SEED = 20261123;
    private static final double EXACT = 1e-9;
    private static final int RANKS = 2;
    private static final int BLOCK_BYTES = 8;

    /** Only the way over the rail takes time: a microsecond a step. */
    private static final Model LATENCY =
            new Model("test", 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 1024, 1, 1, 0, 0, Levels.NONE);

    static List<Algorithm> withOtherPorts() {
        return Catalogue.unlisted();
    }

    /** Those with 2 and 4 ports: on a sixth of the shapes. */
    @Tag("thorough")
    @ParameterizedTest
    @MethodSource("withOtherPorts")
    void shouldFindNothingWrongWithOtherNumbersOfPorts(Algorithm algorithm) {
        Random random = new Random(SEED);
        List<String> failures = new ArrayList<>();
        for (Topology topology : Sweep.shapes()) {
            if (random.nextInt(6) > 0) { // those that are listed are verified on all
                continue;
            }
            int part = random.nextInt(AlgorithmPlan.parts(algorithm, topology));
            new AlgorithmPlan(algorithm, topology, part, random.nextInt()).verify()
                    .ifPresent(found -> failures.add(found.getMessage()));
        }
        assertThat(failures).as("seed %s", SEED).isEmpty();
    }

    /** Qian and Afsahi 2008, equation 5: log(n) steps to base k + 1, n/(k+1) nodes' blocks over each port in a step. */
    @ParameterizedTest
    @CsvSource({"bruck, 1, 2, 1", "bruck, 1, 4, 2", "bruck, 1, 16, 4", "bruck@3-ports, 3, 4, 1",
            "bruck@3-ports, 3, 16, 2", "standard-exchange, 1, 2, 1", "standard-exchange, 1, 4, 2",
            "standard-exchange, 1, 16, 4", "standard-exchange@3-ports, 3, 4, 1", "standard-exchange@3-ports, 3, 16, 2"})
    void shouldExchangeAllToAllAsThePaperSaysWhereTheNodesAreAPower(String name, int ports, int nodes, int steps) {
        Prediction prediction = allToAll(name, nodes);
        assertThat(prediction.micros()).isCloseTo(steps, within(EXACT));
        assertThat(prediction.messages()).isEqualTo((long) nodes * ports * steps);
        assertThat(prediction.bytesPerRail()).isEqualTo((long) ports * steps * nodes / (ports + 1) * itemBytes());
    }

    /** Elsewhere Bruck's algorithm has as many steps as the next power, and sends no more than equation 5 says. */
    @ParameterizedTest
    @CsvSource({"bruck, 1, 3, 2", "bruck, 1, 5, 3", "bruck, 1, 6, 3", "bruck, 1, 7, 3", "bruck, 1, 13, 4",
            "bruck@3-ports, 3, 2, 1", "bruck@3-ports, 3, 5, 2", "bruck@3-ports, 3, 7, 2", "bruck@3-ports, 3, 17, 3"})
    void shouldExchangeAllToAllWithNoMoreElsewhere(String name, int ports, int nodes, int steps) {
        Prediction prediction = allToAll(name, nodes);
        assertThat(prediction.micros()).isCloseTo(steps, within(EXACT));
        assertThat(prediction.bytesPerRail())
                .isLessThanOrEqualTo((long) ports * steps * nodes * itemBytes() / (ports + 1));
    }

    /** Standard Exchange has no more steps either, but what it sends to correct itself: less than as much again. */
    @ParameterizedTest
    @CsvSource({"standard-exchange, 1, 3, 2", "standard-exchange, 1, 5, 3", "standard-exchange, 1, 6, 3",
            "standard-exchange, 1, 7, 3", "standard-exchange, 1, 13, 4", "standard-exchange@3-ports, 3, 2, 1",
            "standard-exchange@3-ports, 3, 5, 2", "standard-exchange@3-ports, 3, 7, 2",
            "standard-exchange@3-ports, 3, 17, 3"})
    void shouldCorrectStandardExchangeWithoutFurtherSteps(String name, int ports, int nodes, int steps) {
        Prediction prediction = allToAll(name, nodes);
        assertThat(prediction.micros()).isCloseTo(steps, within(EXACT));
        assertThat(prediction.bytesPerRail())
                .isLessThan(2L * ports * steps * nodes * itemBytes() / (ports + 1));
    }

    /** What goes straight goes once, in one message for each two nodes. */
    @ParameterizedTest
    @CsvSource({"2", "5", "8"})
    void shouldAggregateWhatGoesFromNodeToNode(int nodes) {
        Prediction prediction = allToAll("aggregated", nodes);
        assertThat(prediction.micros()).isCloseTo(1, within(EXACT));
        assertThat(prediction.messages()).isEqualTo((long) nodes * (nodes - 1));
        assertThat(prediction.bytesPerRail()).isEqualTo((nodes - 1L) * itemBytes());
    }

    /** Qian and Afsahi 2008, equation 3: log(n) steps to base k + 1, in which (k+1)^j·k nodes' blocks leave a node. */
    @ParameterizedTest
    @CsvSource({"standard-exchange, 1, 2, 1", "standard-exchange, 1, 4, 2", "standard-exchange, 1, 16, 4",
            "standard-exchange@3-ports, 3, 4, 1", "standard-exchange@3-ports, 3, 16, 2"})
    void shouldGatherToAllAsThePaperSaysWhereTheNodesAreAPower(String name, int ports, int nodes, int steps) {
        Prediction prediction = allgather(name, nodes);
        assertThat(prediction.micros()).isCloseTo(steps, within(EXACT));
        assertThat(prediction.messages()).isEqualTo((long) nodes * ports * steps);
        assertThat(prediction.bytesPerRail()).isEqualTo((nodes - 1L) * RANKS * BLOCK_BYTES);
    }

    /** Elsewhere nobody receives a block twice, in no more steps; but some send to a second group, too. */
    @ParameterizedTest
    @CsvSource({"standard-exchange, 1, 3, 2", "standard-exchange, 1, 5, 3", "standard-exchange, 1, 6, 3",
            "standard-exchange, 1, 7, 3", "standard-exchange, 1, 13, 4", "standard-exchange@3-ports, 3, 2, 1",
            "standard-exchange@3-ports, 3, 5, 2", "standard-exchange@3-ports, 3, 7, 2",
            "standard-exchange@3-ports, 3, 17, 3"})
    void shouldGatherToAllWithoutFurtherSteps(String name, int ports, int nodes, int steps) {
        Prediction prediction = allgather(name, nodes);
        assertThat(prediction.micros()).isCloseTo(steps, within(EXACT));
        assertThat(prediction.messages()).isLessThanOrEqualTo((long) nodes * ports * steps);
        assertThat(prediction.bytesPerRail())
                .isBetween((nodes - 1L) * RANKS * BLOCK_BYTES, 2L * (nodes - 1) * RANKS * BLOCK_BYTES);
    }

    /** Each node but the first sends a message, and gets one. */
    @ParameterizedTest
    @CsvSource({"halving, 2, 2", "halving, 3, 2", "halving, 4, 4", "halving, 8, 6", "gather-and-broadcast, 3, 2",
            "gather-and-broadcast, 4, 4", "gather-and-broadcast@3-ports, 4, 2", "gather-and-broadcast@3-ports, 6, 4",
            "gather-and-broadcast@direct, 4, 2", "gather-and-broadcast@direct, 6, 2"})
    void shouldGatherAndBroadcastOnOneTree(String name, int nodes, int steps) {
        Prediction prediction = allgather(name, nodes);
        assertThat(prediction.micros()).isCloseTo(steps, within(EXACT));
        assertThat(prediction.messages()).isEqualTo(2L * (nodes - 1));
    }

    /** Recursive halving: log(n) steps to base k + 1, and all but a node's own blocks leave it once. */
    @ParameterizedTest
    @CsvSource({"halving, 1, 2, 1", "halving, 1, 4, 2", "halving, 1, 16, 4", "halving@3-ports, 3, 4, 1",
            "halving@3-ports, 3, 16, 2"})
    void shouldHalveAndSendNothingTwiceWhereTheNodesAreAPower(String name, int ports, int nodes, int steps) {
        Prediction prediction = reduceScatter(name, nodes);
        assertThat(prediction.micros()).isCloseTo(steps, within(EXACT));
        assertThat(prediction.messages()).isEqualTo((long) nodes * ports * steps);
        assertThat(prediction.bytesPerRail()).isEqualTo((nodes - 1L) * RANKS * BLOCK_BYTES);
    }

    /** Elsewhere it has as many steps as the next power, and what corrects it is less than as much again. */
    @ParameterizedTest
    @CsvSource({"halving, 3, 2", "halving, 5, 3", "halving, 6, 3", "halving, 7, 3", "halving, 13, 4",
            "halving@3-ports, 2, 1", "halving@3-ports, 5, 2", "halving@3-ports, 7, 2", "halving@3-ports, 17, 3"})
    void shouldCorrectHalvingWithoutFurtherSteps(String name, int nodes, int steps) {
        Prediction prediction = reduceScatter(name, nodes);
        assertThat(prediction.micros()).isCloseTo(steps, within(EXACT));
        assertThat(prediction.bytesPerRail()).isBetween((nodes - 1L) * RANKS * BLOCK_BYTES,
                2 * (nodes - 1L) * RANKS * BLOCK_BYTES);
    }

    /** In log2(n) steps all that a node has. */
    @ParameterizedTest
    @CsvSource({"2, 1", "4, 2", "16, 4"})
    void shouldExchangeAllWhereTheNodesAreAPower(int nodes, int steps) {
        Prediction prediction = predict(Collective.ALLREDUCE, "recursive-doubling", nodes);
        assertThat(prediction.micros()).isCloseTo(steps, within(EXACT));
        assertThat(prediction.messages()).isEqualTo((long) nodes * steps);
        assertThat(prediction.bytesPerRail()).isEqualTo(steps * BLOCK_BYTES);
    }

    /** Elsewhere as among the nodes of the power below, after what others hand over and before they get the result. */
    @ParameterizedTest
    @CsvSource({"3, 2, 1", "13, 8, 3"})
    void shouldFoldNodesIntoAPower(int nodes, int power, int steps) {
        Prediction prediction = predict(Collective.ALLREDUCE, "recursive-doubling", nodes);
        int waits = nodes - power == 1 ? 1 : 2; // what a lone folded node has comes with what the others send
        assertThat(prediction.micros()).isCloseTo(steps + waits, within(EXACT));
        assertThat(prediction.messages()).isEqualTo((long) power * steps + 2L * (nodes - power));
        assertThat(prediction.bytesPerRail()).isEqualTo((steps + 1) * BLOCK_BYTES);
    }

    /** In log2(n) steps a signal each. */
    @ParameterizedTest
    @CsvSource({"2, 1", "4, 2", "5, 3", "13, 4", "16, 4"})
    void shouldWaitForEachOtherInTheLogarithmOfTheNodes(int nodes, int steps) {
        Prediction prediction = predict(Collective.BARRIER, "srm", nodes);
        assertThat(prediction.micros()).isCloseTo(steps, within(EXACT));
        assertThat(prediction.messages()).isEqualTo((long) nodes * steps);
    }

    private static Prediction allgather(String name, int nodes) {
        return predict(Collective.ALLGATHER, name, nodes);
    }

    private static Prediction allToAll(String name, int nodes) {
        return predict(Collective.ALL_TO_ALL, name, nodes);
    }

    private static Prediction reduceScatter(String name, int nodes) {
        return predict(Collective.REDUCE_SCATTER, name, nodes);
    }

    private static Prediction predict(Collective collective, String name, int nodes) {
        return Prediction.of(Catalogue.find(collective, name), Sweep.even(nodes, RANKS), BLOCK_BYTES, 0, LATENCY);
    }

    private static long itemBytes() {
        return RANKS * RANKS * BLOCK_BYTES;
    }
}
