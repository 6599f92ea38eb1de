/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;

import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.choice.Catalogue;
import org.tutti.collective.Algorithm;
import org.tutti.collective.Algorithm.Order;

/**
 * The calls of verification runs. What is drawn here is drawn from a shape's numbers, so it is the same in every run.
 */
final class Calls {
    private static final int MANY_BARRIERS = 40;
    private static final int MIXED = 48;
    private static final int SMALL_BYTES = 128;
    private static final int[] BYTES_AROUND =
            {48, 112, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 96 << 10, 128 << 10, 256 << 10};
    private static final int BYTES_MAX = (512 << 10) + 24;
    private static final long FACTOR = 31;

    private Calls() {}

    /** {@return all calls of an algorithm on a shape: every root with every size around a boundary, shuffled} */
    static List<Call> of(Collective collective, Algorithm algorithm, Topology topology) {
        Random random = new Random(seed(topology));
        List<Call> calls = new ArrayList<>();
        if (collective == Collective.BARRIER) {
            for (int i = 0; i < MANY_BARRIERS; i++) {
                calls.add(new Call(collective, algorithm, Operation.BYTES, 0, 0, true, i));
            }
            return calls;
        }
        for (int root = 0; root < roots(collective, topology); root++) {
            for (Operation operation : operations(collective, algorithm, topology)) {
                for (int bytes : sizes(operation.unitBytes(), topology.size())) {
                    calls.add(new Call(collective, algorithm, operation, root, bytes, random.nextBoolean(),
                            random.nextInt()));
                }
            }
        }
        Collections.shuffle(calls, random);
        return calls;
    }

    /** {@return one part of a drawn mixture of calls: each algorithm is as likely, half of the messages are small} */
    static List<Call> mixed(Topology topology, int part) {
        Random random = new Random(seed(topology) * FACTOR + part);
        List<Call> calls = new ArrayList<>();
        while (calls.size() < MIXED) {
            Collective collective = draw(List.of(Collective.values()), random);
            Algorithm algorithm = draw(Catalogue.of(collective), random);
            Operation operation = draw(operations(collective, algorithm, topology), random);
            List<Integer> sizes = new ArrayList<>(sizes(operation.unitBytes(), topology.size()));
            if (random.nextBoolean()) {
                sizes.removeIf(bytes -> bytes > SMALL_BYTES);
            }
            int bytes = collective == Collective.BARRIER ? 0 : draw(sizes, random);
            calls.add(new Call(collective, algorithm, operation, random.nextInt(roots(collective, topology)), bytes,
                    random.nextBoolean(), random.nextInt()));
        }
        return calls;
    }

    private static <T> T draw(List<? extends T> from, Random random) {
        return from.get(random.nextInt(from.size()));
    }

    private static long seed(Topology topology) {
        long seed = topology.size();
        for (int rank = 0; rank < topology.size(); rank++) {
            seed = seed * FACTOR + topology.nodeOf(rank);
        }
        return seed;
    }

    private static int roots(Collective collective, Topology topology) {
        return collective == Collective.BROADCAST || collective == Collective.REDUCE ? topology.size() : 1;
    }

    private static List<Operation> operations(Collective collective, Algorithm algorithm, Topology topology) {
        if (collective == Collective.BARRIER || collective == Collective.BROADCAST) {
            return List.of(Operation.BYTES);
        }
        Order order = algorithm.description().order();
        boolean keepsOrder = order == Order.ALWAYS || order == Order.BLOCKS && topology.isInBlocks();
        return keepsOrder ? List.of(Operation.values()) : List.of(Operation.BYTES, Operation.SUM);
    }

    private static TreeSet<Integer> sizes(int unit, int ranks) {
        TreeSet<Integer> sizes = new TreeSet<>(List.of(0, unit, (ranks - 1) * unit, ranks * unit));
        for (int bytes : BYTES_AROUND) {
            sizes.addAll(List.of(bytes / unit * unit - unit, bytes / unit * unit, bytes / unit * unit + unit));
        }
        sizes.add(BYTES_MAX / unit * unit);
        sizes.removeIf(bytes -> bytes < 0);
        return sizes;
    }
}
