/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** How jobs end: what the launcher says, what it exits with, and that nothing is left. */
@Timeout(300)
class JobEndTest {
    private static final Duration SOON = Duration.ofSeconds(4);

    @TempDir
    private Path directory;

    /** Runs a main whose body has a job and its rank. */
    private LauncherProcess run(String body, String... options) throws IOException {
        return runMain("try (var job = Tutti.join()) { int rank = job.rank(); " + body + " }", options);
    }

    private LauncherProcess runMain(String main, String... options) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(options));
        arguments.addAll(LauncherProcess.compiled(directory,
                "import module org.tutti;\nvoid main() throws Exception { " + main + " }\n"));
        return LauncherProcess.run(directory, arguments.toArray(String[]::new));
    }

    @Test
    void shouldExitWithStatusZeroWhenAllRanksLeave() throws Exception {
        try (var launcher = run("job.world().barrier(); IO.println(rank);", "-n", "3")) {
            assertThat(launcher.status()).isZero();
            assertThat(launcher.out().lines()).containsExactlyInAnyOrder("0", "1", "2");
            assertThat(launcher.err()).isEmpty();
            assertThat(launcher.left(Path.of("/dev/shm"))).isEmpty();
            assertThat(launcher.left(Path.of(System.getProperty("java.io.tmpdir")))).isEmpty();
        }
    }

    @Test
    void shouldEndTheJobWhenARankExitsWithStatusThree() throws Exception {
        try (var launcher = run("if (rank == 2) { System.exit(3); } job.world().barrier();", "-n", "4")) {
            assertThat(launcher.status()).isEqualTo(3);
            assertThat(launcher.err().lines().findFirst().orElseThrow())
                    .matches("tutti: rank 2 \\(pid \\d+\\) exited with status 3 by System\\.exit, before it left "
                            + "the job; the job was ended\\.");
        }
    }

    @Tag("thorough")
    @Test
    void shouldEndRanksThatDoNotNoticeTheFailureOfAnother() throws Exception {
        var body = "IO.println(rank); job.world().barrier(); if (rank == 1) { System.exit(3); } Thread.sleep(600_000);";
        try (var launcher = run(body, "-n", "3")) {
            launcher.awaitLines(3);
            assertThat(launcher.status()).isEqualTo(3);
            launcher.assertThatNothingIsLeft(Duration.ZERO);
        }
    }

    @Test
    void shouldEndWithAFailureWhenTheRootSkipsTheLastReduce() throws Exception {
        assertThatTheLastReduceIsMissed("--nodes", "3", "-n", "3");
    }

    @Tag("thorough")
    @Test
    void shouldEndWithAFailureWhenTheRootSkipsTheLastReduceOnOneNode() throws Exception {
        assertThatTheLastReduceIsMissed("-n", "3");
    }

    private void assertThatTheLastReduceIsMissed(String... options) throws Exception {
        var body = "job.world().barrier(); if (rank != 1) { job.world().reduce(new long[1], Reduction.SUM, 1); }";
        try (var launcher = run(body, options)) {
            assertThat(launcher.status()).isEqualTo(1);
            assertThat(launcher.err()).containsAnyOf("called reduce (algorithm ", "rank 1 has left the job",
                    "but rank 1 made 1 call there in all");
        }
    }

    @Test
    void shouldReportTheFirstCauseBeforeItsConsequences() throws Exception {
        var body = "job.world().barrier(); if (rank == 1) { throw new IllegalStateException(\"the cause\"); }"
                + " job.world().barrier();";
        try (var launcher = run(body, "-n", "4")) {
            assertThat(launcher.status()).isEqualTo(1);
            var err = launcher.err();
            assertThat(err).containsSubsequence("the cause", "tutti: rank 1 (pid ", "exited with status 1",
                    "tutti: rank ");
            assertThat(err.lines().filter(line -> line.matches("tutti: rank [023]: .*"))).hasSize(3);
            assertThat(err).doesNotContain("\u001E");
        }
    }

    @Test
    void shouldShowWhereBothRanksCalledDifferentThings() throws Exception {
        var body = "job.world().barrier();\nif (rank == 1) {\njob.world().broadcast(new int[1], 0);\n} else {\n"
                + "job.world().barrier();\n}\njob.world().barrier();\n";
        try (var launcher = run(body, "-n", "2")) {
            assertThat(launcher.status()).isEqualTo(1);
            assertThat(launcher.err()).containsPattern(
                    "CollectiveMismatchException: rank . called \\w+ .*at Program.main\\(Program.java:\\d+\\)");
            assertThat(launcher.err()).contains("at Program.main(Program.java:4)", "at Program.main(Program.java:6)");
        }
    }

    @Test
    void shouldFindAWrongRootInTheVeryLastCall() throws Exception {
        try (var launcher = run("job.world().barrier(); job.world().broadcast(new int[1], rank);", "-n", "2")) {
            assertThat(launcher.status()).as(launcher.err()).isEqualTo(1);
            assertThat(launcher.err()).containsPattern("CollectiveMismatchException: rank \\d called broadcast .* as "
                    + "call number 2 on its communicator, but rank \\d called broadcast .*").contains("with root 0",
                            "with root 1");
        }
    }

    @Test
    void shouldShowWhatAllRanksThrowOnce() throws Exception {
        try (var launcher = run("job.world().barrier(); job.world().broadcast(new int[1], 9);", "-n", "3")) {
            assertThat(launcher.status()).isEqualTo(1);
            var err = launcher.err();
            assertThat(err.lines().filter(line -> line.contains("Exception"))).singleElement().asString()
                    .matches("Exception in rank \\d: java.lang.IllegalArgumentException: root 9 is not a rank.*");
            assertThat(err).containsOnlyOnce("\tat Program.main(Program.java:2)")
                    .containsPattern("\ntutti: ranks? [0-2, -]+ threw the same exception as rank ");
        }
    }

    @Tag("thorough")
    @Test
    void shouldReportTheFirstCauseWhenItsRankTakesTimeToEnd() throws Exception {
        var body = "if (rank == 1) { Runtime.getRuntime().addShutdownHook(new Thread(() -> { try { Thread.sleep(500); }"
                + " catch (InterruptedException e) { } })); throw new IllegalStateException(\"the cause\"); }"
                + " job.world().barrier();";
        try (var launcher = run(body, "-n", "3")) {
            assertThat(launcher.status()).isEqualTo(1);
            assertThat(launcher.err()).containsSubsequence("the cause", "tutti: rank 1 (pid ", "tutti: rank ");
        }
    }

    /** Another rank may notice the end before the launcher, which alone knows the signal. */
    @Test
    void shouldReportARankThatWasKilled() throws Exception {
        var body = "IO.println(rank); if (rank == 1) { ProcessHandle.current().info(); Thread.sleep(200);"
                + " new ProcessBuilder(\"kill\", \"-9\", \"\" + ProcessHandle.current().pid()).start().waitFor(); }"
                + " job.world().barrier();";
        try (var launcher = run(body, "-n", "3")) {
            launcher.awaitLines(3);
            assertThat(launcher.status()).isEqualTo(137);
            assertThat(launcher.err()).startsWith("tutti: rank 1 (pid ").contains("was killed by signal 9")
                    .containsPattern("tutti: rank [02]: rank 1 \\(process \\d+\\) failed: its process "
                            + "(was killed by signal 9|ended before it left the job)");
            launcher.assertThatNothingIsLeft(Duration.ZERO);
        }
    }

    @Test
    void shouldReportARankThatEndedWithoutLeaving() throws Exception {
        try (var launcher =
                runMain("var job = Tutti.join(); if (job.rank() == 0) { job.world().barrier(); }", "-n", "2")) {
            assertThat(launcher.status()).isEqualTo(1);
            assertThat(launcher.err()).startsWith("Exception in rank 1: ").contains("returned without leaving the job",
                    "tutti: rank 1 (pid ");
        }
    }

    @Tag("thorough")
    @Test
    void shouldReportARankThatEndedWithoutLeavingWhileItsProcessLives() throws Exception {
        try (var launcher = runMain("var job = Tutti.join(); if (job.rank() == 0) { return; } job.world().barrier();",
                "-n", "2", "--ranks-per-process", "2")) {
            assertThat(launcher.status()).isEqualTo(1);
            assertThat(launcher.err()).contains("Exception in rank 0").contains("returned without leaving the job");
        }
    }

    @Tag("thorough")
    @Test
    void shouldReportARankThatEndedWithoutJoining() throws Exception {
        var main = "if (System.getenv(\"TUTTI_RANK\").equals(\"1\")) { return; } try (var job = Tutti.join()) { }";
        try (var launcher = runMain(main, "-n", "3")) {
            assertThat(launcher.status()).isEqualTo(1);
            assertThat(launcher.err()).startsWith("tutti: rank 1 (pid ").contains("ended without joining the job");
        }
    }

    @Test
    void shouldAcceptAProgramThatNeverJoins() throws Exception {
        try (var launcher = runMain("IO.println(System.getenv(\"TUTTI_RANK\"));", "-n", "3")) {
            assertThat(launcher.status()).isZero();
            assertThat(launcher.out().lines()).containsExactlyInAnyOrder("0", "1", "2");
            assertThat(launcher.err()).isEqualTo(LauncherProcess.nobodyJoined(3));
        }
    }

    @Test
    void shouldSayNothingOfALoneRankThatNeverJoins() throws Exception {
        try (var launcher = runMain("IO.println(1);", "-n", "1")) {
            assertThat(launcher.status()).isZero();
            assertThat(launcher.err()).isEmpty();
        }
    }

    @Test
    void shouldExitWithTheStatusOfAnAbort() throws Exception {
        try (var launcher = run("if (rank == 1) { job.abort(7); } job.world().barrier();", "-n", "3")) {
            assertThat(launcher.status()).isEqualTo(7);
            assertThat(launcher.err()).startsWith("tutti: rank 1 aborted the job with status 7.");
        }
    }

    @Test
    void shouldEndTheJobAfterItsTimeout() throws Exception {
        var hook = "Runtime.getRuntime().addShutdownHook(new Thread(() -> { while (true) { } }));";
        try (var launcher = runMain(hook + " IO.println(1); while (true) { Thread.onSpinWait(); }", "-n", "2",
                "--timeout", "1500ms")) {
            launcher.awaitLines(2);
            assertThat(launcher.status()).isEqualTo(124);
            assertThat(launcher.err())
                    .startsWith("tutti: the job did not end within its --timeout of 1500 ms; it was ended.\n")
                    .endsWith("tutti:   ranks 0-1 have not joined the job, at Program:2\n");
            launcher.assertThatNothingIsLeft(Duration.ZERO);
        }
    }

    @Tag("thorough")
    @Test
    void shouldNameTheRankThatDoesNotJoin() throws Exception {
        var main =
                "if (System.getenv(\"TUTTI_RANK\").equals(\"1\")) { Thread.sleep(600_000); } "
                        + "try (var job = Tutti.join()) { }";
        try (var launcher = runMain(main, "-n", "3", "--join-timeout", "4s")) {
            assertThat(launcher.status()).isEqualTo(1);
            assertThat(launcher.err())
                    .startsWith("tutti: rank 1 did not join the job within the --join-timeout of 4 s after "
                            + "the first rank; the job was ended.\n");
        }
    }

    @Test
    void shouldStopAllRanksWhenTheLauncherIsTerminated() throws Exception {
        try (var launcher =
                run("IO.println(rank); if (rank == 1) { Thread.sleep(600_000); } job.world().barrier();", "-n",
                        "3")) {
            launcher.awaitLines(3);
            launcher.handle().destroy();
            assertThat(launcher.status()).isEqualTo(143);
            assertThat(launcher.err()).matches("tutti: job \\S+, (\\d+ ms|\\d+ s) after its start:\n"
                    + "tutti:   rank 1 is in no call, at Program:2\n"
                    + "tutti:   ranks 0, 2 are in barrier, call 1 on the world, at Program:2, .*waiting for .*\n"
                    + "tutti: rank 1 is behind: it has made no call, and ranks 0, 2 are in call 1 of the world, a "
                    + "barrier\\.\ntutti: the last calls of each rank are in tutti-\\S+\\.report\\.json\\.\n");
            launcher.assertThatNothingIsLeft(Duration.ZERO);
            assertThat(launcher.left(Path.of(System.getProperty("java.io.tmpdir")))).isEmpty();
        }
    }

    @Test
    void shouldLeaveNothingWhenTheLauncherIsKilled() throws Exception {
        try (var launcher =
                run("IO.println(rank); if (rank == 1) { Thread.sleep(600_000); } job.world().barrier();", "-n",
                        "3")) {
            launcher.awaitLines(3);
            launcher.handle().destroyForcibly();
            launcher.await().assertThatNothingIsLeft(SOON);
        }
    }

    @Tag("thorough")
    @Test
    void shouldSweepTheDirectoryOfAKilledLauncher() throws Exception {
        var temporary = Path.of(System.getProperty("java.io.tmpdir"));
        try (var killed = run("IO.println(rank); Thread.sleep(600_000);", "-n", "1")) {
            killed.awaitLines(1);
            killed.handle().destroyForcibly();
            killed.await();
            try (var next = run("", "-n", "1")) {
                assertThat(next.status()).isZero();
            }
            assertThat(killed.left(temporary)).isEmpty();
        }
    }

    /** As a batch system sends the signal to all processes of the job, and Ctrl-C does. */
    @Test
    void shouldSayNothingOfRanksThatGotTheSignalOfTheLauncher() throws Exception {
        try (var launcher = run("IO.println(rank); Thread.sleep(600_000);", "-n", "3")) {
            launcher.awaitLines(3);
            LauncherProcess.signal("TERM", Stream.concat(launcher.ranks().stream(), Stream.of(launcher.handle()))
                    .toList());
            assertThat(launcher.status()).isEqualTo(143);
            assertThat(launcher.err())
                    .matches("tutti: the last calls of each rank are in tutti-\\S+\\.report\\.json\\.\n");
            launcher.assertThatNothingIsLeft(Duration.ZERO);
        }
    }

    @Test
    void shouldEndStoppedRanksWhenTheLauncherIsKilled() throws Exception {
        assertThatStoppedRanksEnd("1");
    }

    @Tag("thorough")
    @Test
    void shouldEndStoppedRanksOfSeveralNodesWhenTheLauncherIsKilled() throws Exception {
        assertThatStoppedRanksEnd("2");
    }

    private void assertThatStoppedRanksEnd(String nodes) throws Exception {
        try (var launcher = runMain("IO.println(1); if (System.getenv(\"TUTTI_RANK\").equals(\"1\")) { "
                + "Thread.sleep(600_000); } Tutti.join();", "-n", "3", "--nodes", nodes)) {
            launcher.awaitLines(3);
            LauncherProcess.signal("STOP", launcher.ranks());
            launcher.handle().destroyForcibly();
            launcher.await().assertThatNothingIsLeft(SOON);
        }
    }

    /** The launcher, which would remove the memory files of both nodes, is gone; and no rank has joined to do so. */
    @Test
    void shouldLeaveNothingWhenRanksExitAfterTheirLauncherIsKilled() throws Exception {
        try (var launcher = runMain("IO.println(1); var launcher = ProcessHandle.current().parent(); "
                + "while (ProcessHandle.current().parent().equals(launcher)) { Thread.sleep(1); } "
                + "System.exit(3);", "-n", "2", "--nodes", "2")) {
            launcher.awaitLines(2);
            launcher.handle().destroyForcibly();
            launcher.await().assertThatNothingIsLeft(SOON);
        }
    }

    @Tag("thorough")
    @Test
    void shouldLeaveNothingWhenTheLauncherIsKilledBeforeARankJoins() throws Exception {
        try (var launcher = runMain("IO.println(1); Thread.sleep(600_000);", "-n", "2")) {
            launcher.awaitLines(2);
            launcher.handle().destroyForcibly();
            launcher.await().assertThatNothingIsLeft(SOON);
        }
    }
}
