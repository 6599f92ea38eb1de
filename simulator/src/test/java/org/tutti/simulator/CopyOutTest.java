/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tutti.Collective;
import org.tutti.choice.Catalogue;
import org.tutti.simulator.Trace.Kind;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Qian and Afsahi 2008, section 5.2.2: in SMP-aware allgathers a node's ranks copy out what there is while the rest is
 * under way, straight to where it belongs. Here on four nodes of two ranks, where only ways over the rail take time, a
 * microsecond each: how many copies each rank makes, microsecond by microsecond.
 */
class CopyOutTest {
    private static final int NODES = 4;
    private static final int RANKS = 2;
    private static final int SHORT_BYTES = 8;
    private static final int LONG_BYTES = 32 << 10;
    private static final int MICRO = 1000;

    private static final Model LATENCY =
            new Model("test", 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 1024, 1, 1, 0, 0, Levels.NONE);

    /** At once its own block in, and those of its node out; each other block when it has come, and none twice. */
    @ParameterizedTest
    @CsvSource({"direct, {0=3 1=6}", "bruck, {0=3 1=4 2=2}", "bruck@3-ports, {0=3 1=6}", "ring, {0=3 1=2 2=2 3=2}"})
    void shouldCopyBlocksOutWhenTheyHaveCome(String name, String copies) {
        Trace trace = trace(name, SHORT_BYTES);
        for (int rank = 0; rank < NODES * RANKS; rank++) {
            assertThat(copies(trace, rank)).isEqualTo(copies);
        }
    }

    /** Masters wait to be invited before they copy their node's blocks out, but the others do not. */
    @ParameterizedTest
    @CsvSource({"direct, {0=1 1=2 2=6}, {0=3 2=6}", "bruck, {0=1 1=2 2=4 3=2}, {0=3 2=4 3=2}",
            "bruck@3-ports, {0=1 1=2 2=6}, {0=3 2=6}", "ring, {0=1 1=2 2=2 3=2 4=2}, {0=3 2=2 3=2 4=2}"})
    void shouldCopyLongBlocksOutLikewise(String name, String byMasters, String byOthers) {
        Trace trace = trace(name, LONG_BYTES);
        for (int rank = 0; rank < NODES * RANKS; rank++) {
            assertThat(copies(trace, rank)).isEqualTo(rank % RANKS == 0 ? byMasters : byOthers);
        }
    }

    private static Trace trace(String name, long bytes) {
        return Prediction.of(Catalogue.find(Collective.ALLGATHER, name), Sweep.even(NODES, RANKS), bytes, 0, LATENCY)
                .trace();
    }

    private static String copies(Trace trace, int rank) {
        return IntStream.range(0, trace.size()).mapToObj(trace::step)
                .filter(step -> step.kind() == Kind.COPY && step.rank() == rank)
                .collect(Collectors.groupingBy(step -> Math.round(step.start() / MICRO), TreeMap::new,
                        Collectors.counting()))
                .toString().replace(",", "");
    }
}
