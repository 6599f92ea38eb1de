/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.choice.Catalogue;
import org.tutti.collective.Algorithm;
import org.tutti.collective.allgather.BruckAllgather;
import org.tutti.collective.allgather.DirectAllgather;
import org.tutti.collective.allgather.GatherBroadcastAllgather;
import org.tutti.collective.allgather.StandardExchangeAllgather;
import org.tutti.collective.alltoall.BruckAllToAll;
import org.tutti.collective.alltoall.DirectAllToAll;
import org.tutti.collective.alltoall.StandardExchangeAllToAll;
import org.tutti.collective.blocks.SubtreeAlgorithm.Shape;
import org.tutti.collective.gather.DirectGather;
import org.tutti.collective.gather.TreeGather;
import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.machine.Machine;
import org.tutti.collective.scatter.DirectScatter;
import org.tutti.collective.scatter.TreeScatter;
import org.tutti.fabric.PutSource;
import org.tutti.fabric.PutTarget;
import org.tutti.memory.Waiter;
import org.tutti.pattern.NomialTree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/**
 * Equations 1 to 5 of Qian and Afsahi 2008. The N processes of the paper are nodes here, and steps and bytes are
 * traced. With one rail, the messages over k ports of a step leave over that rail, so their bytes are those of k ports.
 * With k rails all terms of an equation can be compared. {@link PortsTest} has more shapes of equations 3 and 5.
 */
class EquationsTest {
    private static final double EXACT = 1e-9;
    private static final int NODES = 4;
    private static final int RANKS = 2;
    private static final int BLOCK_BYTES = 8;
    private static final int[] FEW = {2, 3, 4, 5, 7, 8, 13, 16};
    private static final int MANY = 30;
    private static final int SHORT_BYTES = 100;
    private static final int LONG_BYTES = 1000;
    private static final long UNEQUAL = 5;
    private static final long EQUAL = 4;

    /** Only the way over the rail takes time: a microsecond a step. */
    private static final Model LATENCY =
            new Model("test", 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 1024, 1, 1, 0, 0, Levels.NONE);

    /** Besides, a byte takes 1/16 µs on the rail: a node's blocks one µs. */
    private static final Model RAIL =
            new Model("test", 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1000.0 / 16, 1, 1024, 1, 1, 0, 0, Levels.NONE);

    private static final int POWER_MAX = 64;

    /** A microsecond a step, and one for a node's block of {@value #BLOCK_BYTES} bytes on each of so many rails. */
    private static Model rails(int count) {
        return new Model("test", 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1000.0 / BLOCK_BYTES, count, 1024, POWER_MAX,
                1, 0, 0, Levels.NONE);
    }

    /** As many ports as rails, and nodes that are a power of k + 1. */
    static Stream<Arguments> powers() {
        return IntStream.rangeClosed(1, 4).boxed().flatMap(ports -> IntStream
                .iterate(ports + 1, power -> power <= POWER_MAX, power -> power * (ports + 1))
                .mapToObj(nodes -> Arguments.of(ports, nodes)));
    }

    static Stream<Arguments> withRailsAndNodes() {
        return IntStream.rangeClosed(1, 4).boxed()
                .flatMap(ports -> IntStream.of(FEW).mapToObj(nodes -> Arguments.of(ports, nodes)));
    }

    /**
     * With k rails: equations 3 and 5 to the microsecond, and the steps and the bytes of each rail for equation 1.
     */
    @ParameterizedTest
    @MethodSource("powers")
    void shouldTakeAsLongOnRailsAsThePaperSaysWhereTheNodesAreAPower(int ports, int nodes) {
        int steps = logarithm(nodes, ports + 1);
        double blocks = (nodes - 1.0) / ports;
        double exchanged = (double) steps * nodes / (ports + 1);
        shouldTake(new StandardExchangeAllgather(ports), ports, nodes, steps + blocks, blocks);
        shouldTake(new StandardExchangeAllToAll(ports), ports, nodes, steps + exchanged, exchanged);
        shouldTake(new BruckAllToAll(ports), ports, nodes, steps + exchanged, exchanged);
        for (Algorithm each : List.of(new TreeGather(Shape.nomial(ports)), new TreeScatter(Shape.nomial(ports)),
                new BruckAllgather(ports))) {
            assertThat(Prediction.of(each, Sweep.even(nodes, 1), BLOCK_BYTES, 0, LATENCY).micros()).as("%s", each)
                    .isCloseTo(steps, within(EXACT));
            assertThat((double) predictOnRails(each, ports, nodes).bytesPerRail() / BLOCK_BYTES).as("%s", each)
                    .isEqualTo(blocks);
        }
    }

    private static void shouldTake(Algorithm algorithm, int ports, int nodes, double micros, double blocks) {
        Prediction prediction = predictOnRails(algorithm, ports, nodes);
        assertThat(prediction.micros()).as("%s", algorithm).isCloseTo(micros, within(EXACT));
        assertThat(prediction.bytesPerRail()).as("%s", algorithm).isEqualTo((long) blocks * BLOCK_BYTES);
    }

    /**
     * Equation 2 with k ports and k rails: exactly in an allgather and an all-to-all. A gather and a scatter take less,
     * because no sender waits for the one before.
     */
    @ParameterizedTest
    @MethodSource("withRailsAndNodes")
    void shouldSendStraightOnRailsAsThePaperSays(int ports, int nodes) {
        int steps = Math.ceilDiv(nodes - 1, ports);
        shouldTake(new DirectAllgather(ports), ports, nodes, steps * 2.0, steps);
        shouldTake(new DirectAllToAll(ports), ports, nodes, steps * 2.0, steps);
        shouldTake(new DirectGather(ports), ports, nodes, 1.0 + steps, steps);
        shouldTake(new DirectScatter(ports), ports, nodes, 1.0 + steps, steps);
    }

    /** Equations 1, 4 and 5 as bounds: no more than for the next power, and by correction less than as much again. */
    @ParameterizedTest
    @MethodSource("withRailsAndNodes")
    void shouldTakeNoLongerOnRailsElsewhere(int ports, int nodes) {
        int steps = logarithm(nodes, ports + 1);
        double power = Math.pow(ports + 1, steps);
        for (Algorithm tree : List.of(new TreeGather(Shape.nomial(ports)), new TreeScatter(Shape.nomial(ports)))) {
            assertThat(predictOnRails(tree, ports, nodes).micros()).as("%s", tree)
                    .isLessThanOrEqualTo(steps + (power - 1) / ports + EXACT);
        }
        assertThat(predictOnRails(new StandardExchangeAllgather(ports), ports, nodes).micros())
                .isLessThanOrEqualTo((ports + 1) * steps + 2 * Math.ceil((nodes - 1.0) / ports));
        assertThat(predictOnRails(new BruckAllToAll(ports), ports, nodes).micros())
                .isLessThanOrEqualTo(steps + steps * power / (ports + 1));
    }

    private static Prediction predictOnRails(Algorithm algorithm, int rails, int nodes) {
        return Prediction.of(algorithm, Sweep.even(nodes, 1), BLOCK_BYTES, 0, rails(rails));
    }

    static Stream<Arguments> withPortsOfTheCatalogue() {
        return Stream.of(1, 3).flatMap(ports -> IntStream.of(FEW).mapToObj(nodes -> Arguments.of(ports, nodes)));
    }

    static Stream<Arguments> withManyPortsAndNodes() {
        return IntStream.rangeClosed(1, 4).boxed().flatMap(
                ports -> IntStream.rangeClosed(2, MANY).mapToObj(nodes -> Arguments.of(ports, nodes)));
    }

    /** Equation 1: log(n) steps to base k + 1, and (n − 1)/k nodes' blocks over each port of the root. */
    @ParameterizedTest
    @MethodSource("withPortsOfTheCatalogue")
    void shouldGatherAndScatterOnATreeAsThePaperSays(int ports, int nodes) {
        for (Algorithm tree : List.of(new TreeGather(Shape.nomial(ports)), new TreeScatter(Shape.nomial(ports)))) {
            Prediction prediction = predict(tree, nodes, LATENCY);
            shouldTakeTheLogarithm(prediction, ports, nodes);
            assertThat(prediction.bytesPerRail()).isEqualTo((nodes - 1L) * nodeBytes());
        }
    }

    /**
     * Of Bruck's allgather the paper says that equation 1 holds for any number of nodes. Off powers of k + 1 the last
     * step need not always wait for the one before: there is less to send.
     */
    @ParameterizedTest
    @MethodSource("withPortsOfTheCatalogue")
    void shouldGatherToAllByBrucksAlgorithmAsThePaperSays(int ports, int nodes) {
        Prediction prediction = predict(new BruckAllgather(ports), nodes, LATENCY);
        shouldTakeTheLogarithm(prediction, ports, nodes);
        assertThat(prediction.bytesPerRail()).isEqualTo((nodes - 1L) * nodeBytes());
        assertThat(bytesSent(prediction)).isEqualTo(nodes * (nodes - 1L) * nodeBytes());
    }

    /**
     * Equation 4: at most (k + 1)·⌈log n⌉ steps where the nodes are no power of k + 1; here there are no more than
     * ⌈log n⌉. And (n − 1)/k nodes' blocks over each port: not at each node, but on average.
     */
    @ParameterizedTest
    @MethodSource("withPortsOfTheCatalogue")
    void shouldCorrectStandardExchangeInFewerStepsThanThePaper(int ports, int nodes) {
        Prediction prediction = predict(new StandardExchangeAllgather(ports), nodes, LATENCY);
        assertThat(prediction.micros()).isCloseTo(logarithm(nodes, ports + 1), within(EXACT));
        assertThat(bytesSent(prediction)).isEqualTo(nodes * (nodes - 1L) * nodeBytes());
    }

    /**
     * Section 5.2.1: the gather of equation 1, and a broadcast down the same tree. (n − 1) nodes' blocks come to the
     * root, each node gets those of all others once, and nobody sends more than the root does to its children.
     */
    @ParameterizedTest
    @MethodSource("withPortsOfTheCatalogue")
    void shouldGatherAndBroadcastInTwiceTheLogarithm(int ports, int nodes) {
        Prediction prediction = predict(new GatherBroadcastAllgather(ports), nodes, LATENCY);
        int steps = logarithm(nodes, ports + 1);
        int least = isPower(nodes, ports + 1) ? steps : Math.max(1, steps - 1);
        assertThat(prediction.micros()).isBetween(2 * least - EXACT, 2 * steps + EXACT);
        assertThat(bytesSent(prediction)).isEqualTo(nodes * (nodes - 1L) * nodeBytes());
        int children = new NomialTree(ports).children(0, nodes);
        assertThat(prediction.bytesPerRail()).isEqualTo((children * nodes - (nodes - 1L)) * nodeBytes());
    }

    @Tag("thorough")
    @ParameterizedTest
    @MethodSource("withManyPortsAndNodes")
    void shouldDoSoWithManyPortsAndNodes(int ports, int nodes) {
        shouldGatherAndScatterOnATreeAsThePaperSays(ports, nodes);
        shouldGatherToAllByBrucksAlgorithmAsThePaperSays(ports, nodes);
        shouldCorrectStandardExchangeInFewerStepsThanThePaper(ports, nodes);
        shouldGatherAndBroadcastInTwiceTheLogarithm(ports, nodes);
    }

    /** A node sends one message to each partner of a step, with the blocks of all ranks that go there. */
    @ParameterizedTest
    @CsvSource({"GATHER, direct, 3", "GATHER, tree, 3", "GATHER, tree@3-ports, 3", "GATHER, halving, 3",
            "SCATTER, direct, 3", "SCATTER, tree, 3", "SCATTER, tree@3-ports, 3", "SCATTER, halving, 3",
            "ALLGATHER, direct, 12", "ALLGATHER, bruck, 8", "ALLGATHER, bruck@3-ports, 12", "ALLGATHER, ring, 12",
            "ALLGATHER, standard-exchange, 8", "ALL_TO_ALL, direct, 12"})
    void shouldCombineTheBlocksForAPartner(Collective collective, String name, int messages) {
        Prediction prediction =
                Prediction.of(Catalogue.find(collective, name), Sweep.even(4, 4), BLOCK_BYTES, 1, LATENCY);
        assertThat(prediction.messages()).isEqualTo(messages);
    }

    /**
     * Short blocks of any length go in records of equal length, so an algorithm sends as many messages as for equal
     * blocks, and no other message.
     */
    @ParameterizedTest
    @CsvSource({"GATHER, direct, 3", "GATHER, tree, 3", "GATHER, tree@3-ports, 3", "SCATTER, direct, 3",
            "SCATTER, tree, 3", "SCATTER, halving, 3", "ALLGATHER, direct, 12", "ALLGATHER, bruck, 8",
            "ALLGATHER, ring, 12", "ALLGATHER, standard-exchange, 8", "ALLGATHER, gather-and-broadcast, 6",
            "ALL_TO_ALL, direct, 12", "ALL_TO_ALL, bruck, 8", "ALL_TO_ALL, standard-exchange, 8",
            "ALL_TO_ALL, aggregated, 12", "ALL_TO_ALL, bruck@3-ports, 12"})
    void shouldSendShortBlocksOfAnyLengthAsEqualOnes(Collective collective, String name, int messages) {
        Algorithm algorithm = Catalogue.find(collective, name);
        assertThat(puts(algorithm, SHORT_BYTES, UNEQUAL)).isEqualTo(messages);
        assertThat(puts(algorithm, SHORT_BYTES, EQUAL)).isEqualTo(messages);
        assertThat(puts(algorithm, LONG_BYTES, UNEQUAL)).isGreaterThan(messages);
    }

    /**
     * A rank sends one section to each other node. The rest of a section that is longer than its place is one more
     * message, until the long buffer has no room for it; then the receiver invites the sender.
     */
    @ParameterizedTest
    @CsvSource({"GATHER, 2, 1, 6", "SCATTER, 1, 2, 3", "ALLGATHER, 2, 1, 24", "ALL_TO_ALL, 2, 2, 24"})
    void shouldSendRestsOfSectionsWithoutInvitations(Collective collective, int sources, int readers, int messages) {
        int eager = (int) RingLayout.pairEagerBytes(NODES) / sources / readers - Long.BYTES;
        Algorithm algorithm = Catalogue.find(collective, "blocks");
        assertThat(puts(algorithm, eager, EQUAL)).isEqualTo(messages);
        assertThat(puts(algorithm, eager + 1, EQUAL)).isEqualTo(2 * messages);
        assertThat(puts(algorithm, 2 * eager, EQUAL)).isEqualTo(2 * messages);
        assertThat(puts(algorithm, 8 * eager, EQUAL)).isGreaterThan(2 * messages);
    }

    /** A combined piece has a quarter of the message's packets, and at least one. */
    @ParameterizedTest
    @CsvSource({"REDUCE, srm@240k, 2, 1", "REDUCE, srm@240k, 7, 1", "REDUCE, srm@240k, 8, 2",
            "ALLREDUCE, rabenseifner, 7, 1", "ALLREDUCE, rabenseifner, 8, 2"})
    void shouldCombineLongMessagesInPiecesOfSeveralPackets(Collective collective, String algorithm, int packets,
            int longest) {
        AtomicLong bytesMax = new AtomicLong();
        PlannedCall call = new PlannedCall(Catalogue.find(collective, algorithm), CheckedOperation.BYTES, 0,
                packets * Machine.PACKET_BYTES, false, EQUAL);
        verify(Sweep.even(2, 1), call, source -> bytesMax.accumulateAndGet(source.bytes(), Math::max));
        assertThat(bytesMax.get()).isEqualTo((long) longest * Machine.PACKET_BYTES);
    }

    /** Counts the messages between nodes in a verified call on four nodes. */
    private static int puts(Algorithm algorithm, int bytes, long salt) {
        AtomicInteger puts = new AtomicInteger();
        PlannedCall call = new PlannedCall(algorithm, CheckedOperation.BYTES, 1, bytes, false, salt);
        assertThat(call.isUnequal()).isEqualTo(salt == UNEQUAL);
        verify(Sweep.even(NODES, RANKS), call, _ -> puts.incrementAndGet());
        return puts.get();
    }

    /** Verifies a call, and shows the source of each put between nodes. */
    private static void verify(Topology topology, PlannedCall call, Consumer<PutSource> sources) {
        assertThat(Verifier.verify(topology, List.of(call), 1, 0,
                (world, thread) -> new VerifyingMachine(world, thread) {
                    @Override
                    public boolean put(PutTarget target, PutSource source, Waiter.Check check) {
                        sources.accept(source);
                        return super.put(target, source, check);
                    }
                })).isEmpty();
    }

    /** Equation 2: ⌈(n − 1)/k⌉ steps, in each of which a node's blocks go over each port. Nobody waits: k is n − 1. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5, 8, 9})
    void shouldSendStraightInOneStep(int nodes) {
        for (Collective collective : List.of(Collective.GATHER, Collective.SCATTER, Collective.ALLGATHER)) {
            int senders = collective == Collective.ALLGATHER ? nodes : 1;
            shouldSendStraight(collective, nodes, nodes - 1, senders, nodeBytes());
        }
    }

    /** In an all-to-all a master takes what comes in a step before it goes on to the next: k is 1. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5, 8, 9})
    void shouldExchangeStraightInAStepForEachOtherNode(int nodes) {
        shouldSendStraight(Collective.ALL_TO_ALL, nodes, 1, nodes, RANKS * nodeBytes());
    }

    /** Over one rail, so with the bytes it takes no longer than the equation says for k = 1. */
    private static void shouldSendStraight(Collective collective, int nodes, int ports, int senders, long bytes) {
        Algorithm direct = Catalogue.find(collective, "direct");
        Prediction prediction = predict(direct, nodes, LATENCY);
        int steps = Math.ceilDiv(nodes - 1, ports);
        assertThat(prediction.micros()).isCloseTo(steps, within(EXACT));
        assertThat(prediction.messages()).isEqualTo(senders * (nodes - 1L));
        assertThat(prediction.bytesPerRail()).isEqualTo((nodes - 1) * bytes);
        assertThat(bytesSent(prediction)).isEqualTo(senders * (nodes - 1) * bytes);
        double carried = (nodes - 1.0) * bytes / nodeBytes();
        assertThat(predict(direct, nodes, RAIL).micros()).isBetween(carried, nodes - 1 + carried + EXACT);
    }

    /** Exactly where the nodes are a power of k + 1, and elsewhere no more than up to the next one. */
    private static void shouldTakeTheLogarithm(Prediction prediction, int ports, int nodes) {
        int steps = logarithm(nodes, ports + 1);
        int least = isPower(nodes, ports + 1) ? steps : Math.max(1, steps - 1);
        assertThat(prediction.micros()).isBetween(least - EXACT, steps + EXACT);
    }

    private static Prediction predict(Algorithm algorithm, int nodes, Model model) {
        return Prediction.of(algorithm, Sweep.even(nodes, RANKS), BLOCK_BYTES, 0, model);
    }

    private static long nodeBytes() {
        return (long) RANKS * BLOCK_BYTES;
    }

    private static int logarithm(int nodes, int base) {
        return (int) LongStream.iterate(1, power -> power < nodes, power -> power * base).count();
    }

    private static boolean isPower(int nodes, int base) {
        return LongStream.iterate(1, power -> power <= nodes, power -> power * base).anyMatch(power -> power == nodes);
    }

    private static long bytesSent(Prediction prediction) {
        Trace trace = prediction.trace();
        return IntStream.range(0, trace.size()).mapToObj(trace::step)
                .filter(step -> step.kind() == Trace.Kind.ARRIVAL).mapToLong(Trace.Step::bytes).sum();
    }
}
