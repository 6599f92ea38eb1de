/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The part of the sweep that every build does: each algorithm on some shapes, one part of its calls each; and some runs
 * with several operations in flight.
 */
class VerificationTest {
    private static final long SEED = Long.getLong("simulator.seed", 20261121);

    @Test
    void shouldFindNothingWrongWithTheAlgorithmsOfTheCatalogue() {
        List<Plan> plans = Sweep.sample(SEED);
        List<String> failures = new ArrayList<>();
        for (Plan plan : plans) {
            Optional<SimulationFailure> failure = plan.verify();
            failure.ifPresent(found -> failures.add(found.getMessage()));
        }
        assertThat(plans).hasSizeGreaterThan(150).hasAtLeastOneElementOfType(InFlightPlan.class);
        assertThat(failures).as("seed %s", SEED).isEmpty();
    }
}
