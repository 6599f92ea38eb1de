/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.lang.foreign.Arena;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.tutti.Rows;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random histories of messages in the simulator, compared with the sequential model of matching. A run that fails says
 * its seed and how to repeat it. For more runs than usual, from another seed on:
 * {@code ./mvnw -pl library test -Dtest=MatchingSimulationTest -Dmatching.runs=100000 -Dmatching.first=1000}.
 */
@Tag("sampled")
@Execution(ExecutionMode.CONCURRENT) // it only computes
class MatchingSimulationTest {
    private static final int RUNS = 1000;

    @Test
    void shouldMatchAsTheModelWhateverTheNetworkDoes() {
        Long seed = Long.getLong("matching.seed");
        long first = seed != null ? seed : Long.getLong("matching.first", 1);
        long runs = seed != null ? 1 : Integer.getInteger("matching.runs", Rows.times(RUNS));
        long cuts = 0;
        for (long next = first; next < first + runs; next++) {
            try (Arena arena = Arena.ofConfined(); var simulation = new MatchingSimulation(next, arena)) {
                cuts += simulation.run();
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + next + " fails; repeat it with: ./mvnw -pl library test "
                        + "-Dtest=MatchingSimulationTest -Dmatching.seed=" + next, e);
            }
        }
        assertThat(cuts).as("rails that broke amid messages").isGreaterThanOrEqualTo(runs / 10);
    }
}
