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
 * What the ranks of a verification run do with groups, one step after the other; each rank does those steps that it has
 * a part in.
 *
 * @param communicators of which ranks they are, in the order in which they are made; the first is the world
 * @param steps the steps
 */
record GroupScript(List<Members> communicators, List<Step> steps) {
    private static final int STEPS = 24;
    private static final int OPEN_MAX = 5;
    private static final int CALLS_EACH = 4;

    /** Chances of ten that a step makes a group, or closes one; else it calls something. */
    private static final int MAKES = 3;
    private static final int CLOSES = 2;
    private static final int CHANCES = 10;

    /**
     * A communicator.
     *
     * @param parent the one that it is made from, by its number; the world's is its own
     * @param ranks for each rank its rank in the world
     * @param topology where they are
     */
    record Members(int parent, int[] ranks, Topology topology) {
        /** {@return which of its ranks one of the world is, or −1} */
        int rank(int inWorld) {
            return IntStream.range(0, ranks.length).filter(each -> ranks[each] == inWorld).findFirst().orElse(-1);
        }

        @Override
        public String toString() {
            return Arrays.toString(ranks);
        }
    }

    /** What is done on a communicator, by all of its ranks. */
    sealed interface Step {
        /** {@return the communicator's number} */
        int on();
    }

    /** They make it. */
    record Make(int on) implements Step {}

    /** They call something on it. */
    record Calling(int on, PlannedCall call) implements Step {}

    /** They close it. */
    record Close(int on) implements Step {}

    private GroupScript(Topology world) {
        this(new ArrayList<>(), new ArrayList<>());
        communicators.add(new Members(0, IntStream.range(0, world.size()).toArray(), world));
    }

    /** {@return a group of certain ranks, made, used and closed, and then again, so that its memory is used again} */
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

    /** {@return drawn steps with several communicators open at once, made of each other, some of which stay open} */
    static GroupScript drawn(Topology world, long seed) {
        var script = new GroupScript(world);
        var random = new Random(seed);
        List<Integer> open = new ArrayList<>(List.of(0));
        while (script.steps.size() < STEPS) {
            int chance = random.nextInt(CHANCES);
            int on = open.get(random.nextInt(open.size()));
            if (chance < MAKES && open.size() < OPEN_MAX) {
                List<Integer> ranks = IntStream.of(script.communicators.get(on).ranks).boxed()
                        .collect(Collectors.toCollection(ArrayList::new));
                Collections.shuffle(ranks, random);
                open.add(script.make(on, ranks.subList(0, 1 + random.nextInt(ranks.size())).stream()
                        .mapToInt(each -> each).toArray()));
            } else if (chance < MAKES + CLOSES && on != 0) {
                open.remove((Integer) on);
                script.steps.add(new Close(on));
            } else {
                script.call(on, random);
            }
        }
        return script;
    }

    private int make(int parent, int[] ranks) {
        communicators.add(new Members(parent, ranks, communicators.getFirst().topology.of(ranks)));
        steps.add(new Make(communicators.size() - 1));
        return communicators.size() - 1;
    }

    private void call(int on, Random random) {
        steps.add(new Calling(on, Calls.any(communicators.get(on).topology, random)));
    }
}
