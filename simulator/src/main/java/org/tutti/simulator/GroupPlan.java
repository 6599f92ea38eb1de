/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import org.tutti.Topology;

/**
 * A verification run with groups. On a shape of at most {@value #ALL_MAX} ranks the first parts make groups, one part
 * for every choice of ranks in every order. The other parts play drawn scripts.
 *
 * @param topology where the ranks are
 * @param part the number of the part, from 0
 * @param seed decides the order of all steps
 */
public record GroupPlan(Topology topology, int part, long seed) implements Plan {
    /** The first field of a plan of this kind in its text form. */
    static final String NAME = "groups";

    /** The most ranks of a shape of which every group is made. */
    static final int ALL_MAX = 4;

    private static final int DRAWN_PARTS = 6;

    /** {@return the number of parts on a shape} */
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

    /** Returns every choice of ranks in every order; none for a shape of more than {@value #ALL_MAX} ranks. */
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
