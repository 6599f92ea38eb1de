/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.List;
import java.util.Optional;

import org.tutti.Topology;

/**
 * A verification run with several operations in flight. Each rank draws calls of all collectives and algorithms in the
 * same order; some calls block, and the others do not. A call that does not block lags by little more than 16
 * operations; in a {@link HeldBackPlan} it lags by as many as there are slots.
 *
 * @param topology where the ranks are
 * @param part the part of the calls, 0 to {@value #PARTS} − 1; it also decides how many operations may be in flight
 * @param seed decides the order of all steps
 */
public record InFlightPlan(Topology topology, int part, long seed) implements Plan {
    /** The first field of a plan of this kind in its text form. */
    static final String NAME = "in-flight";

    /** The number of parts of the calls on a shape. */
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

    /** {@return the number of operations that may be in flight at a rank: one that blocks, and 2 to 4 that do not} */
    int stages() {
        return STAGES_MIN + Math.floorMod(part, STAGES_CHOICES);
    }

    @Override
    public String toString() {
        return NAME + ":" + Plan.text(topology) + ":" + part + ":" + seed;
    }
}
