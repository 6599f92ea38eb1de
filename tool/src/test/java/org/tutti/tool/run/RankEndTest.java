/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.job.diagnosis.MachineTime;
import org.tutti.tool.Shapes;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every way in which a rank can end, with one rank and with two in a process: the launcher names the right one and the
 * right cause, soon, and nothing is left.
 */
@Timeout(300)
class RankEndTest {
    private static final Duration SOON = Duration.ofSeconds(15);
    private static final int[] ONE_AND_TWO = {1, 2};

    @TempDir
    private Path directory;

    /** Two ranks in one process or in two; the JVMs have little memory, which some ranks fill. */
    private LauncherProcess run(int ranksPerProcess, String way, String... options) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("-n", "2", "--ranks-per-process", "" + ranksPerProcess,
                "-cp", RankCache.codeOf(EndingProgram.class).toString(), "-J-Xmx64m", "-J-XX:MaxDirectMemorySize=64m"));
        arguments.addAll(List.of(options));
        arguments.addAll(List.of(EndingProgram.class.getName(), way));
        var own = Files.createDirectory(directory.resolve("" + ranksPerProcess));
        return LauncherProcess.run(own, arguments.toArray(String[]::new));
    }

    /** Checks how the job ended; a process may be blamed instead of its rank that is not known. */
    private static void assertThatItEndedSoon(LauncherProcess launcher, int status, String who, String verdict,
            String cause) throws Exception {
        var time = new MachineTime();
        assertThat(launcher.status()).as(launcher.err()).isEqualTo(status);
        assertThat(time.elapsed()).isLessThan(SOON);
        var err = launcher.err();
        assertThat(err.lines().filter(line -> line.startsWith("tutti: ")).findFirst()).as(err).hasValueSatisfying(
                line -> assertThat(line).matches("tutti: " + who + " \\(pid \\d+\\) " + verdict
                        + "; the job was ended\\."));
        if (cause != null) {
            assertThat(err).contains("Exception in rank 1: ", cause).doesNotContain("Exception in rank 0");
        }
        launcher.assertThatNothingIsLeft(Duration.ZERO);
        assertThat(launcher.left(Path.of(System.getProperty("java.io.tmpdir")))).isEmpty();
    }

    /** Of what there is much, the thorough run has all. */
    private static final int EVERY = Integer.getInteger("rows.every", 1);

    /** How a rank ends, with which status, and what it then says. */
    private record Way(String way, int status, String cause) {}

    private static final List<Way> WAYS = List.of(
            new Way("returns with the job open", 1, "IllegalStateException: its main returned without"),
            new Way("returns while a thread lives with the job open", 1,
                    "IllegalStateException: its main returned without"),
            new Way("throws", 1, "IllegalStateException: the cause"),
            new Way("throws slowly", 1, "IllegalStateException: the cause"),
            new Way("throws with the job open", 1, "IllegalStateException: the cause"),
            new Way("throws an Error", 1, "AssertionError: the cause"),
            new Way("fails in an operator slowly", 1, "IllegalStateException: the cause"),
            new Way("is interrupted slowly", 1, "CallInterruptedException: rank 1"),
            new Way("fills the stack", 1, "StackOverflowError"),
            new Way("fills the memory outside the heap", 1, "OutOfMemoryError: Cannot reserve"),
            new Way("exits", 3, null),
            new Way("halts", 4, null));

    /** Each way in both kinds of process; in the short run some of both. */
    static Stream<Arguments> ways() {
        return IntStream.range(0, 2 * WAYS.size()).filter(i -> i % EVERY == 0)
                .mapToObj(i -> Arguments.of(1 + i % 2, WAYS.get(i / 2)));
    }

    @Tag("sampled")
    @ParameterizedTest
    @MethodSource("ways")
    void shouldNameTheRankThatEndedFirst(int ranksPerProcess, Way way) throws Exception {
        try (var launcher = run(ranksPerProcess, way.way)) {
            var who = ranksPerProcess == 1 ? "rank 1" : "(rank 1|the process of ranks 0-1)";
            assertThatItEndedSoon(launcher, way.status, who, way.way.equals("exits")
                    ? "exited with status 3 by System\\.exit, before it left the job"
                    : "exited with status " + way.status, way.cause);
        }
    }

    @Test
    void shouldNameTheRankThatLeavesEarlyAndNotTheOneThatMissesIt() throws Exception {
        for (int ranksPerProcess : ONE_AND_TWO) {
            try (var launcher = run(ranksPerProcess, "returns")) {
                assertThatItEndedSoon(launcher, 1, "rank 1", "left the job while rank 0 still needed it", null);
                assertThat(launcher.err()).contains("tutti: rank 0: rank 1 has left the job, as its program or an "
                        + "exception in it closed the job, and will not take part in this call at ");
            }
        }
    }

    @Tag("thorough")
    @Test
    void shouldNameTheRankThatExitsAsIfAllWereWell() throws Exception {
        for (int ranksPerProcess : ONE_AND_TWO) {
            try (var launcher = run(ranksPerProcess, "exits with status 0")) {
                assertThatItEndedSoon(launcher, 1, "rank 1",
                        "exited with status 0 by System\\.exit, before it left the job", null);
            }
        }
    }

    @Tag("thorough")
    @Test
    void shouldNotWaitForDaemonThreadsOfRanksThatHaveLeft() throws Exception {
        for (int ranksPerProcess : ONE_AND_TWO) {
            try (var launcher = run(ranksPerProcess, "leaves with a daemon thread")) {
                assertThat(launcher.status()).as(launcher.err()).isZero();
                assertThat(launcher.err()).isEmpty();
                launcher.assertThatNothingIsLeft(Duration.ZERO);
            }
        }
    }

    @ParameterizedTest
    @Shapes({"1", "2"})
    void shouldNameTheRankThatRanOutOfMemory(int ranksPerProcess) throws Exception {
        var who = ranksPerProcess == 1 ? "rank 1" : "the process of ranks 0-1";
        try (var launcher = run(ranksPerProcess, "fills the heap")) {
            assertThatItEndedSoon(launcher, 3, who, "ran out of memory \\(exit status 3\\): give its heap more by "
                    + "-J-Xmx, or its host fewer ranks", null);
        }
    }

    /** As if no memory were left for the stream of errors. */
    @Test
    void shouldNameTheProcessOfARankThatCannotPrint() throws Exception {
        try (var launcher = run(2, "throws and cannot print")) {
            assertThatItEndedSoon(launcher, 1, "(rank [01]|the process of ranks 0-1)", "exited with status 1", null);
        }
    }

    static Stream<Arguments> waysOfFilling() {
        return Stream.of(Arguments.of(2, "fills the heap with the job open"), Arguments.of(1, "fills the heap"),
                Arguments.of(2, "fills the heap"), Arguments.of(1, "fills the heap with the job open"))
                .limit(EVERY == 1 ? Long.MAX_VALUE : 2);
    }

    @Tag("sampled")
    @ParameterizedTest
    @MethodSource("waysOfFilling")
    void shouldNameTheRankThatRanOutOfMemoryAndHasNoneToSaySo(int ranksPerProcess, String way) throws Exception {
        var who = ranksPerProcess == 1 ? "rank 1" : "(rank [01]|the process of ranks 0-1)"; // they share the memory
        try (var launcher = run(ranksPerProcess, way, "-J-XX:-ExitOnOutOfMemoryError")) {
            assertThatItEndedSoon(launcher, 1, who, "exited with status 1", null);
            assertThat(launcher.err()).contains("Exception in ");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
            2 | is terminated with a hook that waits            | rank [01] | -
            """)
    void shouldNotWaitForTheHooksOfARank(int ranksPerProcess, String way, String who, String cause) throws Exception {
        assertThatHooksAreNotAwaited(ranksPerProcess, way, who, cause);
    }

    @Tag("thorough")
    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
            1 | exits with a hook that waits                    | rank 1    | -
            2 | exits with a hook that waits                    | rank 1    | -
            1 | throws with a hook that waits with the job open | rank 1    | IllegalStateException: the cause
            1 | is terminated with a hook that waits            | rank 1    | -
            2 | throws with a hook that waits with the job open | rank 1    | IllegalStateException: the cause
            """)
    void shouldNotWaitForTheHooksOfARankInTheOtherKindOfProcess(int ranksPerProcess, String way, String who,
            String cause) throws Exception {
        assertThatHooksAreNotAwaited(ranksPerProcess, way, who, cause);
    }

    private void assertThatHooksAreNotAwaited(int ranksPerProcess, String way, String who, String cause)
            throws Exception {
        try (var launcher = run(ranksPerProcess, way)) {
            assertThatItEndedSoon(launcher, 1, who, "failed: (it threw an exception|it called System.exit before it "
                    + "left the job|its process was told to end, by a signal, before it left the job), and did not end "
                    + "by itself within 1 s, as with a slow shutdown hook or on a busy machine", cause);
        }
    }
}
