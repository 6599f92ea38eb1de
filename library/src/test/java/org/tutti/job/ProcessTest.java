/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.SampledRows;
import org.tutti.SmallFileSystem;
import org.tutti.job.diagnosis.MachineTime;
import org.tutti.job.launch.JobEnvironment;
import org.tutti.memory.OwnFile;

import static org.assertj.core.api.Assertions.assertThat;

/** Real processes that share a memory file; no launcher, no wrapper. */
@ResourceLock("limits of a second")
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT) // it waits for processes
class ProcessTest {
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final int STATUS_OF_EXCEPTION = 9;

    @ParameterizedTest
    @SampledRows({"5", "1", "2", "3"})
    void shouldComputeTogetherAndLeaveNothing(int size) {
        try (var ranks = RankProcesses.start(size, "sum", Map.of())) {
            for (int rank = 0; rank < size; rank++) {
                assertThat(ranks.status(rank)).as(ranks.output(rank)).isZero();
                assertThat(ranks.output(rank)).isEqualTo("sum " + size * (size + 1) / 2 + " of " + size + "\n");
            }
            assertThat(ranks.memoryFiles(MEMORY)).isEmpty();
        }
    }

    @Test
    void shouldSayThatTheProgramHasLeftItsJobOpen() {
        var alone = Map.of(JobEnvironment.JOB, "", JobEnvironment.RANK, "", JobEnvironment.SIZE, "");
        try (var ranks = RankProcesses.start(1, "open", alone)) {
            assertThat(ranks.status(0)).isZero();
            assertThat(ranks.output(0)).isEqualTo("tutti: the program ended without leaving its job; close it: "
                    + "try (var job = Tutti.join())\n");
        }
        try (var ranks = RankProcesses.start(1, "open", Map.of())) {
            assertThat(ranks.status(0)).isZero();
            assertThat(ranks.output(0)).isEqualTo("tutti: the program ended without leaving job " + ranks.job
                    + " as rank 0; close it: try (var job = Tutti.join())\n");
        }
        for (var environment : List.of(alone, Map.<String, String>of())) {
            try (var ranks = RankProcesses.start(1, "exits open", environment)) {
                assertThat(ranks.status(0)).isZero();
                assertThat(ranks.output(0)).as("it may be meant").isEmpty();
            }
        }
    }

    @Test
    void shouldMixAllAlgorithmsBetweenProcesses() {
        try (var ranks = RankProcesses.start(3, "mixed", Map.of())) {
            for (int rank = 0; rank < 3; rank++) {
                assertThat(ranks.status(rank)).as(ranks.output(rank)).isZero();
                assertThat(ranks.output(rank)).isEqualTo("mixed done\n");
            }
        }
    }

    @Tag("thorough")
    @Test
    void shouldCombineAndReadMemoryThatTheProcessesShare() {
        assertThatTheyCombineWhatTheyShare(3);
    }

    @Tag("thorough")
    @ParameterizedTest
    @ValueSource(ints = {2, 5})
    void shouldCombineAndReadMemoryThatFewOrManyProcessesShare(int size) {
        assertThatTheyCombineWhatTheyShare(size);
    }

    private static void assertThatTheyCombineWhatTheyShare(int size) {
        try (var ranks = RankProcesses.start(size, "shared", Map.of())) {
            for (int rank = 0; rank < size; rank++) {
                assertThat(ranks.status(rank)).as(ranks.output(rank)).isZero();
                assertThat(ranks.output(rank)).isEqualTo("shared done\n");
            }
        }
    }

    @Tag("thorough")
    @Test
    void shouldRefuseAProcessThatARankHasStartedAndThatTakesItselfForIt() {
        try (var ranks = RankProcesses.start(2, "child", Map.of(JobEnvironment.JOIN_TIMEOUT_MILLIS, "5000"))) {
            assertThat(ranks.status(0)).as(ranks.output(0)).isZero();
            assertThat(ranks.status(1)).as(ranks.output(1)).isZero();
            assertThat(ranks.output(1)).startsWith("JobStartException: this process cannot join job " + ranks.job
                    + " as rank 1: process " + ranks.processes.get(1).pid() + ", which has started it, is in that job");
            assertThat(ranks.memoryFiles(MEMORY)).isEmpty();
        }
    }

    @Test
    void shouldRefuseASecondProcessOfARankWhileTheJobRuns() throws InterruptedException {
        try (var ranks = RankProcesses.start(2, "wait", Map.of())) {
            ranks.awaitOutput(0, "joined");
            ranks.awaitOutput(1, "joined");
            ranks.start(1, 2, "sum", Map.of());
            assertThat(ranks.status(2)).isEqualTo(STATUS_OF_EXCEPTION);
            assertThat(ranks.output(2)).matches("JobStartException: rank 1 cannot join job " + ranks.job + ": a job of "
                    + "that name is running already, and process (" + ranks.processes.get(0).pid() + "|"
                    + ranks.processes.get(1).pid() + ") is part of it; end it, or give this one another name "
                    + "\\(TUTTI_JOB\\)\n");
            assertThat(ranks.memoryFiles(MEMORY)).isEmpty();
        }
    }

    @Test
    void shouldRemoveTheMemoryFileAsSoonAsAllHaveJoined() throws InterruptedException {
        try (var ranks = RankProcesses.start(2, "wait", Map.of())) {
            ranks.awaitOutput(0, "joined");
            assertThat(ranks.memoryFiles(MEMORY)).isEmpty();
        }
    }

    @ParameterizedTest
    @SampledRows({"transfer", "wait"})
    void shouldTellTheOthersWithinASecondWhenAProcessIsKilled(String program) throws InterruptedException {
        try (var ranks = RankProcesses.start(3, program, Map.of())) {
            for (int rank = 0; rank < 3; rank++) {
                ranks.awaitOutput(rank, "joined");
            }
            Thread.sleep(300); // so that the others wait already, or are in the midst of a transfer
            MachineTime time = new MachineTime();
            ranks.processes.get(1).destroyForcibly();
            for (int rank : new int[]{0, 2}) {
                assertThat(ranks.status(rank)).isEqualTo(STATUS_OF_EXCEPTION);
                assertThat(ranks.output(rank)).contains("RankFailedException: rank 1 (process "
                        + ranks.processes.get(1).pid() + ") failed");
            }
            assertThat(time.elapsed()).isLessThan(Duration.ofSeconds(1));
            assertThat(ranks.memoryFiles(MEMORY)).isEmpty();
        }
    }

    @Test
    void shouldExcludeProcessesFromEachOther() {
        try (var ranks = RankProcesses.start(3, "mutex-count", Map.of())) {
            for (int rank = 0; rank < ranks.processes.size(); rank++) {
                assertThat(ranks.status(rank)).as(ranks.output(rank)).isZero();
                assertThat(ranks.output(rank)).isEqualTo("all counted\n");
            }
        }
    }

    @Tag("thorough")
    @Test
    void shouldTellWhoWaitsForAMutexWhenItsHolderIsKilled() throws InterruptedException {
        try (var ranks = RankProcesses.start(3, "mutex", Map.of())) {
            ranks.killHolder(1);
            for (int rank : new int[]{0, 2}) {
                assertThat(ranks.status(rank)).isEqualTo(STATUS_OF_EXCEPTION);
                assertThat(ranks.output(rank)).contains("RankFailedException: rank 1 (process ")
                        .doesNotContain("held by");
            }
        }
    }

    @Tag("thorough")
    @Test
    void shouldPassAMutexOnWhenItsHolderIsKilled() throws InterruptedException {
        try (var ranks = RankProcesses.start(3, "mutex-pass-on", Map.of())) {
            ranks.killHolder(1);
            for (int rank : new int[]{0, 2}) {
                ranks.awaitOutput(rank, "got all");
                assertThat(ranks.output(rank)).isEqualTo("joined\n" + "held by 1 before\n".repeat(2) + "got all\n");
            }
        }
    }

    @Test
    void shouldTellTheOthersWhenARankHasNoMemoryLeft() {
        try (var ranks = RankProcesses.start(3, "out-of-memory", Map.of())) {
            for (int rank : new int[]{0, 2}) {
                assertThat(ranks.status(rank)).as(ranks.output(rank)).isZero();
                assertThat(ranks.output(rank)).contains("rank 1 ended a call with an exception; see its message");
            }
            assertThat(ranks.processes.get(1).isAlive()).isTrue();
        }
    }

    @Test
    void shouldNotWaitForTheHooksOfAProcessThatExits() throws InterruptedException {
        try (var ranks = RankProcesses.start(3, "exit-with-hook", Map.of())) {
            for (int rank : new int[]{0, 2}) {
                ranks.awaitOutput(rank, "joined");
            }
            MachineTime time = new MachineTime();
            for (int rank : new int[]{0, 2}) {
                assertThat(ranks.status(rank)).as(ranks.output(rank)).isEqualTo(STATUS_OF_EXCEPTION);
                assertThat(ranks.output(rank)).contains("RankFailedException: rank 1 (process ");
            }
            assertThat(time.elapsed()).isLessThan(Duration.ofSeconds(5));
            assertThat(ranks.processes.get(1).isAlive()).isTrue();
        }
    }

    @Test
    void shouldTellTheOthersWhenAProcessEndsWithoutLeaving() {
        try (var ranks = RankProcesses.start(2, "unclosed", Map.of())) {
            assertThat(ranks.status(1)).isZero();
            assertThat(ranks.status(0)).isEqualTo(STATUS_OF_EXCEPTION);
            assertThat(ranks.output(0)).contains("RankFailedException: rank 1");
        }
    }

    @Test
    void shouldNameTheRanksThatDoNotShowUp() {
        try (var ranks = new RankProcesses()) {
            Map<String, String> impatient = Map.of(JobEnvironment.JOIN_TIMEOUT_MILLIS, "700");
            ranks.start(0, 3, "sum", impatient);
            assertThat(ranks.status(0)).isEqualTo(STATUS_OF_EXCEPTION);
            assertThat(ranks.output(0)).contains("JobStartException").contains("700 ms").contains("rank 1, rank 2");
            assertThat(ranks.memoryFiles(MEMORY)).isEmpty();
        }
    }

    @Tag("thorough")
    @Test
    void shouldRefuseARankThatIsTaken() throws InterruptedException {
        try (var ranks = new RankProcesses()) {
            Map<String, String> impatient = Map.of(JobEnvironment.JOIN_TIMEOUT_MILLIS, "20000");
            ranks.start(0, 2, "sum", impatient);
            for (int i = 0; i < 500 && ranks.memoryFiles(MEMORY).isEmpty(); i++) {
                Thread.sleep(10);
            }
            ranks.start(0, 2, "sum", impatient);
            assertThat(ranks.status(1)).isEqualTo(STATUS_OF_EXCEPTION);
            assertThat(ranks.output(1)).contains("JobStartException").contains("another process has that rank");
        }
    }

    @Tag("thorough")
    @Test
    void shouldRefuseAnotherSize() throws InterruptedException {
        try (var ranks = new RankProcesses()) {
            Map<String, String> impatient = Map.of(JobEnvironment.JOIN_TIMEOUT_MILLIS, "20000");
            ranks.start(0, 2, "sum", impatient);
            for (int i = 0; i < 500 && ranks.memoryFiles(MEMORY).isEmpty(); i++) {
                Thread.sleep(10);
            }
            ranks.start(1, 3, "sum", impatient);
            assertThat(ranks.status(1)).isEqualTo(STATUS_OF_EXCEPTION);
            assertThat(ranks.output(1)).contains("JobStartException").contains("2 ranks, not 3");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"TUTTI_RANK|''|TUTTI_RANK is missing",
            "TUTTI_RANK|2|\"2\" is not a number from 0 to 1",
            "TUTTI_RANK|two|\"two\" is no number; set it to one from 0 to 1",
            "TUTTI_SIZE|0|\"0\" is not a number from 1",
            "TUTTI_JOB|a/b|is no name of a job", "TUTTI_MEMORY|/nowhere|/nowhere", "TUTTI_ALGORITHM|reduce=magic|magic",
            "TUTTI_ALGORITHM|nonsense|collective=algorithm",
            "TUTTI_ALGORITHM|reduce=srm:8-8|TUTTI_ALGORITHM=\"reduce=srm:8-8\" cannot be used: the range 8-8 is empty",
            "TUTTI_TUNING|/no/file|TUTTI_TUNING=/no/file is no file"})
    void shouldSayWhatIsWrongInTheEnvironment(String name, String value, String message) {
        try (var ranks = new RankProcesses()) {
            ranks.start(0, 2, "sum", Map.of(name, value));
            assertThat(ranks.status(0)).isEqualTo(STATUS_OF_EXCEPTION);
            assertThat(ranks.output(0)).containsAnyOf("JobStartException", "NodeMemoryException").contains(message);
            assertThat(ranks.output(0).lines()).hasSize(1);
        }
    }

    @Test
    void shouldUseTheAlgorithmThatTheEnvironmentNames() {
        try (var ranks = RankProcesses.start(2, "mismatch", Map.of(JobEnvironment.ALGORITHM, "broadcast=srm"))) {
            assertThat(ranks.status(0)).isEqualTo(STATUS_OF_EXCEPTION);
            assertThat(ranks.status(1)).isEqualTo(STATUS_OF_EXCEPTION);
            assertThat(ranks.output(0) + ranks.output(1)).contains("CollectiveMismatchException")
                    .contains("broadcast (algorithm srm: slot-ring on one node) of 4 int elements with root 1");
        }
    }

    /** Each process reads the file that its own environment names. */
    @Test
    void shouldReportProcessesWhoseTuningFilesDiffer(@TempDir Path directory) throws IOException {
        try (var ranks = new RankProcesses()) {
            for (int rank = 0; rank < 2; rank++) {
                Path file = Files.writeString(directory.resolve("rules-" + rank),
                        rank == 0 ? "allreduce=ring:0-64k\n" : "1x2: allreduce=rabenseifner\n");
                ranks.start(rank, 2, "sum", Map.of(JobEnvironment.TUNING, file.toString()));
            }
            assertThat(ranks.status(0)).isEqualTo(STATUS_OF_EXCEPTION);
            assertThat(ranks.status(1)).isEqualTo(STATUS_OF_EXCEPTION);
            assertThat(ranks.output(0) + ranks.output(1)).contains("CollectiveMismatchException")
                    .contains("allreduce (algorithm ring: recursive-doubling on one node) of ",
                            "allreduce (algorithm rabenseifner: recursive-doubling on one node) of ");
        }
    }

    @Test
    void shouldEndAllWhenOneAborts() {
        try (var ranks = RankProcesses.start(3, "abort", Map.of())) {
            for (int rank = 0; rank < 3; rank++) {
                assertThat(ranks.status(rank)).isEqualTo(STATUS_OF_EXCEPTION);
                assertThat(ranks.output(rank)).contains("JobAbortedException: rank 1 aborted the job with status 5");
            }
        }
    }

    @Test
    void shouldEndProcessesThatComputeWhenOneAborts() {
        try (var ranks = RankProcesses.start(2, "compute-while-aborted", Map.of())) {
            assertThat(ranks.status(0)).isEqualTo(5);
        }
    }

    /**
     * Wake-ups are counted, as what one costs is the machine's: this rank's 20 a second, and those of its watch and of
     * the JVM. The bound of processor time tells parking from spinning.
     */
    @Tag("thorough")
    @Test
    void shouldWaitForNextToNothing() {
        try (var ranks = RankProcesses.start(2, "idle", Map.of())) {
            assertThat(ranks.status(0)).as(ranks.output(0)).isZero();
            Matcher idle = Pattern.compile("idle ([0-9.E-]+) %, ([0-9.]+) wake-ups/s").matcher(ranks.output(0));
            assertThat(idle.find()).as(ranks.output(0)).isTrue();
            assertThat(Double.parseDouble(idle.group(1))).isLessThan(3.0);
            assertThat(Double.parseDouble(idle.group(2))).isLessThan(60.0);
        }
    }

    @Test
    void shouldSayHowMuchMemoryWasNeededWhenThereIsTooLittle() throws IOException, InterruptedException {
        try (var small = SmallFileSystem.mount(64 << 10)) {
            try (var ranks = new RankProcesses()) {
                ranks.start(0, 64, "sum", Map.of(JobEnvironment.MEMORY, small.path().toString()));
                assertThat(ranks.status(0)).isEqualTo(STATUS_OF_EXCEPTION);
                assertThat(ranks.output(0)).contains("NodeMemoryException")
                        .containsPattern("[0-9.]+ [KM]iB were needed")
                        .contains(small.path().toString());
                assertThat(ranks.memoryFiles(small.path())).isEmpty();
            }
        }
    }

    @Test
    void shouldFailCleanlyWhenTheFileSystemFillsUpLater() throws IOException, InterruptedException {
        try (var small = SmallFileSystem.mount(256 << 10)) {
            try (var ranks = RankProcesses.start(2, "large",
                    Map.of(JobEnvironment.MEMORY, small.path().toString()))) {
                for (int rank = 0; rank < 2; rank++) {
                    assertThat(ranks.status(rank)).isEqualTo(STATUS_OF_EXCEPTION);
                }
                assertThat(ranks.output(0) + ranks.output(1)).contains("NodeMemoryException")
                        .contains("1.0 MiB were needed").containsPattern("which had [0-9.]+ KiB left")
                        .contains("a rank's contributions");
                assertThat(Files.list(small.path())).isEmpty();
            }
        }
    }

    /** Of what a call breaks that finds no memory, and what is there when memory has been freed. */
    @Test
    void shouldBreakNoMoreThanItSaysWhenMemoryIsFull() throws IOException, InterruptedException {
        try (var small = SmallFileSystem.mount(4 << 20);
                var ranks = RankProcesses.start(2, "full", Map.of(JobEnvironment.MEMORY, small.path().toString()))) {
            String failed = "(has no memory|is broken)";
            for (int rank = 0; rank < 2; rank++) {
                assertThat(ranks.status(rank)).as(ranks.output(rank)).isZero();
                assertThat(ranks.output(rank)).containsPattern("allocate has no memory\nworld works\nallreduce "
                        + failed
                        + "\nduplicate " + failed + "\nmutexes has no memory\nspare works\nworld is broken\nparent is "
                        + "broken\nspare works\n");
            }
        }
    }

    @Test
    void shouldSweepWhatAKilledJobHasLeftAndNothingElse() throws IOException {
        String job = "tutti-test-stale-" + ProcessHandle.current().pid();
        String name = job + "." + OwnFile.user() + ".0.node";
        Path stale = Files.write(MEMORY.resolve(name), new byte[4096]);
        Path unfinished = Files.write(MEMORY.resolve(name + ".new-1-ff"), new byte[4096]);
        Path mine = Files.write(MEMORY.resolve(job + "-results.csv"), new byte[10]);
        try (var ranks = RankProcesses.start(1, "sum", Map.of())) {
            assertThat(ranks.status(0)).isZero();
            assertThat(stale).doesNotExist();
            assertThat(unfinished).doesNotExist();
            assertThat(mine).exists();
        } finally {
            Files.deleteIfExists(mine);
        }
    }

    @Test
    void shouldStartAgainUnderTheSameNameAtOnceAfterAKill() throws InterruptedException {
        try (var ranks = new RankProcesses()) {
            ranks.start(0, 2, "sum", Map.of());
            for (int i = 0; i < 500 && ranks.memoryFiles(MEMORY).isEmpty(); i++) {
                Thread.sleep(10);
            }
            ranks.processes.get(0).destroyForcibly().waitFor();
            ranks.start(0, 2, "sum", Map.of());
            ranks.start(1, 2, "sum", Map.of());
            assertThat(ranks.status(1)).as(ranks.output(1)).isZero();
            assertThat(ranks.status(2)).as(ranks.output(2)).isZero();
            assertThat(ranks.memoryFiles(MEMORY)).isEmpty();
        }
    }

    @Test
    void shouldSayThatItWasInterruptedWhenItIs() {
        try (var ranks = RankProcesses.start(2, "interrupted", Map.of())) {
            for (int rank = 0; rank < 2; rank++) { // who starts late may hear of the other first
                assertThat(ranks.status(rank)).isEqualTo(STATUS_OF_EXCEPTION);
                assertThat(ranks.output(rank)).containsAnyOf("was interrupted while it waited",
                        "RankFailedException: rank " + (1 - rank));
            }
            assertThat(ranks.output(0) + ranks.output(1)).contains("was interrupted while it waited");
            assertThat(ranks.memoryFiles(MEMORY)).isEmpty();
        }
    }
}
