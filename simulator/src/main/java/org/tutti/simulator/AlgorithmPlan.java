/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.List;
import java.util.Optional;

import org.tutti.Topology;
import org.tutti.collective.Algorithm;

/**
 * A verification run of one algorithm: each rank makes one part of all the algorithm's calls on a shape, one after the
 * other.
 *
 * @param algorithm the algorithm
 * @param topology where the ranks are
 * @param part the number of the part, from 0; a part that the shape does not have is empty
 * @param seed decides the order of all steps, and the properties of the calls that take turns
 */
@SuppressWarnings("exports") // the library exports the algorithms to the simulator alone
public record AlgorithmPlan(Algorithm algorithm, Topology topology, int part, long seed)
        implements
            Plan {
    private static final int CALLS_PER_SLOT_HALF = 3;

    @Override
    public Optional<SimulationFailure> verify() {
        return Verifier.verify(topology, calls(), 1, seed).map(failure -> Plan
                .explain(algorithm.collective().label() + " " + algorithm.description().name(), failure, this));
    }

    /**
     * {@return the number of parts into which the calls of an algorithm on a shape are cut}
     *
     * @param algorithm the algorithm
     * @param topology where the ranks are
     */
    public static int parts(Algorithm algorithm, Topology topology) {
        return parts(Calls.of(algorithm, topology, 0).size(), topology);
    }

    /** Each part has enough calls to use every slot again, and half of the slots twice. */
    private static int parts(int calls, Topology topology) {
        return Math.max(1, 2 * calls / (CALLS_PER_SLOT_HALF * Calls.slots(topology)));
    }

    List<PlannedCall> calls() {
        List<PlannedCall> all = Calls.of(algorithm, topology, seed);
        int parts = parts(all.size(), topology);
        return part >= parts ? List.of()
                : all.subList(all.size() * part / parts, all.size() * (part + 1) / parts);
    }

    @Override
    public String toString() {
        return algorithm.collective().label() + ":" + algorithm.description().name() + ":" + Plan.text(topology) + ":"
                + part + ":"
                + seed;
    }
}
