/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.tool.CommandProcess;

import static org.assertj.core.api.Assertions.assertThat;

/** Jobs in which nothing goes on: all that can have them say where their ranks are. */
@Timeout(300)
class StuckJobTest {
    /** Rank 2 comes to no barrier, and sleeps in line 9. */
    private static final String ONE_IS_MISSING = """
            import module org.tutti;

            void main() throws Exception {
                try (var job = Tutti.join()) {
                    var world = job.world();
                    world.barrier();
                    IO.println(job.rank());
                    if (job.rank() == 2) {
                        Thread.sleep(600_000);
                    }
                    world.barrier();
                }
            }
            """;

    private static final String MISSING = "tutti:   rank 2 is in no call, at Program:9\n";
    private static final String WAITING = "tutti:   ranks 0-1, 3 are in barrier, call 2 on the world, at Program:11, "
            + "for (\\d+ ms|\\d+ s), waiting for ranks? [0-3, -]+\n";
    private static final String REPORT = "tutti: the last calls of each rank are in tutti-\\S+\\.report\\.json\\.\n";
    private static final String HEAD = "tutti: job \\S+, (\\d+ ms|\\d+ s) after its start:\n";

    @TempDir
    private Path directory;

    private LauncherProcess run(String program, String... options) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(options));
        arguments.addAll(LauncherProcess.compiled(directory, program));
        return LauncherProcess.run(directory, arguments.toArray(String[]::new));
    }

    private static void quit(LauncherProcess launcher) {
        LauncherProcess.signal("QUIT", launcher.handle());
    }

    /** Ranks take their time to come to where they wait, so it is asked again. */
    private static void quitUntil(LauncherProcess launcher, String expected) {
        var reports = new AtomicInteger();
        LauncherProcess.awaitThat("a report with " + expected, () -> {
            int before = reports.incrementAndGet();
            quit(launcher);
            LauncherProcess.awaitThat("a report", () -> launcher.err().split("after its start").length > before);
            return launcher.err().matches("(?s).*" + expected + ".*");
        });
    }

    /** Rank 1 receives in line 7, rank 2 awaits a receive in line 9, and rank 0 sends nothing. */
    private static final String RECEIVES = """
            import module org.tutti;

            void main() throws Exception {
                try (var job = Tutti.join()) {
                    var world = job.world();
                    if (job.rank() == 1) {
                        world.receive(new int[1], 0, 3);
                    } else if (job.rank() == 2) {
                        world.nonBlocking().receive(new int[1], Communicator.ANY_RANK, 4).await();
                    } else {
                        Thread.sleep(600_000);
                    }
                }
            }
            """;

    @Test
    void shouldSayWhichMessagesRanksWaitFor() throws Exception {
        try (var launcher = run(RECEIVES, "-n", "3", "--hang-report", "1s")) {
            String since = "for (\\d+ ms|\\d+ s), waiting for ";
            launcher.awaitError("tutti:   rank 1 is in receive \\(tag 3\\) on the world, at Program:7, " + since
                    + "rank 0\ntutti:   rank 2 is in await of receive \\(tag 4\\) on the world, at Program:9, " + since
                    + "any rank\n");
        }
    }

    @Test
    void shouldSayWhereTheRanksAreWhenTheLauncherGetsSigquit() throws Exception {
        try (var launcher = run(ONE_IS_MISSING, "-n", "4")) {
            launcher.awaitLines(4);
            quitUntil(launcher, HEAD + MISSING + WAITING);
            assertThat(launcher.handle().isAlive()).isTrue();
            assertThat(launcher.out().lines()).as("the launcher dumps no threads").hasSize(4);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"STOP", "TSTP"})
    void shouldSayNothingWhenItIsStoppedAndGoesOn(String stop) throws Exception {
        try (var launcher = run(ONE_IS_MISSING, "-n", "4")) {
            launcher.awaitLines(4);
            for (int i = 0; i < 3; i++) {
                LauncherProcess.signal(stop, launcher.handle());
                Thread.sleep(100);
                LauncherProcess.signal("CONT", launcher.handle());
                Thread.sleep(150);
            }
            assertThat(launcher.err()).isEmpty();
            quitUntil(launcher, HEAD + MISSING + WAITING);
        }
    }

    /** The collector is one that leaves counted loops alone, and the compiler the one that does so for it. */
    @ParameterizedTest
    @ValueSource(strings = {"-J-XX:+UseSerialGC", "-J-XX:+UseParallelGC"})
    void shouldSayInWhichLineARankComputes(String collector) throws Exception {
        var program = """
                import module org.tutti;

                double decay(double[] x, int n) {
                    double s = 0;
                    for (int i = 0; i < n; i++) {
                        s = (s + x[i & 1023]) / 1.0000001;
                    }
                    return s;
                }

                void main() {
                    var x = new double[1024];
                    try (var job = Tutti.join()) {
                        if (job.rank() == 1) {
                            for (int k = 0; k < 300; k++) {
                                decay(x, 20_000);
                            }
                        }
                        job.world().barrier();
                        IO.println(job.rank());
                        if (job.rank() == 1) {
                            decay(x, 2_000_000_000);
                        }
                        job.world().barrier();
                    }
                }
                """;
        try (var launcher = run(program, "-n", "2", "-J-XX:TieredStopAtLevel=4", collector)) {
            launcher.awaitLines(2);
            for (int i = 0; i < 2; i++) {
                Thread.sleep(300);
                assertThat(status(String.valueOf(launcher.handle().pid())).out())
                        .containsPattern("  rank 1 is in no call, at Program:[56]\n");
            }
        }
    }

    /** As Ctrl-\ in a terminal sends the signal to all processes of the job. */
    @Tag("thorough")
    @Test
    void shouldDumpNoThreadsOfRanksThatGetSigquitWithTheLauncher() throws Exception {
        try (var launcher = run(ONE_IS_MISSING, "-n", "4")) {
            launcher.awaitLines(4);
            List<String> command = new ArrayList<>(List.of("kill", "-QUIT"));
            launcher.ranks().forEach(rank -> command.add(String.valueOf(rank.pid())));
            command.add(String.valueOf(launcher.handle().pid()));
            new ProcessBuilder(command).start().waitFor();
            LauncherProcess.awaitThat("a report", () -> launcher.err().contains(MISSING));
            launcher.handle().destroy();
            launcher.await();
            assertThat(launcher.out()).doesNotContain("Full thread dump", "Heap", "java.lang.Thread");
        }
    }

    @Tag("thorough")
    @Test
    void shouldPassOnTheThreadDumpOfARankThatAloneGetsSigquit() throws Exception {
        try (var launcher = run(ONE_IS_MISSING, "-n", "4")) {
            launcher.awaitLines(4);
            var pid = String.valueOf(launcher.ranks().getFirst().pid());
            new ProcessBuilder("kill", "-QUIT", pid).start().waitFor();
            LauncherProcess.awaitThat("a dump", () -> launcher.out().contains("Full thread dump")
                    && launcher.out().contains("\nHeap\n"));
            assertThat(launcher.err()).isEmpty();
        }
    }

    @Tag("thorough")
    @Test
    void shouldSayWhereTheRanksAreWhenOneHasWaitedForLong() throws Exception {
        try (var launcher = run(ONE_IS_MISSING, "-n", "4", "--hang-report", "1s")) {
            launcher.awaitError(HEAD + MISSING + WAITING);
            LauncherProcess.awaitThat("a second one", () -> launcher.err().split(MISSING).length > 2);
            assertThat(launcher.handle().isAlive()).isTrue();
        }
    }

    @Test
    void shouldSayWhereTheRanksAreWhenStatusAsks() throws Exception {
        try (var launcher = run(ONE_IS_MISSING, "-n", "4")) {
            launcher.awaitLines(4);
            var pid = String.valueOf(launcher.handle().pid());
            var expected = (HEAD + MISSING + WAITING).replace("tutti: ", "");
            LauncherProcess.awaitThat("a report", () -> status(pid).out().matches(expected));
            var head = status(pid).out().lines().findFirst().orElseThrow();
            var job = head.replaceAll("job (\\S+),.*", "$1");
            assertThat(status(job).out()).contains(MISSING.replace("tutti: ", ""));
            assertThat(status().out()).as("all jobs").contains("job " + job + ", ");
            assertThat(launcher.err()).as("the launcher itself says nothing").isEmpty();
            launcher.handle().destroy();
            launcher.await();
            var later = status(job);
            assertThat(later.status()).isEqualTo(2);
            assertThat(later.err()).startsWith("tutti: no job " + job + " of yours is running on this host");
        }
    }

    private static CommandProcess.Ended status(String... job) {
        try {
            return CommandProcess.runShared(Stream.concat(Stream.of("status"), Stream.of(job)).toArray(String[]::new));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Tag("thorough")
    @Test
    void shouldSayWhereTheRanksAreAtTheTimeout() throws Exception {
        try (var launcher = run(ONE_IS_MISSING, "-n", "4", "--timeout", "8s")) {
            assertThat(launcher.status()).isEqualTo(124);
            assertThat(launcher.err()).matches("tutti: the job did not end within its --timeout of 8 s; it was ended.\n"
                    + HEAD + MISSING + WAITING
                    + "tutti: rank 2 is behind: it has ended call 1 of the world, a barrier, "
                    + "and ranks 0-1, 3 are in call 2, a barrier\\.\n" + REPORT);
        }
    }

    @Tag("thorough")
    @Test
    void shouldSayWhereTheRanksAreWhenADeadlinePasses() throws Exception {
        var program = ONE_IS_MISSING.replace("        world.barrier();\n    }\n}",
                "        world.withDeadline(Duration.ofSeconds(2)).barrier();\n    }\n}");
        try (var launcher = run(program, "-n", "4")) {
            assertThat(launcher.status()).isEqualTo(1);
            var report = (MISSING + WAITING).replace("tutti:   ", "  ");
            assertThat(launcher.err())
                    .matches("(?s)Exception in rank [013]: .*passed its deadline.*\n" + report + ".*");
            assertThat(launcher.err().split("is in no call")).as("it is said once").hasSize(2);
        }
    }

    @Tag("thorough")
    @Test
    void shouldTellRanksThatHaveNotJoined() throws Exception {
        var program = """
                import module org.tutti;

                void main() throws Exception {
                    if (System.getenv("TUTTI_RANK").equals("1")) {
                        Thread.sleep(600_000);
                    }
                    try (var job = Tutti.join()) {
                    }
                }
                """;
        try (var launcher = run(program, "-n", "3", "--join-timeout", "6s")) {
            assertThat(launcher.status()).isEqualTo(1);
            assertThat(launcher.err()).matches("tutti: rank 1 did not join the job within the --join-timeout of 6 s.*\n"
                    + HEAD + "tutti:   rank 1 has not joined the job, at Program:5\n"
                    + "tutti:   ranks 0, 2 are in join, at Program:7, for \\d+ s, waiting for rank 1\n" + REPORT);
        }
    }

    @Tag("thorough")
    @Test
    void shouldNameARankWhoseProcessStandsStill() throws Exception {
        var program = """
                import module org.tutti;

                void main() throws Exception {
                    try (var job = Tutti.join()) {
                        if (job.rank() == 1) {
                            var pid = String.valueOf(ProcessHandle.current().pid());
                            new ProcessBuilder("kill", "-STOP", pid).start();
                            Thread.sleep(600_000); // the signal may come late
                        }
                        job.world().barrier();
                    }
                }
                """;
        try (var launcher = run(program, "-n", "2", "--hang-report", "1s")) {
            var expected =
                    HEAD + "tutti:   rank 1 does not answer\ntutti:   rank 0 is in barrier, call 1 on the world, "
                            + "at Program:10, for \\d+ s, waiting for rank 1\n";
            launcher.awaitError(expected);
        }
    }

    @Tag("thorough")
    @Test
    void shouldAskTheRanksOfAllNodes() throws Exception {
        try (var launcher = run(ONE_IS_MISSING, "-n", "4", "--nodes", "2", "--hang-report", "1s")) {
            launcher.awaitError(HEAD + MISSING + WAITING);
        }
    }

    @Tag("thorough")
    @Test
    void shouldAskTheRanksOfOtherHosts() throws Exception {
        var script = LauncherProcess.script(directory);
        try (var launcher = run(ONE_IS_MISSING, "--hosts", "a:1,b:3", "--remote-tutti", script.toString(), "--agent",
                "env HOST={host}", "--hang-report", "1s")) {
            launcher.awaitError(HEAD + MISSING + WAITING);
        }
    }

    @Tag("thorough")
    @Test
    void shouldAskTheRanksThatShareAProcess() throws Exception {
        try (var launcher = run(ONE_IS_MISSING, "-n", "4", "--ranks-per-process", "2", "--hang-report", "1s")) {
            launcher.awaitError(HEAD + MISSING + WAITING);
        }
    }

    @Tag("thorough")
    @Test
    void shouldSayWhoAwaitsANotification() throws Exception {
        var program = """
                import module org.tutti;

                void main() {
                    try (var job = Tutti.join(); var memory = job.world().allocate(8)) {
                        memory.awaitNotifications(0, 1);
                    }
                }
                """;
        try (var launcher = run(program, "-n", "2", "--hang-report", "1s")) {
            launcher.awaitError(HEAD + "tutti:   ranks 0-1 are in awaitNotifications \\(word 0, count 1\\) on the "
                    + "world, at Program:5, for \\d+ s, waiting for any rank\n");
        }
    }
}
