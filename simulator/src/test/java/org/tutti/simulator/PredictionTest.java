/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.choice.Catalogue;
import org.tutti.collective.Algorithm;
import org.tutti.collective.Chunked;
import org.tutti.collective.layout.RingLayout;
import org.tutti.simulator.Trace.Kind;
import org.tutti.simulator.Trace.Step;
import org.tutti.simulator.cost.Cost;
import org.tutti.simulator.cost.Costs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/** Predictions against schedules that are computed by hand, and what the papers claim, on the traces. */
class PredictionTest {
    private static final double EXACT = 1e-9;

    /** Groups of two: a word takes 10 ns inside one, a byte 1 ns more; there are no queues. */
    private static final Levels PAIRS = new Levels(List.of(2), List.of(0.01), List.of(1.0), 0);

    /** Only what is named costs anything. */
    private static Model model(double memoryLatency, double perByte, double railLatency, double railOverhead,
            double railPerByte, int rails, int cores, double switching) {
        return new Model("test", 0, memoryLatency, 0, perByte, 0, 0, perByte, railLatency, railOverhead, 0, 0, 0, 0,
                railPerByte, rails, 1024, cores, 1, switching, 0, Levels.NONE);
    }

    /** Only the way over a rail costs anything: 3 µs, and each byte so many nanoseconds. */
    private static Model unequal(Double... railsPerByte) {
        return new Model("unequal", 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, List.of(railsPerByte), railsPerByte.length,
                1024, 1, 1, 0, 0, Levels.NONE, OptionalDouble.empty(), false);
    }

    private static Prediction predict(Collective collective, String algorithm, int nodes, int ranks, long bytes,
            int root, Model model) {
        return Prediction.of(Catalogue.find(collective, algorithm), Sweep.even(nodes, ranks), bytes, root,
                model);
    }

    private static List<Step> steps(Prediction prediction, Kind kind) {
        List<Step> steps = new ArrayList<>();
        for (int index = 0; index < prediction.trace().size(); index++) {
            if (prediction.trace().step(index).kind() == kind) {
                steps.add(prediction.trace().step(index));
            }
        }
        return steps;
    }

    // ---- by hand

    /** A short put is not behind a longer one on another rail, but what it raises must not be seen before. */
    @ParameterizedTest
    @EnumSource(Collective.class)
    void shouldEndWhenSeveralRailsCarryPutsOfOneProcess(Collective collective) {
        for (Algorithm algorithm : Catalogue.of(collective)) {
            for (long bytes : collective == Collective.BARRIER ? new long[]{0} : new long[]{8, 1 << 10, 32 << 10}) {
                for (Model model : List.of(Model.of("qsnet2"), unequal(1.0, 9.0, 2.0))) {
                    Prediction prediction = Prediction.of(algorithm, Sweep.even(4, 4), bytes, 1, model);
                    assertThat(prediction.micros()).as("%s", algorithm).isPositive();
                }
            }
        }
    }

    @Test
    void shouldTakeTwoWordsForABarrierInANode() {
        assertThat(predict(Collective.BARRIER, "srm", 1, 6, 0, 0, model(0.25, 0, 0, 0, 0, 1, 6, 0)).micros())
                .isCloseTo(0.5, within(EXACT));
    }

    @ParameterizedTest
    @CsvSource({"2, 1", "3, 2", "4, 2", "5, 3", "8, 3", "9, 4", "17, 5"})
    void shouldTakeARoundForEachPowerOfTwoBetweenNodes(int nodes, int rounds) {
        assertThat(predict(Collective.BARRIER, "srm", nodes, 1, 0, 0, model(0, 0, 7, 2, 0, 1, 1, 0)).micros())
                .isCloseTo(rounds * (7.0 + 2), within(EXACT));
    }

    @Test
    void shouldOccupyTheRailForEveryByte() {
        // 8,000 bytes at 1 ns fill the rail for 8 µs, twice, as the root puts to two nodes; 3 µs later they are there
        Prediction prediction = predict(Collective.BROADCAST, "srm", 3, 1, 8000, 0, model(0, 0, 3, 0, 1, 1, 1, 0));
        assertThat(prediction.micros()).isCloseTo(2 * 8 + 3, within(EXACT));
        assertThat(prediction.bytesPerRail()).isEqualTo(16_000);
        assertThat(prediction.messages()).isEqualTo(2);
    }

    /** Lengths travel with the data, so a prediction has to carry them. */
    @ParameterizedTest
    @CsvSource({"GATHER, 2", "SCATTER, 2", "ALLGATHER, 2", "ALL_TO_ALL, 4"})
    void shouldCarryTheLengthsOfBlocks(Collective collective, long blocks) {
        for (long bytes : new long[]{8, 4096, 65_536, 1 << 20}) {
            Prediction prediction = predict(collective, "blocks", 2, 2, bytes, 0, model(0, 0, 3, 0, 1, 1, 2, 0));
            assertThat(prediction.bytesPerRail() - blocks * bytes).as("what is put beside the blocks of %s", bytes)
                    .isBetween(blocks * 8, 400 + bytes / 100);
        }
    }

    @Test
    void shouldStripeOverRails() {
        Prediction prediction = predict(Collective.BROADCAST, "srm", 2, 1, 8000, 0, model(0, 0, 3, 0, 1, 4, 1, 0));
        assertThat(prediction.micros()).isCloseTo(8.0 / 4 + 3, within(EXACT));
        assertThat(prediction.bytesPerRail()).isEqualTo(2000);
    }

    /** Both rails take as long, so the fast one has four times as much. */
    @Test
    void shouldGiveUnequalRailsUnequalShares() {
        Model unequal = unequal(1.0, 4.0);
        Prediction striped = predict(Collective.BROADCAST, "srm", 2, 1, 8000, 0, unequal);
        assertThat(striped.micros()).isCloseTo(8.0 * 4 / 5 + 3, within(EXACT));
        assertThat(striped.bytesPerRail()).isEqualTo(6400);
        Prediction whole = predict(Collective.BROADCAST, "srm", 2, 1, 800, 0, unequal);
        assertThat(whole.micros()).isCloseTo(0.8 + 3, within(EXACT));
        assertThat(whole.bytesPerRail()).isEqualTo(800);
        assertThat(formula(3, 8000, unequal) - formula(3, 0, unequal)).isCloseTo(8.0 * 4 / 5, within(EXACT));
    }

    @Test
    void shouldAddUpCopiesOfAFlatReduce() {
        // seven ranks copy 1,000 bytes at 1 ns at the same time, and the root combines seven contributions; the words
        // of the last six, which are there already, it fetches when it comes to them
        assertThat(predict(Collective.REDUCE, "flat", 1, 8, 1000, 0, model(0.5, 1, 0, 0, 0, 1, 8, 0)).micros())
                .isCloseTo(1 + 0.5 + 7 + 6 * 0.5, within(EXACT));
    }

    @Test
    void shouldLetRanksQueueForCores() {
        // with one core, four ranks copy after each other, and each change costs a switch
        Model one = model(0, 1, 0, 0, 0, 1, 1, 5);
        Model many = model(0, 1, 0, 0, 0, 1, 4, 5);
        double alone = predict(Collective.REDUCE, "flat", 1, 4, 1000, 0, many).micros();
        assertThat(alone).isCloseTo(1 + 3, within(EXACT));
        // root, then three ranks, then the root again; rank 1 has half a turn of the root before it, which waits for it
        assertThat(predict(Collective.REDUCE, "flat", 1, 4, 1000, 0, one).micros())
                .isCloseTo(3 * 1 + 4 * 5 + 5.0 / 2 + 3, within(EXACT));
    }

    @Test
    void shouldLetNodesOfOneHostShareItsCores() {
        // rank 0 puts until 2; rank 1 has the core after a switch and half a turn of rank 0, of a switch and a poll,
        // puts until 13.5, and finds what rank 0 has put; its own put arrives at 20.5, when rank 0 needs a switch to
        // see it
        assertThat(predict(Collective.BARRIER, "srm", 2, 1, 0, 0, model(0, 0, 7, 2, 0, 1, 1, 6)).micros())
                .isCloseTo(2 + 7, within(EXACT));
        Model oneHost = new Model("test", 0, 0, 0, 0, 0, 0, 0, 7, 2, 0, 0, 0, 0, 0, 1, 1024, 1, 2, 6, 1, Levels.NONE);
        assertThat(predict(Collective.BARRIER, "srm", 2, 1, 0, 0, oneHost).micros()).isCloseTo(20.5 + 6, within(EXACT));
    }

    @Test
    void shouldSendBetweenTheRanksOfAHostThroughItsMemoryOrItsRails() {
        Model memory = flat(OptionalDouble.of(3));
        Model rails = flat(OptionalDouble.empty());
        // ranks 0 and 1 are on one host, and 2 and 3 on the other: pairs at distance 1, then at distance 2
        assertThat(predict(Collective.BARRIER, "srm", 4, 1, 0, 0, memory).micros())
                .isCloseTo(2 + 3 + 2 + 7, within(EXACT));
        assertThat(predict(Collective.BARRIER, "srm", 4, 1, 0, 0, rails).micros())
                .isCloseTo(2 + 7 + 2 + 7, within(EXACT));
        // each of the two ranks of a host sends to two ranks of the other host, and to the other rank of its own
        assertThat(predict(Collective.ALLGATHER, "direct", 4, 1, 1000, 0, memory).bytesPerRail()).isEqualTo(4_000);
        assertThat(predict(Collective.ALLGATHER, "direct", 4, 1, 1000, 0, rails).bytesPerRail()).isEqualTo(6_000);
    }

    /** A put costs 2, and crosses a rail in 7; hosts have two ranks. */
    private static Model flat(OptionalDouble hostLatency) {
        return new Model("test", 0, 0, 0, 0, 0, 0, 0, 7, 2, 0, 0, 0, 0, List.of(0.0), 1, 1024, 4, 1, 0, 0, Levels.NONE,
                hostLatency, false).flat(2);
    }

    @Test
    void shouldOccupyWhoTakesIn() {
        // each puts until 2; the other's put arrives at 9 and is taken in until 12
        Model receiving = new Model("test", 0, 0, 0, 0, 0, 0, 0, 7, 2, 0, 3, 0, 0, 0, 1, 1024, 4, 1, 0, 0, Levels.NONE);
        assertThat(predict(Collective.BARRIER, "srm", 2, 1, 0, 0, receiving).micros()).isCloseTo(12, within(EXACT));
    }

    @Test
    void shouldTakeLongerForBytesThatCrossBetweenCores() {
        // rank 1 copies 1,000 bytes at 1 ns where nobody has been; they cross at 2 ns when rank 0 combines them
        Model crossing = new Model("test", 0, 0, 0, 1, 2, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1024, 2, 1, 0, 0, Levels.NONE);
        assertThat(predict(Collective.REDUCE, "flat", 1, 2, 1000, 0, crossing).micros())
                .isCloseTo(1 + 1 + 2, within(EXACT));
        // on one core nothing crosses
        Model oneCore = new Model("test", 0, 0, 0, 1, 2, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1024, 1, 1, 0, 0, Levels.NONE);
        assertThat(predict(Collective.REDUCE, "flat", 1, 2, 1000, 0, oneCore).micros()).isCloseTo(2, within(EXACT));
    }

    @Test
    void shouldOccupyWhoPutsForEveryByte() {
        // 8,000 bytes at 0.5 ns keep the root for 4 µs, fill the rail for 8, and are there 3 later
        Model copying = new Model("test", 0, 0, 0, 0, 0, 0, 0, 3, 0, 0.5, 0, 0, 0, 1, 1, 1024, 1, 1, 0, 0, Levels.NONE);
        assertThat(predict(Collective.BROADCAST, "srm", 2, 1, 8000, 0, copying).micros())
                .isCloseTo(4 + 8 + 3, within(EXACT));
    }

    @Test
    void shouldFetchWordsThatWereSetLongAgo() {
        // rank 1 copies 1 µs a call, the root combines 2: it waits for the first word until 1.25, and fetches the
        // others, which are there already, in 0.25 each
        Model slowRoot = new Model("test", 0, 0.25, 0, 1, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1, 1024, 2, 1, 0, 0,
                Levels.NONE);
        assertThat(Prediction.ofMean(Catalogue.find(Collective.REDUCE, "flat"), Sweep.even(1, 2),
                1000, 0, slowRoot, 4).micros()).isCloseTo((1.25 + 4 * 2 + 3 * 0.25) / 4, within(EXACT));
    }

    @Test
    void shouldFetchWordsFromWhereTheyWereStored() {
        // a word takes 10 ns in a group, and 100 between both. Flat: rank 0 fetches one from its own group and two from
        // the other one, one after the other, then the others fetch its word
        Model model = new Model("test", 0, 0.1, 0, 1, 3, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1024, 4, 1, 0, 0, PAIRS);
        assertThat(predict(Collective.BARRIER, "srm", 1, 4, 0, 0, model).micros())
                .isCloseTo(0.01 + 2 * 0.1 + 0.1, within(EXACT));
        // over levels: both groups at the same time, one word between them, and the same way back
        Prediction nested = Prediction.of(Catalogue.find(Collective.BARRIER, "tree"),
                Sweep.even(1, 4).withLevels(2), 0, 0, model);
        assertThat(nested.micros()).isCloseTo(2 * (0.01 + 0.1), within(EXACT));
    }

    @Test
    void shouldFetchBytesFromWhereTheyWereWritten() {
        // ranks 1 and 2 copy for 1 µs; the root fetches the word of each, then a line and 1,000 bytes as it combines:
        // of rank 1 from its own group, of rank 2 from the other one, where a word takes 100 ns, and a byte 3 ns more
        Model model = new Model("test", 0, 0.1, 0, 1, 3, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1024, 3, 1, 0, 0, PAIRS);
        assertThat(predict(Collective.REDUCE, "flat", 1, 3, 1000, 0, model).micros())
                .isCloseTo(1 + (0.01 + 0.01 + 1 + 1) + (0.1 + 0.1 + 1 + 3), within(EXACT));
    }

    @Test
    void shouldLetReadersOfAWordQueue() {
        // ranks 1 to 3 fetch the root's word 100 ns after it was stored, the next one 7 ns later each
        Levels queues = new Levels(List.of(8), List.of(0.1), List.of(0.0), 7);
        Model model = new Model("test", 0, 0.1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1024, 4, 1, 0, 0, queues);
        assertThat(predict(Collective.BROADCAST, "slot-ring", 1, 4, 8, 0, model).micros())
                .isCloseTo(0.1 + 2 * 0.007, within(EXACT));
    }

    @Test
    void shouldKeepMessagesApartByTheGap() {
        // the root puts to two nodes: 8,000 bytes fill the rail for 8 µs, then it has to rest for 2
        Model resting = new Model("test", 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 2, 1, 1, 1024, 1, 1, 0, 0, Levels.NONE);
        assertThat(predict(Collective.BROADCAST, "srm", 3, 1, 8000, 0, resting).micros())
                .isCloseTo(8 + 2 + 8 + 3, within(EXACT));
    }

    @ParameterizedTest
    @CsvSource({"1, 2.5", "4, 1.75", "10, 1.6"})
    void shouldPredictTheMeanOfCallsThatOverlap(int calls, double mean) {
        // each call costs 0.5 µs to enter; rank 1 copies 1 µs and goes on; the root combines 1 µs. As a call takes
        // either 1.5, the root waits only in the first one, for 1 µs: (1 + 1.5 · calls) ÷ calls
        Model entering = new Model("test", 0.5, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1024, 2, 1, 0, 0,
                Levels.NONE);
        assertThat(Prediction.ofMean(Catalogue.find(Collective.REDUCE, "flat"), Sweep.even(1, 2),
                1000, 0, entering, calls).micros()).isCloseTo(mean, within(EXACT));
    }

    @ParameterizedTest
    @ValueSource(strings = {"gigabit", "rdma200"})
    void shouldHaveACriticalPathWithoutGapsThatEndsWhenTheRunDoes(String name) {
        for (Collective collective : Collective.values()) {
            for (Algorithm algorithm : Catalogue.of(collective)) {
                Prediction prediction = Prediction.of(algorithm, Sweep.even(5, 3),
                        collective == Collective.BARRIER ? 0 : collective.hasBlocks() ? 10_000 : 100_000, 0,
                        Model.of(name));
                double now = 0;
                for (int index : prediction.trace().criticalPath()) {
                    Step step = prediction.trace().step(index);
                    assertThat(step.start()).isLessThanOrEqualTo(now + 2 * 1e3 * Model.of(name).memoryLatencyMicros());
                    assertThat(step.end()).isGreaterThanOrEqualTo(now - EXACT);
                    now = step.end();
                }
                assertThat(now / 1e3).isCloseTo(prediction.micros(), within(0.1));
                assertThat(prediction.criticalPath()).isNotEmpty();
            }
        }
    }

    @Test
    void shouldPredictTheSameTwice() {
        Prediction first = predict(Collective.ALLREDUCE, "srm", 7, 3, 100_000, 0, Model.of("gigabit"));
        Prediction second = predict(Collective.ALLREDUCE, "srm", 7, 3, 100_000, 0, Model.of("gigabit"));
        assertThat(second.criticalPath()).isEqualTo(first.criticalPath());
        assertThat(second.micros()).isEqualTo(first.micros());
        assertThat(second.steps()).isEqualTo(first.steps());
    }

    @Test
    void shouldPredictThousandsOfRanks() {
        Prediction prediction = predict(Collective.ALLREDUCE, "srm", 512, 16, 8, 0, Model.of("gigabit"));
        // the masters exchange in nine rounds, each of a latency of 30 µs, an overhead of 5 and 8 bytes of 8.43 ns
        assertThat(prediction.micros()).isBetween(9 * 35.067, 9 * 35.067 + 1);
        assertThat(prediction.messages()).isEqualTo(9 * 512);
    }

    @Test
    void shouldUseTheFormulaWhenThereAreTooManySteps() {
        Algorithm chain = Catalogue.find(Collective.BROADCAST, "chain");
        Prediction prediction = Prediction.of(chain, Sweep.even(2, 3), 1000, 0, model(0.25, 2, 10, 1, 4, 1, 8, 0), 1,
                10, Prediction.MESSAGES_MAX);
        assertThat(prediction.isByFormula()).isTrue();
        // 1 word, 2 copies of 1000 bytes at 2 ns, 1 put of 11 µs, 1000 bytes at 4 ns
        assertThat(prediction.micros()).isCloseTo(0.25 + 2 * 2 + 11 + 4, within(EXACT));
    }

    @Test
    void shouldUseTheFormulaWhenThereAreTooManyMessages() {
        Algorithm doubling = Catalogue.find(Collective.ALLREDUCE, "recursive-doubling");
        Model model = model(0.25, 2, 10, 1, 4, 1, 8, 0);
        long messages = 2 + 4 * 2; // one node hands over and gets the result, four exchange twice
        for (long most : new long[]{messages, messages - 1}) {
            Prediction prediction = Prediction.of(doubling, Sweep.even(5, 2), 8, 0, model, 1,
                    Prediction.STEPS_MAX, most);
            assertThat(prediction.isByFormula()).isEqualTo(most < messages);
        }
    }

    /** Else what could be simulated would be left to the formula. */
    @ParameterizedTest
    @CsvSource({"2, 2, 8", "5, 1, 8", "5, 3, 800", "8, 2, 4000"})
    void shouldNotExpectMoreMessagesThanThereAre(int nodes, int ranks, long bytes) {
        int known = 0;
        for (Collective collective : Collective.values()) {
            for (Algorithm algorithm : Catalogue.of(collective)) {
                long length = collective == Collective.BARRIER ? 0 : bytes;
                double expected = Costs.of(algorithm, nodes, ranks, length).messages();
                assertThat((double) Prediction.of(algorithm, Sweep.even(nodes, ranks), length, 0, Model.of("gigabit"))
                        .messages()).as("%s by %s", collective, algorithm.description().name())
                        .isGreaterThanOrEqualTo(expected);
                known += expected > 0 ? 1 : 0;
            }
        }
        assertThat(known).isGreaterThanOrEqualTo(7);
    }

    @Test
    void shouldStripeOverRailsInTheFormulaToo() {
        Model rails = model(0.25, 2, 10, 1, 4, 4, 8, 0);
        // 2 words, b bytes at 2 ns, 3 puts of 11 µs, b bytes at 4 ns: over four rails from 1024 bytes on
        assertThat(formula(3, 1024, rails)).isCloseTo(2 * 0.25 + 2.048 + 3 * 11 + 4.096 / 4, within(EXACT));
        assertThat(formula(3, 1016, rails)).isCloseTo(2 * 0.25 + 2.032 + 3 * 11 + 4.064, within(EXACT));
    }

    @Test
    void shouldLetRanksTakeTurnsOnCoresInTheFormulaToo() {
        // five ranks on two cores: three turns of work, and three switches of 5 µs at each of 2 + 3 waits
        assertThat(formula(5, 1000, model(0.25, 2, 10, 1, 4, 1, 2, 5)))
                .isCloseTo(2 * 0.25 + 3 * 2 + 3 * 11 + 4 + (2 + 3) * 3 * 5, within(EXACT));
        assertThat(formula(2, 1000, model(0.25, 2, 10, 1, 4, 1, 2, 5))).isCloseTo(2 * 0.25 + 2 + 3 * 11 + 4,
                within(EXACT));
    }

    private static double formula(int ranks, long bytes, Model model) {
        return Prediction.micros(new Cost(2, bytes, 0, 3, bytes), 2, ranks, bytes, model);
    }

    /** The formula is to be near what the run itself takes, with several rails and with too few cores, too. */
    @ParameterizedTest
    @CsvSource({"BROADCAST, srm, 4, 2, 1048576, 4, 8", "BROADCAST, srm-binary, 1, 8, 1048576, 1, 8",
            "REDUCE, srm, 4, 4, 65536, 1, 2",
            "ALLREDUCE, ring, 4, 2, 1048576, 2, 8",
            "ALLREDUCE, flat, 1, 8, 8192, 1, 2", "ALLREDUCE, flat, 64, 2, 8, 1, 8"})
    void shouldPredictMuchTheSameByFormula(Collective collective, String algorithm, int nodes, int ranks, long bytes,
            int rails, int cores) {
        Model model = model(0.25, 0.1, 10, 1, 1, rails, cores, 2);
        Algorithm found = Catalogue.find(collective, algorithm);
        double run = Prediction.of(found, Sweep.even(nodes, ranks), bytes, 0, model).micros();
        Prediction byFormula = Prediction.of(found, Sweep.even(nodes, ranks), bytes, 0, model, 1, 10,
                Prediction.MESSAGES_MAX);
        assertThat(byFormula.isByFormula()).isTrue();
        assertThat(byFormula.micros()).isBetween(run / 2, run * 2);
    }

    // ---- what the papers claim

    /** SRM 2003, section 2.2: four copies for eight ranks, where message passing needs seven. */
    @Test
    void shouldCopyFourTimesInASharedMemoryReduceOfEightRanks() {
        Prediction prediction = predict(Collective.REDUCE, "srm", 1, 8, 800, 0, Model.of("gigabit"));
        assertThat(steps(prediction, Kind.COPY)).hasSize(4);
        assertThat(steps(prediction, Kind.COMBINE)).hasSize(7);
    }

    /** Only leaves copy, and every rank but the root is combined with its parent. */
    @ParameterizedTest
    @CsvSource({"srm, 4", "srm-binary, 4", "srm-fibonacci, 5"})
    void shouldCopyAtTheLeavesOfAReduce(String algorithm, int leaves) {
        Prediction prediction = predict(Collective.REDUCE, algorithm, 1, 8, 800, 0, Model.of("gigabit"));
        assertThat(steps(prediction, Kind.COPY)).hasSize(leaves);
        assertThat(steps(prediction, Kind.COMBINE)).hasSize(7);
    }

    /**
     * SRM 2003, section 2.2: down a tree of the ranks of a node the root and the leaves copy once, inner ranks twice.
     * On another node the master copies only to its caller, because its children read what has arrived.
     */
    @ParameterizedTest
    @CsvSource({"srm, 1, 8", "srm-binomial, 1, 11", "srm-binary, 1, 11", "srm-fibonacci, 1, 10",
            "srm, 2, 16", "srm-binomial, 2, 22", "srm-binary, 2, 22", "srm-fibonacci, 2, 20"})
    void shouldCopyDownATreeOfTheRanksOfANode(String algorithm, int nodes, int copies) {
        Prediction prediction = predict(Collective.BROADCAST, algorithm, nodes, 8, 800, 0, Model.of("gigabit"));
        assertThat(steps(prediction, Kind.COPY)).hasSize(copies);
        assertThat(prediction.messages()).isEqualTo(nodes - 1);
    }

    /** The depths of trees of 1, 8 and 13 ranks: 0, 3 and 3, and of Fibonacci trees 0, 2 and 3. */
    @ParameterizedTest
    @CsvSource({"BROADCAST, srm, 13, 1", "BROADCAST, srm-binomial, 8, 3", "BROADCAST, srm-binary, 8, 3",
            "BROADCAST, srm-fibonacci, 8, 2", "BROADCAST, srm-binomial, 13, 3", "BROADCAST, srm-binary, 13, 3",
            "BROADCAST, srm-fibonacci, 13, 3", "REDUCE, srm, 8, 3", "REDUCE, srm-binary, 8, 3",
            "REDUCE, srm-fibonacci, 8, 2", "REDUCE, srm-fibonacci, 13, 3", "ALLREDUCE, srm, 8, 4",
            "ALLREDUCE, srm-binary, 8, 4", "ALLREDUCE, srm-fibonacci, 8, 3"})
    void shouldWaitAsOftenAsTheTreeOfANodeIsDeep(Collective collective, String algorithm, int ranks, int depth) {
        Prediction prediction = predict(collective, algorithm, 1, ranks, 8, 0, model(1, 0, 1, 0, 0, 1, ranks, 0));
        assertThat(prediction.micros()).isCloseTo(depth, within(EXACT));
    }

    /** Two buffers let a rank fill one while its children read the other: chunks follow at the pace of two copies. */
    @ParameterizedTest
    @CsvSource({"srm-binomial, 3", "srm-binary, 3", "srm-fibonacci, 2"})
    void shouldOverlapTheCopiesOfConsecutiveChunks(String algorithm, int depth) {
        int chunks = 16;
        // only copying costs: 64 KiB in 1 µs
        Model model = model(0, 1000.0 / (64 << 10), 0, 0, 0, 1, 8, 0);
        Prediction prediction = predict(Collective.BROADCAST, algorithm, 1, 8, chunks << 16, 0, model);
        assertThat(prediction.micros()).isCloseTo(depth + 1 + 2 * (chunks - 1), within(EXACT));
    }

    /** SRM 2003, section 2.1: embedding a tree in the cluster enters each node once and makes it no deeper. */
    @ParameterizedTest
    @CsvSource({"4, 4", "8, 2", "17, 15", "16, 16", "5, 3"})
    void shouldEmbedTreesThatAreNoDeeper(int nodes, int ranks) {
        Prediction prediction =
                predict(Collective.REDUCE, "srm", nodes, ranks, 8, 0, model(1, 0, 1, 0, 0, 1, ranks, 0));
        int depth = floorLog(nodes) + floorLog(ranks);
        assertThat(prediction.micros()).isCloseTo(depth, within(EXACT));
        assertThat(depth).isLessThanOrEqualTo(floorLog(nodes * ranks));
        assertThat(prediction.messages()).isEqualTo(nodes - 1);
    }

    /** But rounds, in which a node can take in one contribution, may be more than those of the flat tree. */
    @Test
    void shouldTakeMoreRoundsThanAFlatTreeOffPowersOfTwo() {
        // only combining costs, 1 µs for each contribution: the root takes ⌈log₂⌉ of each level
        Prediction embedded = predict(Collective.REDUCE, "srm", 17, 15, 8, 0, model(0, 125, 0, 0, 0, 1, 15, 0));
        List<Step> ofTheRoot = steps(embedded, Kind.COMBINE).stream().filter(step -> step.rank() == 0).toList();
        assertThat(ofTheRoot).hasSize(ceilLog(17) + ceilLog(15)).hasSize(9);
        assertThat(ceilLog(17 * 15)).isEqualTo(8);
    }

    /** SRM 2003, section 2.4: as many eager buffers are used as the master has neighbours, not one for each node. */
    @ParameterizedTest
    @ValueSource(ints = {2, 5, 8, 17, 64})
    void shouldUseAsManyEagerBuffersAsTheMasterHasNeighbours(int nodes) {
        Prediction prediction = predict(Collective.REDUCE, "srm", nodes, 2, 800, 0, Model.of("gigabit"));
        Topology topology = Sweep.even(nodes, 2);
        int most = 0;
        for (int node = 0; node < nodes; node++) {
            Set<Integer> putters = new HashSet<>();
            for (Step put : steps(prediction, Kind.PUT)) {
                if (topology.nodeOf(put.other()) == node) {
                    putters.add(put.rank());
                }
            }
            most = Math.max(most, putters.size());
        }
        assertThat(most).isEqualTo(ceilLog(nodes)).isLessThanOrEqualTo(RingLayout.edges(nodes));
    }

    /**
     * Each bound grows with the degree of the master, so with the logarithm of the nodes; with several ports by more
     * for each step, but within the edges that there are. And it grows with the master's pairs.
     */
    @ParameterizedTest
    @EnumSource
    void shouldNeedMemoryForNeighboursNotForNodes(Collective collective) {
        long message = 1 << 20;
        for (Algorithm algorithm : Catalogue.of(collective)) {
            long few = algorithm.memoryBytes(2, 4, message);
            for (int nodes = 3; nodes <= 4096; nodes++) {
                String name = algorithm.description().name();
                int degree = name.endsWith("-ports") || name.endsWith("fibonacci") ? RingLayout.edges(nodes)
                        : ceilLog(nodes);
                assertThat(algorithm.memoryBytes(nodes, 4, message) - few).as("%s on %s nodes", algorithm, nodes)
                        .isLessThanOrEqualTo((degree - 1) * RingLayout.EAGER_BUFFER_BYTES
                                + (collective.hasBlocks()
                                        ? nodes * (RingLayout.pairEagerBytes(nodes) + RingLayout.pairLongBytes(nodes))
                                        : 0));
            }
        }
    }

    private static int floorLog(int number) {
        return 31 - Integer.numberOfLeadingZeros(number);
    }

    private static int ceilLog(int number) {
        return 32 - Integer.numberOfLeadingZeros(number - 1);
    }

    @Test
    void shouldCutRoundsBetweenNodesAsGiven() {
        Chunked allreduce = (Chunked) Catalogue.find(Collective.ALLREDUCE, "index-range");
        assertThat(steps(allreduce.withChunk(256 << 10), 256 << 10)).as("one round")
                .isEqualTo(steps(allreduce.withChunk(512 << 10), 256 << 10))
                .isLessThan(steps((Algorithm) allreduce, 256 << 10));
    }

    private static int steps(Algorithm algorithm, long bytes) {
        return Prediction.of(algorithm, Sweep.even(2, 2), bytes, 0, model(0.25, 2, 10, 1, 4, 1, 8, 0)).trace().size();
    }
}
