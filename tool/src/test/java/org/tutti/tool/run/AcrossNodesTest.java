/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.job.diagnosis.MachineTime;
import org.tutti.tool.Shapes;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Programs with ranks that join and call collectives, on several nodes of this host, or on hosts that are all this one.
 */
@Timeout(300)
class AcrossNodesTest {
    private static final Duration SOON = Duration.ofSeconds(5); // and not the heartbeat of 10 s
    private static final Path TEMPORARY = Path.of(System.getProperty("java.io.tmpdir"));

    @TempDir
    private Path directory;
    private Path script;

    @BeforeEach
    void writeScript() throws IOException {
        script = LauncherProcess.script(directory);
    }

    /** {@return options of {@code tutti run} for all jobs} */
    List<String> wireOptions() {
        return List.of();
    }

    private LauncherProcess run(String program, String options) throws IOException {
        return run(program, options, List.of());
    }

    private LauncherProcess run(String program, String options, List<String> programArguments) throws IOException {
        List<String> arguments = new ArrayList<>(wireOptions());
        arguments.addAll(List.of(options.split(" ")));
        if (options.contains("--hosts")) {
            arguments.addAll(List.of("--agent", "env X={host}", "--remote-tutti", script.toString()));
        }
        arguments.addAll(LauncherProcess.compiled(directory, program));
        arguments.addAll(programArguments);
        return LauncherProcess.run(directory, arguments.toArray(String[]::new));
    }

    @ParameterizedTest
    @Shapes({"--nodes 3 -n 5", "-n 5", "--nodes 2 -n 5 --ranks-per-process 2", "--hosts a:2,b:1,c:2",
            "--hosts a:4,b:1 --ranks-per-process 3"})
    void shouldComputeTheSameWhereverTheRanksAre(String options) throws Exception {
        try (var launcher = run(Programs.COMPUTES, options)) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
            assertThat(launcher.err()).isEmpty();
            assertThat(launcher.out().lines()).containsExactlyInAnyOrder("0 is right", "1 is right", "2 is right",
                    "3 is right", "4 is right");
            assertThat(launcher.left(Path.of("/dev/shm"))).isEmpty();
            assertThat(launcher.left(TEMPORARY)).isEmpty();
        }
    }

    /** Long blocks between nodes of one rank each, which land in the target, if other threads may access it. */
    @ParameterizedTest
    @ValueSource(strings = {"--nodes 2 -n 2", "--nodes 3 -n 3"})
    void shouldExchangeLongBlocks(String options) throws Exception {
        try (var launcher = run(Programs.EXCHANGES_LONG_BLOCKS, options)) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
            assertThat(launcher.out().lines()).hasSize(Integer.parseInt(options.substring(options.length() - 1)))
                    .allMatch(line -> line.matches("\\d has 60 right targets"));
        }
    }

    /** Each node meets the others when its last rank has come, whichever that is. */
    @Tag("thorough")
    @ParameterizedTest
    @Shapes({"3", "0"})
    void shouldWaitForARankThatJoinsLate(String late) throws Exception {
        var program = """
                import module org.tutti;

                void main() throws InterruptedException {
                    Thread.sleep(System.getenv("TUTTI_RANK").equals("%s") ? 1000 : 0);
                    try (var job = Tutti.join()) {
                        int[] sum = {job.rank()};
                        job.world().allreduce(sum, Reduction.SUM);
                        IO.println(sum[0]);
                    }
                }
                """.formatted(late);
        try (var launcher = run(program, "--nodes 2 -n 4")) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
            assertThat(launcher.out().lines()).hasSize(4).containsOnly("6");
        }
    }

    @Tag("thorough")
    @ParameterizedTest
    @Shapes({"-n 4", "--nodes 3 -n 4", "-n 5 --levels 2,4",
            "--nodes 2 -n 7 --ranks-per-process 2 --levels 2"})
    void shouldComputeTheSameByEveryAlgorithm(String options) throws Exception {
        var algorithms = Programs.everyAlgorithm();
        try (var launcher = run(Programs.EVERY_ALGORITHM, options, algorithms)) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
            assertThat(launcher.out().lines()).hasSizeGreaterThanOrEqualTo(4)
                    .allMatch(line -> line.matches("\\d has done " + algorithms.size()));
        }
    }

    @ParameterizedTest
    @Shapes({"2 4 REDUCE srm 3 4 0", "2 4 REDUCE flat 3 4 0", "3 3 REDUCE rank-order 1 4 2",
            "2 4 REDUCE chain 3 40000 0", "2 4 REDUCE rank-order 3 4 0", "3 3 ALLREDUCE rabenseifner 0 4096 2",
            "3 3 ALLREDUCE rank-order 0 20000 2", "3 3 ALLREDUCE index-range 0 8192 2"})
    void shouldLetRanksLeaveAsSoonAsTheyAreNotNeeded(String call) throws Exception {
        var parts = List.of(call.split(" "));
        try (var launcher = run(Programs.LEAVES_EARLY, "--keep-going --nodes " + parts.get(0) + " -n " + parts.get(1),
                parts.subList(2, parts.size()))) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
            assertThat(launcher.out().lines()).hasSize(Integer.parseInt(parts.get(1)));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = "wait | --hosts a:1,b:3 | 137 | was killed by signal 9")
    void shouldNameTheRankThatFailsOnAnotherNode(String how, String options, int status, String sentence)
            throws Exception {
        assertThatItIsNamed(how, options, status, sentence);
    }

    @Tag("thorough")
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"throw | --nodes 2 -n 4 | 1 | exited with status 1",
            "exit | --hosts a:2,b:2 | 3 | exited with status 3",
            "wait | --nodes 3 -n 4 | 137 | was killed by signal 9"})
    void shouldNameTheRankThatFailsElsewhereToo(String how, String options, int status, String sentence)
            throws Exception {
        assertThatItIsNamed(how, options, status, sentence);
    }

    private void assertThatItIsNamed(String how, String options, int status, String sentence) throws Exception {
        try (var launcher = run(Programs.FAILS, options + " --env HOW=" + how)) {
            launcher.awaitLines(1);
            var time = new MachineTime();
            if (how.equals("wait")) {
                ProcessHandle.of(Long.parseLong(launcher.out().strip())).orElseThrow().destroyForcibly();
            }
            assertThat(launcher.status()).as(launcher.err()).isEqualTo(status);
            launcher.assertThatNothingIsLeft(Duration.ZERO);
            assertThat(time.elapsed()).isLessThan(SOON);
            assertThat(launcher.out().lines().filter(line -> line.contains("lost"))).containsExactlyInAnyOrder(
                    "0 lost 3", "1 lost 3", "2 lost 3");
            assertThat(headline(launcher)).matches("tutti: rank 3 \\(pid \\d+( on b)?\\) " + sentence
                    + ".*; the job was ended\\.");
            assertThat(launcher.err().lines().filter(line -> line.matches("tutti: rank \\d+: .*")))
                    .hasSize(3).allMatch(line -> line.matches("tutti: rank [012]: .*rank 3\\b.*"));
            assertThatCallsAreReported(launcher.err().lines().toList());
        }
    }

    /** The last line but one tells the place of rank 3, and the last line names the file. */
    private static void assertThatCallsAreReported(List<String> lines) {
        assertThat(lines.get(lines.size() - 2)).matches("tutti: rank 3 (is behind: it )?(has ended|is in) call \\d+ of "
                + "the world, an allreduce of 8 B.*");
        assertThat(lines.getLast()).matches("tutti: the last calls of each rank are in tutti-\\S+\\.report\\.json\\.");
    }

    private static String headline(LauncherProcess launcher) {
        return launcher.err().lines().filter(line -> line.startsWith("tutti: ")).findFirst().orElse("none");
    }

    @ParameterizedTest
    @Shapes({"--nodes 2 -n 4", "--hosts a:3,b:1"})
    void shouldLetTheSurvivorsGoOnWhenAskedTo(String options) throws Exception {
        try (var launcher = run(Programs.SURVIVES, options + " --keep-going --env HOW=exit")) {
            launcher.awaitLines(4);
            LauncherProcess.awaitThat("the failure is reported", () -> launcher.err().contains("the others go on."));
            assertThat(launcher.out()).doesNotContain("done");
            Files.createFile(directory.resolve("go"));
            assertThat(launcher.status()).isEqualTo(3);
            assertThat(launcher.out().lines().skip(1)).containsExactlyInAnyOrder("0 lost 3", "1 lost 3", "2 lost 3",
                    "0 is done", "1 is done", "2 is done");
            assertThat(launcher.err()).hasLineCount(3).startsWith("tutti: rank 3 (pid ")
                    .contains("exited with status 3 by System.exit, before it left the job; the others go on.");
            assertThatCallsAreReported(launcher.err().lines().toList());
            launcher.assertThatNothingIsLeft(Duration.ZERO);
        }
    }

    @Tag("thorough")
    @ParameterizedTest
    @Shapes({"--nodes 2 -n 4", "--hosts a:1,b:3 --keep-going"})
    void shouldEndAllNodesWhenARankAborts(String options) throws Exception {
        try (var launcher = run(Programs.FAILS, options + " --env HOW=abort")) {
            launcher.awaitLines(1);
            assertThat(launcher.status()).isEqualTo(5);
            assertThat(headline(launcher)).isEqualTo("tutti: rank 3 aborted the job with status 5.");
            launcher.assertThatNothingIsLeft(Duration.ZERO);
        }
    }

    @Test
    void shouldServeARankThatComputesByAThreadThatPolls() throws Exception {
        var program = """
                import module org.tutti;
                void main() {
                    try (var job = Tutti.join(); var memory = job.world().allocate(8)) {
                        if (job.rank() == 0) {
                            memory.at(1).put(0, new long[]{7});
                            memory.fence(1);
                        } else {
                            while ((long) LONG.getVolatile(memory.local(), 0L) != 7) { // computes, and calls nothing
                                Thread.onSpinWait();
                            }
                        }
                        IO.println(System.getenv("TUTTI_SERVICE") + ", " + System.getenv("TUTTI_STRIPING"));
                    }
                }
                static final java.lang.invoke.VarHandle LONG =
                        java.lang.foreign.ValueLayout.JAVA_LONG.varHandle();
                """;
        try (var launcher = run(program, "--nodes 2 -n 2 --service poll --striping whole")) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
            assertThat(launcher.out()).isEqualTo("poll, whole\npoll, whole\n");
        }
    }

    @Tag("thorough")
    @Test
    void shouldNameARankThatNeverJoinsOnAnotherNode() throws Exception {
        var program = """
                import module org.tutti;
                void main() throws Exception {
                    if (System.getenv("TUTTI_RANK").equals("2")) {
                        Thread.sleep(600_000);
                    }
                    Tutti.join().close();
                }
                """;
        try (var launcher = run(program, "--nodes 3 -n 3 --join-timeout 1s")) {
            assertThat(launcher.status()).isEqualTo(1);
            assertThat(headline(launcher)).contains("rank 2 did not join the job within the --join-timeout of 1 s");
            assertThat(launcher.left(Path.of("/dev/shm"))).isEmpty();
        }
    }
}
