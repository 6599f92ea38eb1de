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
 * under way, straight to where it belongs; here in gathers, scatters and all-to-alls, too. Shown on four nodes of two
 * ranks, where only ways over the rail take time, a microsecond each: how many copies each rank makes, microsecond by
 * microsecond.
 */
class CopyOutTest {
    private static final int NODES = 4;
    private static final int RANKS = 2;
    private static final int SHORT_BYTES = 8;
    private static final int LONG_BYTES = 48 << 10;
    private static final int MICRO = 1000;
    private static final int ROOT = 1;

    private static final Model LATENCY =
            new Model("test", 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 1024, 1, 1, 0, 0, Levels.NONE);

    /**
     * At once its own block in, and those of its node out; each other block when it has come, and none twice. A message
     * comes as a whole, so Bruck's second step brings the blocks of two nodes.
     */
    @ParameterizedTest
    @CsvSource({"direct, {0=3 1=6}", "bruck, {0=3 1=2 2=4}", "bruck@3-ports, {0=3 1=6}", "ring, {0=3 1=2 2=2 3=2}"})
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

    /** Whoever gathers into one place first, where short messages are copied to, has nothing to copy out before. */
    @ParameterizedTest
    @CsvSource("standard-exchange, {0=1 1=1 2=9}, {0=1 2=8}")
    void shouldCopyBlocksOutInTheEnd(String name, String byMasters, String byOthers) {
        Trace trace = trace(name, SHORT_BYTES);
        for (int rank = 0; rank < NODES * RANKS; rank++) {
            assertThat(copies(trace, rank)).isEqualTo(rank % RANKS == 0 ? byMasters : byOthers);
        }
    }

    /**
     * The root, rank 1, which is no master: at once its own block and its neighbour's, and two of each other node when
     * they have come, from where they have been put. Direct needs no copies besides, but of who shows its block; the
     * tree gathers in each node first. A long block waits a microsecond for its invitation.
     */
    @ParameterizedTest
    @CsvSource({"direct, 8, {0=2 1=6}, {}", "direct, 49152, {0=2 2=2 4=4}, {}", "tree, 8, {0=3 1=2 2=4}, {0=1}",
            "tree@3-ports, 8, {0=3 1=6}, {0=1}", "halving, 8, {0=3 1=2 2=4}, {0=1}",
            "tree, 49152, {0=3 2=4 3=2}, {0=1}"})
    void shouldGatherBlocksWhenTheyHaveCome(String name, long bytes, String byRoot, String byOtherMasters) {
        Trace trace = trace(Collective.GATHER, name, bytes);
        for (int rank = 0; rank < NODES * RANKS; rank++) {
            boolean leads = rank % RANKS == 0 && rank / RANKS != ROOT / RANKS;
            assertThat(copies(trace, rank)).isEqualTo(rank == ROOT ? byRoot : leads ? byOtherMasters : "{0=1}");
        }
    }

    /** The root shows its blocks; each other rank copies one, once, when it has come. */
    @ParameterizedTest
    @CsvSource({"direct, 1 1 1", "tree, 1 1 2", "tree@3-ports, 1 1 1", "halving, 1 1 2"})
    void shouldScatterBlocksWhenTheyHaveCome(String name, String micros) {
        Trace trace = trace(Collective.SCATTER, name, SHORT_BYTES);
        assertThat(copies(trace, 0)).isEqualTo("{0=1}");
        assertThat(copies(trace, ROOT)).isEqualTo("{0=8}");
        for (int rank = RANKS; rank < NODES * RANKS; rank++) {
            assertThat(copies(trace, rank)).isEqualTo("{" + micros.split(" ")[rank / RANKS - 1] + "=1}");
        }
    }

    /** At once seven blocks in, its own and its neighbour's out; each other block when it has come. */
    @ParameterizedTest
    @CsvSource({"direct, {0=9 1=2 2=2 3=2}", "bruck@3-ports, {0=9 1=6}", "aggregated, {0=9 1=6}"})
    void shouldCopyBlocksOfAnAllToAllOutWhenTheyHaveCome(String name, String copies) {
        Trace trace = trace(Collective.ALL_TO_ALL, name, SHORT_BYTES);
        for (int rank = 0; rank < NODES * RANKS; rank++) {
            assertThat(copies(trace, rank)).isEqualTo(copies);
        }
    }

    /** In the first step half of what a node has goes to another one, and some of it on from there, by its master. */
    @ParameterizedTest
    @CsvSource({"bruck, {0=9 1=3 2=4}, {0=9 1=2 2=4}", "standard-exchange, {0=9 1=3 2=4}, {0=9 1=2 2=4}"})
    void shouldCopyOutOfAnAllToAllInSteps(String name, String byMasters, String byOthers) {
        Trace trace = trace(Collective.ALL_TO_ALL, name, SHORT_BYTES);
        for (int rank = 0; rank < NODES * RANKS; rank++) {
            assertThat(copies(trace, rank)).isEqualTo(rank % RANKS == 0 ? byMasters : byOthers);
        }
    }

    private static Trace trace(String name, long bytes) {
        return trace(Collective.ALLGATHER, name, bytes);
    }

    private static Trace trace(Collective collective, String name, long bytes) {
        return Prediction.of(Catalogue.find(collective, name), Sweep.even(NODES, RANKS), bytes, ROOT, LATENCY).trace();
    }

    private static String copies(Trace trace, int rank) {
        return IntStream.range(0, trace.size()).mapToObj(trace::step)
                .filter(step -> step.kind() == Kind.COPY && step.rank() == rank)
                .collect(Collectors.groupingBy(step -> Math.round(step.start() / MICRO), TreeMap::new,
                        Collectors.counting()))
                .toString().replace(",", "");
    }
}
