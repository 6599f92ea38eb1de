/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.choice.Catalogue;
import org.tutti.collective.Algorithm;
import org.tutti.collective.Chunked;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The part of the sweep that every build runs: each algorithm on some shapes, with one part of its calls on each, and
 * some runs with several operations in flight. The thorough part has more of the latter.
 */
@Tag("sampled")
@Execution(ExecutionMode.CONCURRENT)
class VerificationTest {
    private static final long SEED = Long.getLong("simulator.seed", 20261121);
    private static final int EVERY = Integer.getInteger("simulator.every", 2);

    @Test
    void shouldFindNothingWrongWithTheAlgorithmsOfTheCatalogue() {
        List<Plan> plans = Sweep.sample(SEED);
        List<String> failures = new ArrayList<>();
        for (int i = Math.floorMod(SEED, EVERY); i < plans.size(); i += EVERY) {
            plans.get(i).verify().ifPresent(found -> failures.add(found.getMessage()));
        }
        assertThat(plans).hasSizeGreaterThan(150).hasAtLeastOneElementOfType(InFlightPlan.class)
                .hasAtLeastOneElementOfType(HeldBackPlan.class);
        assertThat(failures).as("seed %s", SEED).isEmpty();
    }

    @Test
    void shouldFindNothingWrongWithLevelsInsideTheNodes() {
        List<Topology> shapes = Sweep.shapes().stream().filter(shape -> shape.levels().length > 0).toList();
        List<String> failures = new ArrayList<>();
        int runs = 0;
        for (Collective collective : Collective.values()) {
            for (Algorithm algorithm : Catalogue.of(collective)) {
                for (Topology shape : shapes) {
                    int part = runs++ % AlgorithmPlan.parts(algorithm, shape);
                    if (Math.floorMod(runs + SEED, EVERY) == 0) {
                        new AlgorithmPlan(algorithm, shape, part, SEED + runs).verify()
                                .ifPresent(found -> failures.add(found.getMessage()));
                    }
                }
            }
        }
        assertThat(runs).isGreaterThan(200);
        assertThat(failures).as("seed %s", SEED).isEmpty();
    }

    /** A rank claims what another one has given back, when it took a longer ring of windows. */
    @Test
    void shouldFindNothingWrongWithMemoryThatIsClaimedAgain() {
        assertThat(Plan.parse("broadcast:slot-ring:0.0.0.0.0.0.0.0.0.0.0.0.0/2.4:1:0").verify()).isEmpty();
    }

    @Test
    void shouldRepeatARunWithLevels() {
        Topology shape = new Topology(new int[]{0, 0, 0, 0, 0, 1, 1, 1}, new int[]{2, 4});
        Plan plan = new AlgorithmPlan(Catalogue.find(Collective.BARRIER, "tree"), shape, 0, 7);
        assertThat(plan).hasToString("barrier:tree:0.0.0.0.0.1.1.1/2.4:0:7");
        assertThat(Plan.parse(plan.toString())).hasToString(plan.toString());
        Plan inFlight = new InFlightPlan(shape, 3, 7);
        assertThat(inFlight).hasToString("in-flight:0.0.0.0.0.1.1.1/2.4:3:7");
        assertThat(Plan.parse(inFlight.toString())).hasToString(inFlight.toString());
        Plan heldBack = new HeldBackPlan(shape, 3, 7);
        assertThat(heldBack).hasToString("held-back:0.0.0.0.0.1.1.1/2.4:3:7");
        assertThat(Plan.parse(heldBack.toString())).hasToString(heldBack.toString());
    }

    /** The shortest and the longest chunks, and some that divide nothing. */
    @ParameterizedTest
    @ValueSource(longs = {Chunked.CHUNK_BYTES_MIN, 21 << 10, 240 << 10, Chunked.CHUNK_BYTES_MAX})
    void shouldFindNothingWrongWithOtherChunks(long bytes) {
        Random random = new Random(SEED);
        List<String> failures = new ArrayList<>();
        int runs = 0;
        for (Collective collective : Collective.values()) {
            for (Algorithm each : Catalogue.of(collective)) {
                if (each instanceof Chunked chunked) {
                    for (Topology topology : List.of(Sweep.even(1, 3), Sweep.even(3, 2))) {
                        Algorithm algorithm = chunked.withChunk(bytes);
                        int part = random.nextInt(AlgorithmPlan.parts(algorithm, topology));
                        new AlgorithmPlan(algorithm, topology, part, random.nextInt()).verify()
                                .ifPresent(found -> failures.add(found.getMessage()));
                        runs++;
                    }
                }
            }
        }
        assertThat(runs).isGreaterThanOrEqualTo(16);
        assertThat(failures).as("seed %s", SEED).isEmpty();
    }
}
