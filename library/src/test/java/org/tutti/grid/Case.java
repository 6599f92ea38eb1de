/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.grid;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

import org.tutti.Collective;
import org.tutti.DataType;
import org.tutti.Reduction;
import org.tutti.choice.Catalogue;
import org.tutti.collective.Algorithm;

/**
 * One point of the grid: a call of a collective, with everything that may vary.
 *
 * @param collective the operation
 * @param algorithm its algorithm, by name
 * @param type the elements' type
 * @param reduction the operator; null where nothing is combined
 * @param ranks how many ranks
 * @param nodes on how many nodes they are
 * @param placement how they are placed there
 * @param root the root, 0 where there is none
 * @param units how many units of elements; where ranks have blocks, in a block
 * @param inPlace whether source and target are the same memory
 * @param offHeap whether the elements lie off-heap, unaligned
 */
record Case(Collective collective, String algorithm, DataType type, Reduction reduction, int ranks, int nodes,
        Placement placement, int root, int units, boolean inPlace, boolean offHeap) {
    static final int RANKS_MAX = 9;

    private static final int NODES_MAX = 4;
    private static final int TIMES_COVERED = Integer.getInteger("grid.times", 1);
    private static final int PLACES_EVERY = Integer.getInteger("grid.every", 3);

    /** Where few places are taken, an algorithm has few operators and sizes, too: the next one has others. */
    private static final int COVERED_EVERY = Math.max(1, PLACES_EVERY / 4);

    private static final int KINDS = 40;
    private static final int[] BYTES_AROUND =
            {48, 112, 4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 120 << 10, 240 << 10, 256 << 10, 512 << 10};

    /** A type with an operator that works on it. */
    record Operation(DataType type, Reduction reduction) {}

    int count() {
        return units * unit();
    }

    private int unit() {
        return reduction == null ? 1 : reduction.unit();
    }

    /** How ranks are placed on nodes. */
    enum Placement {
        /** In blocks as even as possible. */
        EVEN,
        /** In blocks, most of them on the last node. */
        CROWDED,
        /** Dealt out to the nodes one by one. */
        DEALT
    }

    int[] nodeOfRank() {
        int[] nodeOfRank = new int[ranks];
        for (int rank = 0; rank < ranks; rank++) {
            nodeOfRank[rank] = switch (placement) {
                case EVEN -> (int) ((long) rank * nodes / ranks);
                case CROWDED -> Math.min(rank, nodes - 1);
                case DEALT -> rank % nodes;
            };
        }
        return nodeOfRank;
    }

    /** The placements for which an algorithm combines the ranks as the operator needs it; on one node all are alike. */
    private static List<Placement> placements(Algorithm algorithm, Operation operation, int nodes) {
        if (nodes == 1) {
            return List.of(Placement.EVEN);
        }
        boolean any = operation.reduction == null || operation.reduction.isCommutative()
                || algorithm.description().order() == Algorithm.Order.ALWAYS;
        return any ? List.of(Placement.values()) : List.of(Placement.EVEN, Placement.CROWDED);
    }

    /** Every point. */
    static List<Case> all() {
        List<Case> cases = new ArrayList<>();
        for (Collective collective : Collective.values()) {
            for (Algorithm algorithm : Catalogue.of(collective)) {
                for (Operation operation : operations(algorithm, collective)) {
                    for (int ranks = 1; ranks <= RANKS_MAX; ranks++) {
                        for (int nodes = 1; nodes <= nodesMax(ranks); nodes++) {
                            addAll(cases, collective, algorithm, operation, ranks, nodes);
                        }
                    }
                }
            }
        }
        return cases;
    }

    private static void addAll(List<Case> cases, Collective collective, Algorithm algorithm, Operation operation,
            int ranks, int nodes) {
        for (int units : sizes(collective, operation, ranks)) {
            for (int root = 0; root < roots(collective, ranks); root++) {
                for (Placement placement : placements(algorithm, operation, nodes)) {
                    for (int variant = 0; variant < 4; variant++) {
                        cases.add(new Case(collective, algorithm.description().name(), operation.type,
                                operation.reduction, ranks, nodes, placement, root, units, variant % 2 == 0,
                                variant / 2 == 0));
                    }
                }
            }
        }
    }

    private static int nodesMax(int ranks) {
        return Math.min(NODES_MAX, ranks);
    }

    /**
     * A sample that covers, for each algorithm: every operator on every type, every root of every number of ranks on
     * every number of nodes (or every third of them), and every size; in the short run some of each. The rest of each
     * case is drawn, its place from those.
     */
    static List<Case> sample(long seed) {
        Random random = new Random(seed);
        Set<Case> cases = new LinkedHashSet<>();
        int places = Math.floorMod((int) seed, PLACES_EVERY);
        for (Collective collective : Collective.values()) {
            for (Algorithm algorithm : Catalogue.of(collective)) {
                List<Operation> operations = operations(algorithm, collective);
                for (int time = 0; time < TIMES_COVERED; time++) {
                    List<Case> placed = new ArrayList<>();
                    for (int ranks = 1; ranks <= RANKS_MAX; ranks++) {
                        for (int root = 0; root < roots(collective, ranks); root++) {
                            for (int nodes = 1; nodes <= nodesMax(ranks); nodes++) {
                                Operation operation = operations.get(random.nextInt(operations.size()));
                                int kind = random.nextInt(KINDS);
                                if (places++ % PLACES_EVERY == 0) {
                                    placed.add(draw(random, algorithm, operation, ranks, nodes, root, kind));
                                }
                            }
                        }
                    }
                    cases.addAll(placed);
                    for (int i = places % COVERED_EVERY; i < operations.size(); i += COVERED_EVERY) {
                        cases.add(drawAtOneOf(placed, random, algorithm, operations.get(i), random.nextInt(KINDS)));
                    }
                    for (int kind = places % COVERED_EVERY; kind < KINDS; kind += COVERED_EVERY) {
                        Operation operation = operations.get(random.nextInt(operations.size()));
                        cases.add(drawAtOneOf(placed, random, algorithm, operation, kind));
                    }
                }
            }
        }
        return new ArrayList<>(cases);
    }

    /**
     * For each algorithm some operators and every so many sizes, in the short run a size that differs from one to the
     * next; the caller places the ranks, in blocks.
     */
    static List<Case> sampleOf(long seed, int ranks, int firstKind, int everyKind) {
        Random random = new Random(seed);
        int step = Math.min(COVERED_EVERY * everyKind, KINDS);
        int first = firstKind;
        List<Case> cases = new ArrayList<>();
        for (Collective collective : Collective.values()) {
            for (Algorithm algorithm : Catalogue.of(collective)) {
                List<Operation> operations = operations(algorithm, collective);
                for (int kind = first % step; kind < KINDS; kind += step) {
                    Operation operation = operations.get(random.nextInt(operations.size()));
                    int root = random.nextInt(roots(collective, ranks));
                    cases.add(draw(random, algorithm, operation, ranks, 1, root, kind));
                }
                first += everyKind;
            }
        }
        return cases;
    }

    /** Where another one is, if the operator may be there: cases in the same place share a job. */
    private static Case drawAtOneOf(List<Case> placed, Random random, Algorithm algorithm, Operation operation,
            int kind) {
        Case other = placed.get(random.nextInt(placed.size()));
        int root = random.nextInt(roots(algorithm.collective(), other.ranks));
        Case drawn = draw(random, algorithm, operation, other.ranks, other.nodes, root, kind);
        return placements(algorithm, operation, other.nodes).contains(other.placement)
                ? drawn.at(other.placement) : drawn;
    }

    private Case at(Placement elsewhere) {
        return new Case(collective, algorithm, type, reduction, ranks, nodes, elsewhere, root, units, inPlace, offHeap);
    }

    private static Case draw(Random random, Algorithm algorithm, Operation operation, int ranks, int nodes, int root,
            int kind) {
        Collective collective = algorithm.collective();
        List<Integer> sizes = sizes(collective, operation, ranks);
        int units = sizes.get(kind % sizes.size());
        List<Placement> placements = placements(algorithm, operation, nodes);
        return new Case(collective, algorithm.description().name(), operation.type, operation.reduction, ranks, nodes,
                placements.get(random.nextInt(placements.size())), root, units, random.nextBoolean(),
                random.nextBoolean());
    }

    private static int roots(Collective collective, int ranks) {
        return collective.hasRoot() ? ranks : 1;
    }

    /** The operators that an algorithm is made for on several nodes. */
    private static List<Operation> operations(Algorithm algorithm, Collective collective) {
        boolean all = algorithm.description().order() != Algorithm.Order.ONE_NODE;
        return operations(collective).stream()
                .filter(operation -> all || operation.reduction == null || operation.reduction.isCommutative())
                .toList();
    }

    static List<Operation> operations(Collective collective) {
        List<Operation> operations = new ArrayList<>();
        if (!collective.hasElements()) {
            operations.add(new Operation(DataType.BYTE, null));
        } else if (!collective.combines()) {
            for (DataType type : DataType.values()) {
                operations.add(new Operation(type, null));
            }
        } else {
            for (Reduction reduction : Operators.ALL) {
                for (DataType type : DataType.values()) {
                    if (reduction.supports(type)) {
                        operations.add(new Operation(type, reduction));
                    }
                }
            }
        }
        return operations;
    }

    /**
     * Numbers of units: none, one, around the number of ranks, and around every size at which an algorithm changes, of
     * all blocks together.
     */
    private static List<Integer> sizes(Collective collective, Operation operation, int ranks) {
        if (!collective.hasElements()) {
            return List.of(0);
        }
        int unit = operation.reduction == null ? 1 : operation.reduction.unit();
        int unitBytes = unit * operation.type.bytes();
        TreeSet<Integer> sizes = new TreeSet<>(List.of(0, 1, Math.max(0, ranks - 1), ranks, ranks + 1));
        int blocks = collective.hasBlocks() ? ranks : 1;
        for (int bytes : BYTES_AROUND) {
            sizes.add(bytes / blocks / unitBytes - 1);
            sizes.add(bytes / blocks / unitBytes);
            sizes.add(bytes / blocks / unitBytes + 1);
        }
        sizes.add((1 << 20) / blocks / unitBytes + 3);
        sizes.removeIf(size -> size < 0);
        return List.copyOf(sizes);
    }
}
