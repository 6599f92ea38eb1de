/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.tutti.Topology;

/**
 * The steps of the ranks of a verification run with groups, one after the other. Each rank takes the steps on
 * communicators to which it belongs.
 *
 * @param communicators the communicators, in the order in which they are made; the first is the world
 * @param steps the steps
 */
record GroupScript(List<Members> communicators, List<Step> steps) {
    private static final int STEPS = 24;
    private static final int OPEN_MAX = 5;
    private static final int CALLS_EACH = 4;

    /** Chances of ten that a step makes a group, or closes one; otherwise it is a call. */
    private static final int MAKES = 3;
    private static final int CLOSES = 2;
    private static final int CHANCES = 10;

    /** The part of the made groups in which each rank is a node of its own. */
    private static final int FLAT_EVERY = 3;

    /**
     * A communicator.
     *
     * @param parent the number of the communicator from which this one is made; the world's is its own
     * @param ranks the world rank of each rank
     * @param topology the nodes of the ranks
     */
    record Members(int parent, int[] ranks, Topology topology) {
        /** {@return the rank in this communicator of a rank of the world, or −1} */
        int rank(int inWorld) {
            return IntStream.range(0, ranks.length).filter(each -> ranks[each] == inWorld).findFirst().orElse(-1);
        }

        @Override
        public String toString() {
            return Arrays.toString(ranks);
        }
    }

    /** A step that all ranks of a communicator take. */
    sealed interface Step {
        /** {@return the number of the communicator} */
        int on();
    }

    /** The ranks make the communicator. */
    record Make(int on) implements Step {}

    /** The ranks make a call on the communicator. */
    record Calling(int on, PlannedCall call) implements Step {}

    /** The ranks close the communicator. */
    record Close(int on) implements Step {}

    private GroupScript(Topology world) {
        this(new ArrayList<>(), new ArrayList<>());
        communicators.add(new Members(0, IntStream.range(0, world.size()).toArray(), world));
    }

    /**
     * {@return a script that makes, uses and closes a group of certain ranks twice, so that its memory is used again}
     */
    static GroupScript of(Topology world, int[] ranks, long seed) {
        var script = new GroupScript(world);
        var random = new Random(seed);
        for (int time = 0; time < 2; time++) {
            int group = script.make(0, ranks);
            for (int i = 0; i < CALLS_EACH; i++) {
                script.call(group, random);
                script.call(0, random);
            }
            script.steps.add(new Close(group));
        }
        return script;
    }

    /**
     * {@return a drawn script: several communicators are open at the same time, groups are made of groups, in some
     * groups each rank is a node of its own, and some stay open}
     */
    static GroupScript drawn(Topology world, long seed) {
        var script = new GroupScript(world);
        var random = new Random(seed);
        List<Integer> open = new ArrayList<>(List.of(0));
        while (script.steps.size() < STEPS) {
            int chance = random.nextInt(CHANCES);
            int on = open.get(random.nextInt(open.size()));
            if (chance < MAKES && open.size() < OPEN_MAX) {
                boolean isFlat = random.nextInt(FLAT_EVERY) == 0
                        && script.communicators.get(on).ranks.length <= Sweep.NODES_MAX; // each node takes memory
                open.add(isFlat ? script.flatten(on) : script.make(on, random));
            } else if (chance < MAKES + CLOSES && on != 0) {
                open.remove((Integer) on);
                script.steps.add(new Close(on));
            } else {
                script.call(on, random);
            }
        }
        return script;
    }

    private int make(int parent, Random random) {
        List<Integer> ranks = IntStream.of(communicators.get(parent).ranks).boxed()
                .collect(Collectors.toCollection(ArrayList::new));
        Collections.shuffle(ranks, random);
        return make(parent, ranks.subList(0, 1 + random.nextInt(ranks.size())).stream().mapToInt(each -> each)
                .toArray());
    }

    private int make(int parent, int[] ranks) {
        Members from = communicators.get(parent);
        return make(new Members(parent, ranks, from.topology.of(IntStream.of(ranks).map(from::rank).toArray())));
    }

    /** Makes a group of all ranks of a communicator, each of which is a node of its own there. */
    private int flatten(int parent) {
        Members from = communicators.get(parent);
        return make(new Members(parent, from.ranks, from.topology.flattened()));
    }

    private int make(Members made) {
        communicators.add(made);
        steps.add(new Make(communicators.size() - 1));
        return communicators.size() - 1;
    }

    private void call(int on, Random random) {
        steps.add(new Calling(on, Calls.any(communicators.get(on).topology, random)));
    }
}
