/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.List;
import java.util.Optional;

import org.tutti.Topology;

/**
 * A verification run with several operations in flight: calls of all collectives and algorithms, which each rank draws
 * in their order and of which some block and the others do not.
 *
 * @param topology where the ranks are
 * @param part which part of the calls, 0 to {@value #PARTS} − 1; it also says how many may be in flight
 * @param seed decides the order of everything
 */
public record InFlightPlan(Topology topology, int part, long seed) implements Plan {
    /** What a plan of this kind begins with when it is written. */
    static final String NAME = "in-flight";

    /** How many parts the calls on a shape have. */
    static final int PARTS = 9;

    private static final int STAGES_MIN = 3;
    private static final int STAGES_CHOICES = 3;

    @Override
    public Optional<SimulationFailure> verify() {
        return Verifier.verify(topology, calls(), stages(), seed)
                .map(failure -> Plan.explain("one of " + stages() + " operations in flight", failure, this));
    }

    List<PlannedCall> calls() {
        return Calls.mixed(topology, part);
    }

    /** {@return how many operations may be in flight: one that blocks, and 2 to 4 that do not} */
    int stages() {
        return STAGES_MIN + Math.floorMod(part, STAGES_CHOICES);
    }

    @Override
    public String toString() {
        return NAME + ":" + Plan.text(topology) + ":" + part + ":" + seed;
    }
}
