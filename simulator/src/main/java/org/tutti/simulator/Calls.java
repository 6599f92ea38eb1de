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
import org.tutti.collective.layout.RingLayout;

/**
 * Makes the calls of verification runs. The seed of every draw comes from the shape, so the calls are the same in every
 * run.
 */
final class Calls {
    private static final int BARRIERS_PER_SLOT_HALF = 5;
    private static final int MIXED_PER_SLOT = 3;
    private static final int NEIGHBOURS = 3;
    private static final int SMALL_SIZES = 4;
    private static final int SMALL_BYTES = 128;
    private static final int[] BYTES_AROUND =
            {48, 56, 112, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 120 << 10, 128 << 10, 256 << 10};
    private static final int SIZES = SMALL_SIZES + BYTES_AROUND.length + 1;
    private static final int LONG_SIZES = 4;
    private static final int SHORT_SIZES = SIZES - LONG_SIZES;
    private static final int LONG_ONE_OF = 16;

    /** The longest message. */
    static final int BYTES_MAX = (512 << 10) + 24;
    private static final long FACTOR = 31;

    private Calls() {}

    /**
     * Returns the calls of an algorithm on a shape, shuffled. Every root has a call with a size of each short class:
     * the four small sizes, and one size around each size up to 64 KiB at which algorithms change. The other properties
     * of a call take turns, so that every two values meet. With three seeds in a row, every root has every size of each
     * short class, every size has every operator, in place and not, and every root has every short class with every
     * operator. When there are few roots, each root has several turns, with other properties in each: {@value
     * #NEIGHBOURS} for those pairs, and more if the slots would not be used again otherwise.
     *
     * <p>{@link #addLong} adds the long calls. They are few, because they take most of the time.
     */
    static List<PlannedCall> of(Algorithm algorithm, Topology topology, long seed) {
        Collective collective = algorithm.collective();
        Random random = new Random(seed(topology) * FACTOR + seed);
        List<PlannedCall> calls = new ArrayList<>();
        if (!collective.hasElements()) {
            int barriers = BARRIERS_PER_SLOT_HALF * slots(topology) / 2;
            for (int i = 0; i < barriers; i++) {
                calls.add(new PlannedCall(algorithm, CheckedOperation.BYTES, 0, 0, true, i));
            }
            return calls;
        }
        int roots = roots(collective, topology);
        int turnsMin = Math.max(NEIGHBOURS, Math.ceilDiv(3 * slots(topology), 2 * SHORT_SIZES));
        int turns = roots * Math.ceilDiv(turnsMin, roots);
        List<CheckedOperation> operations = operations(algorithm, topology);
        for (int turn = 0; turn < turns; turn++) {
            int neighbour = (int) Math.floorMod(turn + seed, (long) NEIGHBOURS) - 1;
            for (int size = 0; size < SHORT_SIZES; size++) {
                long others = turn / NEIGHBOURS + size + seed;
                CheckedOperation operation = operations.get((int) Math.floorMod(others, (long) operations.size()));
                boolean inPlace = (turn - seed) % NEIGHBOURS == 0 == ((turn / NEIGHBOURS + size) % 2 == 0);
                calls.add(new PlannedCall(algorithm, operation, turn % roots,
                        bytes(collective, size, neighbour, operation.unitBytes(), topology.size()), inPlace,
                        random.nextInt()));
            }
        }
        addLong(algorithm, topology, seed, random, calls);
        Collections.shuffle(calls, random);
        return calls;
    }

    /**
     * Adds the calls with the longest sizes. With three seeds in a row, of which the first is a multiple of three,
     * every root has a long call, every size occurs, and every class has every operator, in place and not.
     */
    private static void addLong(Algorithm algorithm, Topology topology, long seed, Random random,
            List<PlannedCall> calls) {
        Collective collective = algorithm.collective();
        List<CheckedOperation> operations = operations(algorithm, topology);
        int roots = roots(collective, topology);
        int turn = (int) Math.floorMod(seed, (long) NEIGHBOURS);
        long round = Math.floorDiv(seed, (long) NEIGHBOURS);
        for (int index = turn; index < Math.max(NEIGHBOURS * LONG_SIZES, roots); index += NEIGHBOURS) {
            int size = index / NEIGHBOURS % LONG_SIZES;
            CheckedOperation operation =
                    operations.get((int) Math.floorMod(turn + size + round, (long) operations.size()));
            calls.add(new PlannedCall(algorithm, operation, (int) Math.floorMod(index + round, (long) roots),
                    bytes(collective, SHORT_SIZES + size, turn - 1, operation.unitBytes(), topology.size()),
                    (turn + size) % 2 == 0, random.nextInt()));
        }
    }

    /** {@return the number of slots of a node of the shape: the operations that may be in flight on it} */
    static int slots(Topology topology) {
        return RingLayout.slots(topology.nodes(), topology.ranksOn(0));
    }

    /** {@return one part of a drawn mixture of calls, made by {@link #any}} */
    static List<PlannedCall> mixed(Topology topology, int part) {
        Random random = new Random(seed(topology) * FACTOR + part);
        List<PlannedCall> calls = new ArrayList<>();
        while (calls.size() < MIXED_PER_SLOT * slots(topology)) {
            calls.add(any(topology, random));
        }
        return calls;
    }

    /**
     * {@return a drawn call: every collective is equally likely, then every algorithm of it; one of
     * {@value #LONG_ONE_OF} messages is long, and every second of the others is small}
     */
    static PlannedCall any(Topology topology, Random random) {
        Collective collective = draw(List.of(Collective.values()), random);
        Algorithm algorithm = draw(Catalogue.of(collective), random);
        CheckedOperation operation = draw(operations(algorithm, topology), random);
        boolean isLong = random.nextInt(LONG_ONE_OF) == 0;
        List<Integer> sizes = new ArrayList<>(sizes(collective, isLong ? SHORT_SIZES : 0, isLong ? SIZES : SHORT_SIZES,
                operation.unitBytes(), topology.size()));
        if (!isLong && random.nextBoolean()) {
            sizes.removeIf(bytes -> bytes > SMALL_BYTES);
        }
        int bytes = collective.hasElements() ? draw(sizes, random) : 0;
        return new PlannedCall(algorithm, operation, random.nextInt(roots(collective, topology)), bytes,
                random.nextBoolean(), random.nextInt());
    }

    private static <T> T draw(List<? extends T> from, Random random) {
        return from.get(random.nextInt(from.size()));
    }

    /** {@return the seed of the draws of a shape} */
    static long seed(Topology topology) {
        long seed = topology.size();
        for (int rank = 0; rank < topology.size(); rank++) {
            seed = seed * FACTOR + topology.nodeOf(rank);
        }
        return seed;
    }

    private static int roots(Collective collective, Topology topology) {
        return collective.hasRoot() ? topology.size() : 1;
    }

    private static List<CheckedOperation> operations(Algorithm algorithm, Topology topology) {
        if (!algorithm.collective().combines()) {
            return List.of(CheckedOperation.BYTES);
        }
        return algorithm.keepsOrder(topology) ? List.of(CheckedOperation.values())
                : List.of(CheckedOperation.BYTES, CheckedOperation.SUM);
    }

    private static TreeSet<Integer> sizes(Collective collective, int first, int end, int unit, int ranks) {
        TreeSet<Integer> sizes = new TreeSet<>();
        for (int size = first; size < end; size++) {
            for (int neighbour = -1; neighbour <= 1; neighbour++) {
                sizes.add(bytes(collective, size, neighbour, unit, ranks));
            }
        }
        return sizes;
    }

    /**
     * Returns the size of a class. Around a size at which algorithms may change, {@code neighbour} makes it one unit
     * less or more. For a collective with blocks, a larger size is that of all blocks together.
     */
    private static int bytes(Collective collective, int size, int neighbour, int unit, int ranks) {
        int blocks = collective.hasBlocks() ? ranks : 1;
        return switch (size) {
            case 0 -> 0;
            case 1 -> unit;
            case 2 -> (ranks - 1) * unit;
            case 3 -> ranks * unit;
            default -> size == SIZES - 1 ? BYTES_MAX / blocks / unit * unit
                    : Math.max(0, BYTES_AROUND[size - SMALL_SIZES] / blocks / unit + neighbour) * unit;
        };
    }
}
