/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.tutti.SampledRows;
import org.tutti.job.diagnosis.MachineTime;
import org.tutti.job.launch.JobEnvironment;

import static org.assertj.core.api.Assertions.assertThat;

/** Processes on several nodes that stand still for seconds, for which others wait or not. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(300)
class StoppedProcessTest {
    private static final int STATUS_OF_EXCEPTION = 9;
    private static final int[] TWO_BY_TWO = {0, 0, 1, 1};
    private static final int[] THREE = {0, 1, 1, 2};

    private static void signal(Process process, String name) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid())).start().waitFor()).isZero();
    }

    private static void awaitAll(RankProcesses ranks, String text) throws InterruptedException {
        for (int rank = 0; rank < ranks.processes.size(); rank++) {
            ranks.awaitOutput(rank, text);
        }
    }

    @ParameterizedTest
    @SampledRows({"3", "2"})
    void shouldGiveUpAProcessThatStandsStillForTooLong(int victim) throws Exception {
        Map<String, String> impatient = Map.of(JobEnvironment.STANDSTILL_MILLIS, "1500",
                JobEnvironment.HEARTBEAT_MILLIS, "1000");
        try (var ranks = RankProcesses.startNodes(THREE, "wait-all", impatient)) {
            awaitAll(ranks, "joined");
            signal(ranks.processes.get(victim), "STOP");
            long start = System.nanoTime();
            MachineTime time = new MachineTime();
            for (int rank = 0; rank < THREE.length; rank++) {
                if (rank != victim) {
                    assertThat(ranks.status(rank)).as(ranks.output(rank)).isEqualTo(STATUS_OF_EXCEPTION);
                    assertThat(ranks.output(rank)).contains("RankFailedException: rank " + victim + " ")
                            .contains("stood still for 1");
                }
            }
            assertThat(time.elapsed()).isLessThan(Duration.ofMillis(4000));
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(1000));
        }
    }

    /** With others of its node, and alone there: the kernels of all hosts answer meanwhile. */
    @ParameterizedTest
    @SampledRows({"3", "1"})
    void shouldNotGiveUpAProcessThatStandsStillForLongerThanTheHeartbeat(int victim) throws Exception {
        try (var ranks = RankProcesses.startNodes(THREE, "wait-sum", Map.of(JobEnvironment.HEARTBEAT_MILLIS, "1000"))) {
            awaitAll(ranks, "joined");
            signal(ranks.processes.get(victim), "STOP");
            Thread.sleep(4000);
            signal(ranks.processes.get(victim), "CONT");
            for (int rank = 0; rank < THREE.length; rank++) {
                assertThat(ranks.status(rank)).as(ranks.output(rank)).isZero();
                assertThat(ranks.output(rank)).endsWith("sum 10 of 4\n");
            }
        }
    }

    @Test
    void shouldNotGiveUpWhenAllWereStoppedForAWhile() throws Exception {
        Map<String, String> impatient = Map.of(JobEnvironment.HEARTBEAT_MILLIS, "1000");
        try (var ranks = RankProcesses.startNodes(TWO_BY_TWO, "sleep", impatient)) {
            awaitAll(ranks, "joined");
            for (Process process : ranks.processes) {
                signal(process, "STOP");
            }
            Thread.sleep(2500);
            for (Process process : ranks.processes) {
                signal(process, "CONT");
            }
            for (int rank = 0; rank < TWO_BY_TWO.length; rank++) {
                assertThat(ranks.status(rank)).as(ranks.output(rank)).isZero();
            }
        }
    }
}
