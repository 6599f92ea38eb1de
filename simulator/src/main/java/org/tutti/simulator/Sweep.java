/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.choice.Catalogue;
import org.tutti.collective.Algorithm;

/**
 * Lists the runs that verify the algorithms of the catalogue. The shapes are: 1 to {@value #NODES_MAX} nodes with 1 to
 * {@value #RANKS_MAX} ranks each; for every number of nodes, some with different numbers of ranks and some with ranks
 * dealt out to the nodes one by one; and some with levels inside the nodes, even and uneven. On every shape there are
 * also runs with several operations in flight, with requests that are held back, and with groups.
 */
public final class Sweep {
    /** The most nodes of a shape. */
    public static final int NODES_MAX = 9;

    /** The most ranks on a node of a shape. */
    public static final int RANKS_MAX = 5;

    private static final int SHAPES_OF_A_SAMPLE = 12;
    private static final int IN_FLIGHT_OF_A_SAMPLE = 36;
    private static final int UNEVEN = 3;

    /** Pairs of the ranks of each node and the levels inside. */
    private static final int[][][] LEVELLED = {{{4}, {2}}, {{7}, {2, 4}}, {{8}, {2, 4}}, {{9}, {3}}, {{13}, {2, 4}},
            {{16}, {2, 8}}, {{5, 4}, {2}}, {{8, 7}, {2, 4}}, {{3, 8, 1}, {4}}};

    private Sweep() {}

    /**
     * Lists all runs.
     *
     * @param seeds the number of seeds of each part of an algorithm's calls
     * @return the runs
     */
    public static List<Plan> all(int seeds) {
        List<Plan> plans = new ArrayList<>();
        for (Collective collective : Collective.values()) {
            plans.addAll(of(collective, Catalogue.of(collective), seeds));
        }
        for (Topology topology : shapes()) {
            for (int part = 0; part < InFlightPlan.PARTS; part++) {
                for (int seed = 0; seed < seeds; seed++) {
                    plans.add(new InFlightPlan(topology, part, seed));
                }
            }
            for (int part = 0; part < HeldBackPlan.PARTS; part++) {
                for (int seed = 0; seed < seeds; seed++) {
                    plans.add(new HeldBackPlan(topology, part, seed));
                }
            }
            for (int part = 0; part < GroupPlan.parts(topology); part++) {
                for (int seed = 0; seed < seeds; seed++) {
                    plans.add(new GroupPlan(topology, part, seed));
                }
            }
        }
        return plans;
    }

    /**
     * Lists the runs of some algorithms.
     *
     * @param collective the collective
     * @param algorithms its algorithms
     * @param seeds the number of seeds of each part of an algorithm's calls
     * @return the runs
     */
    @SuppressWarnings("exports") // the library exports the algorithms to the simulator alone
    public static List<Plan> of(Collective collective, List<? extends Algorithm> algorithms, int seeds) {
        List<Plan> plans = new ArrayList<>();
        for (Algorithm algorithm : algorithms) {
            for (Topology topology : shapes()) {
                int parts = AlgorithmPlan.parts(algorithm, topology);
                for (int part = 0; part < parts; part++) {
                    for (int seed = 0; seed < seeds; seed++) {
                        plans.add(new AlgorithmPlan(algorithm, topology, part, seed));
                    }
                }
            }
        }
        return plans;
    }

    /**
     * Draws one part of the calls of each algorithm on each of {@value #SHAPES_OF_A_SAMPLE} shapes, and
     * {@value #IN_FLIGHT_OF_A_SAMPLE} runs each with several operations in flight and with requests that are held back.
     *
     * @param seed decides the runs that are drawn
     * @return the runs
     */
    public static List<Plan> sample(long seed) {
        Random random = new Random(seed);
        List<Plan> plans = new ArrayList<>();
        for (Collective collective : Collective.values()) {
            for (Algorithm algorithm : Catalogue.of(collective)) {
                List<Topology> shapes = shapes();
                Collections.shuffle(shapes, random);
                for (Topology topology : shapes.subList(0, SHAPES_OF_A_SAMPLE)) {
                    plans.add(new AlgorithmPlan(algorithm, topology,
                            random.nextInt(AlgorithmPlan.parts(algorithm, topology)), random.nextInt()));
                }
            }
        }
        List<Topology> shapes = shapes();
        Collections.shuffle(shapes, random);
        for (int part = 0; part < IN_FLIGHT_OF_A_SAMPLE; part++) {
            plans.add(new InFlightPlan(shapes.get(part % shapes.size()), part % InFlightPlan.PARTS, random.nextInt()));
        }
        for (int part = 0; part < IN_FLIGHT_OF_A_SAMPLE; part++) {
            plans.add(new HeldBackPlan(shapes.get(part % shapes.size()), part % HeldBackPlan.PARTS, random.nextInt()));
        }
        return plans;
    }

    /** Returns all shapes. The shape of one rank alone is not among them. */
    static List<Topology> shapes() {
        List<Topology> shapes = new ArrayList<>();
        Random random = new Random(NODES_MAX);
        for (int nodes = 1; nodes <= NODES_MAX; nodes++) {
            for (int ranks = 1; ranks <= RANKS_MAX; ranks++) {
                if (nodes * ranks > 1) {
                    shapes.add(even(nodes, ranks));
                }
            }
            for (int uneven = 0; nodes > 1 && uneven < UNEVEN; uneven++) {
                shapes.add(uneven(nodes, random));
            }
            if (nodes > 1) {
                shapes.add(dealt(nodes, nodes + random.nextInt(nodes * (RANKS_MAX - 1))));
            }
        }
        for (int[][] levelled : LEVELLED) {
            shapes.add(inBlocks(levelled[0]).withLevels(levelled[1]));
        }
        shapes.add(dealt(2, 11).withLevels(2, 4));
        return shapes;
    }

    /** Returns a shape with equally many ranks on each node; the ranks of a node follow each other. */
    static Topology even(int nodes, int ranks) {
        int[] nodeOfRank = new int[nodes * ranks];
        for (int rank = 0; rank < nodeOfRank.length; rank++) {
            nodeOfRank[rank] = rank / ranks;
        }
        return new Topology(nodeOfRank);
    }

    private static Topology uneven(int nodes, Random random) {
        return inBlocks(IntStream.range(0, nodes).map(_ -> 1 + random.nextInt(RANKS_MAX)).toArray());
    }

    private static Topology inBlocks(int... ranksOfNodes) {
        return new Topology(IntStream.range(0, ranksOfNodes.length)
                .flatMap(node -> IntStream.generate(() -> node).limit(ranksOfNodes[node])).toArray());
    }

    private static Topology dealt(int nodes, int size) {
        int[] nodeOfRank = new int[size];
        for (int rank = 0; rank < size; rank++) {
            nodeOfRank[rank] = rank % nodes;
        }
        return new Topology(nodeOfRank);
    }
}
