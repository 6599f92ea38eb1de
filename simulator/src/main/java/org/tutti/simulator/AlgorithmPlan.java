/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.List;
import java.util.Optional;

import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.collective.Algorithm;

/**
 * A verification run of one algorithm: one part of all its calls on a shape, one after the other at each rank.
 *
 * @param collective the collective
 * @param algorithm the algorithm
 * @param topology where the ranks are
 * @param part which part of the calls
 * @param seed decides the order of everything
 */
@SuppressWarnings("exports") // the algorithms are for those whom the library shows them to
public record AlgorithmPlan(Collective collective, Algorithm algorithm, Topology topology, int part, long seed)
        implements
            Plan {
    private static final int CALLS = 24;

    @Override
    public Optional<SimulationFailure> verify() {
        return Verifier.verify(topology, calls(), 1, seed).map(failure -> Plan
                .explain(collective.label() + " " + algorithm.description().name(), failure, this));
    }

    /**
     * {@return how many parts the calls of an algorithm on a shape have}
     *
     * @param collective the collective
     * @param algorithm the algorithm
     * @param topology where the ranks are
     */
    public static int parts(Collective collective, Algorithm algorithm, Topology topology) {
        return (Calls.of(collective, algorithm, topology).size() + CALLS - 1) / CALLS;
    }

    List<Call> calls() {
        List<Call> all = Calls.of(collective, algorithm, topology);
        return all.subList(Math.min(all.size(), part * CALLS), Math.min(all.size(), (part + 1) * CALLS));
    }

    @Override
    public String toString() {
        return collective.label() + ":" + algorithm.description().name() + ":" + Plan.text(topology) + ":" + part + ":"
                + seed;
    }
}
