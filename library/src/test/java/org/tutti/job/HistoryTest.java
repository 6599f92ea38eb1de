/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.util.Arrays;
import java.util.Map;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.tutti.JobOptions;
import org.tutti.JobOptions.Threads;
import org.tutti.Program;
import org.tutti.SampledRows;
import org.tutti.Tutti;
import org.tutti.job.launch.JobEnvironment;
import org.tutti.onesided.History;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random histories of calls on remote memory, on threads and in processes, near and between nodes. A failure names its
 * seed: {@code -Dhistory.seed=} plays that one only, {@code -Dhistory.runs=} plays more.
 */
@Tag("sampled")
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class HistoryTest {
    private static final Long SEED = Long.getLong("history.seed");
    private static final long FIRST = SEED != null ? SEED : Long.getLong("history.first", 1);
    private static final long RUNS = SEED != null ? 1 : Long.getLong("history.runs", 1);

    private static int[] nodeOfRank(String shape) {
        return Arrays.stream(shape.split(" ")).mapToInt(Integer::parseInt).toArray();
    }

    private static Program histories(int rails) {
        return job -> {
            for (long seed = FIRST; seed < FIRST + RUNS; seed++) {
                History.play(job.world(), seed, rails);
            }
        };
    }

    @ParameterizedTest
    @SampledRows({"3, VIRTUAL", "1, PLATFORM", "3, PLATFORM", "5, VIRTUAL"})
    void shouldKeepItsPromisesOnOneNode(int ranks, Threads threads) {
        Tutti.runLocal(ranks, JobOptions.DEFAULT.withThreads(threads), histories(1));
    }

    @ParameterizedTest
    @SampledRows({"0 1, PLATFORM, 1", "0 1, VIRTUAL, 2", "0 0 1 1, PLATFORM, 2", "0 0 1 1, VIRTUAL, 1",
            "0 1 2, PLATFORM, 3", "0 1 1 2, VIRTUAL, 2"})
    void shouldKeepItsPromisesBetweenNodes(String shape, Threads threads, int rails) {
        LocalNodes.run(nodeOfRank(shape), threads, rails, histories(rails));
    }

    @ParameterizedTest
    @SampledRows({"0 1, 1", "0 0 0, 1", "0 0 1, 2"})
    void shouldKeepItsPromisesBetweenProcesses(String shape, int rails) {
        Map<String, String> environment =
                Map.of(ProcessRankMain.HISTORY_SEED, String.valueOf(FIRST), ProcessRankMain.HISTORY_RUNS,
                        String.valueOf(RUNS), JobEnvironment.RAILS,
                        LocalNodes.addresses(rails));
        int[] nodes = nodeOfRank(shape);
        try (var ranks = nodes[nodes.length - 1] == 0 ? RankProcesses.start(nodes.length, "history", environment)
                : RankProcesses.startNodes(nodes, "history", environment)) {
            for (int rank = 0; rank < nodes.length; rank++) {
                assertThat(ranks.status(rank)).as(ranks.output(rank)).isZero();
                assertThat(ranks.output(rank)).isEqualTo("history done\n");
            }
        }
    }
}
