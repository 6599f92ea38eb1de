/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;

import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.choice.Catalogue;
import org.tutti.collective.Algorithm;
import org.tutti.collective.blocks.CarriedBlocksAlgorithm;
import org.tutti.collective.layout.CallShape;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares the algorithm that an algorithm says it runs as with the steps that both take. Two algorithms take the same
 * steps if every rank stores and awaits the same words, and moves the same bytes between the same places.
 */
@Execution(ExecutionMode.CONCURRENT)
class ActualAlgorithmTest {
    private static final long SEED = 20261127;

    /** The calls of a run, which differ in the memory of the ranks, and in the masters that are drawn. */
    private static final int CALLS = 8;

    /** Shapes on which every two algorithms are compared. */
    private static final List<Topology> SHAPES =
            List.of(Sweep.even(1, 3), Sweep.even(1, 4), Sweep.even(2, 1), Sweep.even(2, 2), Sweep.even(3, 2));

    /** Shapes on which an algorithm is compared with the one that it names. */
    private static final List<Topology> FURTHER_SHAPES =
            List.of(new Topology(new int[]{0, 1, 0, 1}), new Topology(new int[]{0, 0, 0, 1, 1}), Sweep.even(4, 1),
                    Sweep.even(1, 4).withLevels(2), Sweep.even(1, 6), Sweep.even(5, 2));

    /** Lengths of a message or a block: below and above those at which algorithms change their steps. */
    private static final int[] BYTES = {32, 96, 1 << 10, 12 << 10, 16 << 10, 20 << 10, 40 << 10, 160 << 10};
    private static final int BYTES_LONG = 512 << 10;

    /** The length of the longest block in calls whose blocks differ. As equal blocks, many would need invitations. */
    private static final int UNEQUAL_BYTES = 20 << 10;

    /** Fails for an algorithm that says the wrong name, and for one that does not say that it is another one. */
    @ParameterizedTest
    @EnumSource(Collective.class)
    void shouldSayWhichAlgorithmsTakeTheSameSteps(Collective collective) {
        List<Algorithm> algorithms = algorithms(collective);
        List<String> wrong = new ArrayList<>();
        for (CallShape shape : shapes(collective, SHAPES)) {
            Map<List<String>, String> saidOf = new HashMap<>();
            Map<String, List<String>> stepsOf = new HashMap<>();
            for (Algorithm algorithm : algorithms) {
                if (!shape.operatorCommutes() && !algorithm.keepsOrder(shape.topology())) {
                    continue;
                }
                List<String> steps = steps(algorithm, shape);
                String said = name(running(algorithm, shape).actual(shape));
                String other = saidOf.putIfAbsent(steps, said);
                if (other != null && !other.equals(said)) {
                    wrong.add(name(algorithm) + " takes the steps of " + other + ": " + shape);
                }
                List<String> others = stepsOf.putIfAbsent(said, steps);
                if (others != null && !others.equals(steps)) {
                    wrong.add(running(algorithm, shape).describe(shape) + " takes other steps: " + shape);
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Collective.class)
    void shouldTakeTheStepsOfTheAlgorithmThatItNames(Collective collective) {
        List<String> wrong = new ArrayList<>();
        for (CallShape shape : shapes(collective, FURTHER_SHAPES)) {
            for (Algorithm algorithm : algorithms(collective)) {
                Algorithm actual = running(algorithm, shape).actual(shape);
                boolean mayRun = shape.operatorCommutes() || algorithm.keepsOrder(shape.topology());
                if (mayRun && !name(actual).equals(name(algorithm))
                        && !steps(Catalogue.find(collective, name(actual)), shape).equals(steps(algorithm, shape))) {
                    wrong.add(running(algorithm, shape).describe(shape) + " takes other steps: " + shape);
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    /** In the first call of a group, the nodes must meet. */
    @ParameterizedTest
    @CsvSource({"1, srm", "3, srm"})
    void shouldSayThatTheNodesOfAGroupMeet(int nodes, String actual) {
        CallShape shape = new CallShape(Sweep.even(nodes, 2), true, 0, 0, true);
        for (String name : List.of("srm", "halving", "cheng", "cheng-random")) {
            Algorithm algorithm = Catalogue.find(Collective.BARRIER, name);
            assertThat(name(algorithm.actual(shape))).isEqualTo(actual);
        }
        assertThat(Catalogue.find(Collective.BARRIER, "cheng").describe(shape))
                .isEqualTo("cheng: srm in the first call of a group");
    }

    /** With more than 128 nodes, the shares of the inbox are too short for long chunks. */
    @ParameterizedTest
    @CsvSource({"128, srm@240k", "129, srm"})
    void shouldSayThatManyNodesHaveShorterChunks(int nodes, String actual) {
        CallShape shape = new CallShape(Sweep.even(nodes, 1), false, 1 << 20, 0, true);
        assertThat(name(Catalogue.find(Collective.REDUCE, "srm@240k").actual(shape))).isEqualTo(actual);
    }

    /** A length of chunks for which there is no room is another length. */
    @ParameterizedTest
    @CsvSource({"ALLREDUCE, srm@240k, 3, 65536, srm", "ALLREDUCE, srm@8k, 3, 65536, srm@8k",
            "ALLREDUCE, srm-binary@16k, 2, 65536, srm@16k", "ALLREDUCE, index-range@1024k, 1, 524288, index-range",
            "ALLREDUCE, index-range@240k, 2, 524288, index-range@240k", "REDUCE, srm@240k, 3, 131072, srm@240k",
            "REDUCE, srm@240k, 3, 65536, srm", "REDUCE, srm@240k, 10, 131072, srm@240k",
            "REDUCE, srm@1024k, 1, 524288, srm@256k", "REDUCE, srm@8k, 2, 65536, srm@8k",
            "REDUCE, index-range@8k, 2, 65536, flat", "REDUCE, index-range@1024k, 1, 524288, index-range",
            "BROADCAST, srm@240k, 3, 524288, srm@240k", "BROADCAST, srm@240k, 3, 65536, srm",
            "BROADCAST, srm-binary@8k, 2, 20480, srm", "BROADCAST, slot-ring@240k, 3, 65536, slot-ring",
            "BROADCAST, slot-ring@8k, 3, 65536, slot-ring@8k", "BROADCAST, slot-ring@240k, 1, 12288, slot-ring@128k"})
    void shouldSayThatChunksAreShorter(Collective collective, String name, int nodes, int bytes, String actual) {
        CallShape shape = new CallShape(Sweep.even(nodes, 2), false, bytes, 0, true);
        Algorithm algorithm = Catalogue.find(collective, name);
        assertThat(name(algorithm.actual(shape))).isEqualTo(actual);
        assertThat(steps(algorithm, shape)).isEqualTo(steps(Catalogue.find(collective, actual), shape));
    }

    /** Chunks of a reduction are shorter for a root whose node is not the first, if the order of ranks counts. */
    @ParameterizedTest
    @CsvSource({"true, srm@240k", "false, srm"})
    void shouldSayThatChunksAreShorterInTheOrderOfRanks(boolean commutes, String actual) {
        CallShape shape = new CallShape(Sweep.even(2, 2), false, 128 << 10, 3, commutes);
        Algorithm algorithm = Catalogue.find(Collective.REDUCE, "srm@240k");
        assertThat(name(algorithm.actual(shape))).isEqualTo(actual);
        assertThat(steps(algorithm, shape)).isEqualTo(steps(Catalogue.find(Collective.REDUCE, actual), shape));
    }

    private static List<Algorithm> algorithms(Collective collective) {
        return Stream.concat(Catalogue.of(collective).stream(), Catalogue.unlisted().stream())
                .filter(each -> each.collective() == collective && !name(each).equals("blocks")).toList();
    }

    /** {@return the algorithm that runs calls of a shape if an algorithm is requested} */
    private static Algorithm running(Algorithm requested, CallShape shape) {
        return shape.isUnequal() ? CarriedBlocksAlgorithm.of(requested) : requested;
    }

    private static List<CallShape> shapes(Collective collective, List<Topology> topologies) {
        List<CallShape> shapes = new ArrayList<>();
        for (Topology topology : topologies) {
            for (int root : collective.hasRoot() ? new int[]{0, topology.size() - 1} : new int[]{0}) {
                for (int bytes : collective.hasElements() ? BYTES : new int[]{0}) {
                    if (collective.hasBlocks() && bytes > Calls.BYTES_MAX / topology.size()) {
                        continue;
                    }
                    shapes.add(new CallShape(topology, false, bytes, root, true));
                    if (collective.combines()) {
                        shapes.add(new CallShape(topology, false, bytes, root, false));
                    }
                }
                if (collective.hasBlocks() && !collective.combines()) {
                    shapes.add(new CallShape(topology, false, UNEQUAL_BYTES, root, true, true));
                }
                if (collective.hasElements() && !collective.hasBlocks()) {
                    shapes.add(new CallShape(topology, false, BYTES_LONG, root, true));
                }
            }
        }
        return shapes;
    }

    /** {@return the steps of each rank in some calls of one shape} */
    private static List<String> steps(Algorithm algorithm, CallShape shape) {
        CheckedOperation operation = !algorithm.collective().combines() ? CheckedOperation.BYTES
                : shape.operatorCommutes() ? CheckedOperation.SUM : CheckedOperation.MATRIX;
        List<PlannedCall> calls = new SplittableRandom(SEED).longs(CALLS)
                .mapToObj(drawn -> new PlannedCall(algorithm, operation, shape.root(),
                        Math.toIntExact(shape.bytes()), drawn % 4 == 0, shape.isUnequal() ? drawn | 1 : drawn & -2))
                .toList();
        List<String> steps = new ArrayList<>();
        assertThat(Verifier.verify(shape.topology(), calls, 1, SEED,
                (world, thread) -> new RecordingMachine(world, thread, steps))).isEmpty();
        return steps;
    }

    private static String name(Algorithm algorithm) {
        return algorithm.description().name();
    }
}
