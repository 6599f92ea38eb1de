/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.Rows;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The protocol of a pair of processes under wires that break, pause and cut bytes as seeds say. A run that
 * fails says its seed and how to repeat it. For more runs than usual, from another seed on:
 * {@code ./mvnw -pl library test -Dtest=SimulatedWireTest -Dwire.runs=100000 -Dwire.first=1000}.
 */
@Tag("sampled")
@Execution(ExecutionMode.CONCURRENT) // it only computes
class SimulatedWireTest {
    private static final int RUNS = 50;
    private static final long FIRST = 1;
    private static final int EVERY = Integer.getInteger("wire.every", 9);

    @Test
    void shouldKeepItsPromisesWhateverTheWiresDo() {
        Long seed = Long.getLong("wire.seed");
        long first = seed != null ? seed : Long.getLong("wire.first", FIRST);
        long runs = seed != null ? 1 : Integer.getInteger("wire.runs", Rows.times(RUNS));
        int cameBack = 0;
        for (long next = first; next < first + runs; next++) {
            try {
                cameBack += SimulatedJob.run(next);
            } catch (Exception | AssertionError e) {
                throw new AssertionError("seed " + next + " fails; repeat it with: ./mvnw -pl library test "
                        + "-Dtest=SimulatedWireTest -Dwire.seed=" + next, e);
            }
        }
        assertThat(cameBack).as("wires that came back and carried bytes").isGreaterThanOrEqualTo((int) runs / 10);
    }

    @Test
    void shouldNotLockUpWhenBothSidesGetOverFullWires() throws InterruptedException {
        for (int seed = 1; seed <= Rows.times(5); seed++) {
            SimulatedJob.runGetsBothWays(seed, 1);
            SimulatedJob.runGetsBothWays(seed, 2);
        }
    }

    /** After every so many bytes, and after the last; {@code -Dwire.every=1} for all. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldLoseNothingWhereverOneOfTwoRailsBreaks(boolean comesBack) throws InterruptedException {
        long[] written = SimulatedJob.run(-1, 0, 0, false);
        for (int i = 0; i < written.length; i++) {
            for (long bytes = 1L + i % EVERY; bytes < written[i] + EVERY; bytes += EVERY) {
                long last = Math.min(bytes, written[i]);
                try {
                    SimulatedJob.run(i / 2, i % 2, last, comesBack);
                } catch (AssertionError e) {
                    throw new AssertionError("rail " + i / 2 + " breaks after byte " + last + " of side " + i % 2, e);
                }
            }
        }
    }
}
