/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import org.tutti.Topology;

/**
 * A verification run with groups: the first parts make a group of some ranks, one part for every choice of them in
 * every order if there are at most {@value #ALL_MAX}; the others are drawn.
 *
 * @param topology where the ranks are
 * @param part which part
 * @param seed decides the order of everything
 */
public record GroupPlan(Topology topology, int part, long seed) implements Plan {
    /** What a plan of this kind begins with when it is written. */
    static final String NAME = "groups";

    /** Of so many ranks every group is made. */
    static final int ALL_MAX = 4;

    private static final int DRAWN_PARTS = 6;

    /** {@return how many parts there are on a shape} */
    static int parts(Topology topology) {
        return choices(topology.size()).size() + DRAWN_PARTS;
    }

    @Override
    public Optional<SimulationFailure> verify() {
        return GroupVerifier.verify(script(), seed)
                .map(failure -> Plan.explain("a group", failure, this));
    }

    GroupScript script() {
        List<int[]> choices = choices(topology.size());
        return part < choices.size() ? GroupScript.of(topology, choices.get(part), part)
                : GroupScript.drawn(topology, part);
    }

    /** Every choice of ranks in every order. */
    private static List<int[]> choices(int size) {
        List<int[]> choices = new ArrayList<>();
        if (size <= ALL_MAX) {
            choose(new int[0], size, choices);
        }
        return choices;
    }

    private static void choose(int[] first, int size, List<? super int[]> choices) {
        for (int next = 0; next < size; next++) {
            int[] more = Arrays.copyOf(first, first.length + 1);
            more[first.length] = next;
            if (Arrays.stream(more).distinct().count() == more.length) {
                choices.add(more);
                choose(more, size, choices);
            }
        }
    }

    @Override
    public String toString() {
        return NAME + ":" + Plan.text(topology) + ":" + part + ":" + seed;
    }
}
