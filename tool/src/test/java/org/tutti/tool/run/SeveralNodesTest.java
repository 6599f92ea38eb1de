/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Several nodes on this host, and jobs that go on when a rank fails. */
@Timeout(300)
class SeveralNodesTest {
    private static final String PRINTS_ITS_PLACE = """
            var names = new String[]{"RANK", "SIZE", "NODE", "NODES", "NODE_RANKS", "RANKS_PER_PROCESS", "RAILS"};
            IO.println(Stream.of(names).map(name -> System.getenv("TUTTI_" + name)).toList());
            """;

    @TempDir
    private Path directory;

    private LauncherProcess run(String body, String... options) throws IOException {
        var program = LauncherProcess.compiled(directory, """
                import module org.tutti;

                int rank = Integer.parseInt(System.getenv("TUTTI_RANK"));

                void main() throws Exception {
                    %s
                }
                """.formatted(body));
        return LauncherProcess.run(directory,
                Stream.concat(Stream.of(options), program.stream()).toArray(String[]::new));
    }

    @Test
    void shouldTellEveryProcessItsPlace() throws Exception {
        try (var launcher = run(PRINTS_ITS_PLACE, "--nodes", "2", "-n", "5")) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
            assertThat(launcher.out().lines()).containsExactlyInAnyOrder("[0, 5, 0, 2, 3, 1, 127.0.0.1]",
                    "[1, 5, 0, 2, 3, 1, 127.0.0.1]", "[2, 5, 0, 2, 3, 1, 127.0.0.1]", "[3, 5, 1, 2, 2, 1, 127.0.0.1]",
                    "[4, 5, 1, 2, 2, 1, 127.0.0.1]");
            assertThat(launcher.left(Path.of("/dev/shm"))).isEmpty();
        }
    }

    @Tag("thorough")
    @Test
    void shouldLetNoProcessSpanNodes() throws Exception {
        try (var launcher = run("Thread.sleep(1);" + PRINTS_ITS_PLACE, "--nodes", "2", "-n", "5",
                "--ranks-per-process", "2", "--rails", "lo")) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
            assertThat(launcher.out().lines().distinct()).containsExactlyInAnyOrder(
                    "[0, 5, 0, 2, 3, 2, lo]", "[2, 5, 0, 2, 3, 1, lo]",
                    "[3, 5, 1, 2, 2, 2, lo]");
        }
    }

    /** It inherits the variables of the rank, and is told why it cannot use them. */
    @Test
    void shouldRefuseAJavaProgramThatARankHasStarted() throws Exception {
        var body = """
                if (System.getenv("CHILD") != null) {
                    Tutti.join().close();
                }
                try (var job = Tutti.join()) {
                    if (rank == 1) {
                        var child = new ProcessBuilder(ProcessHandle.current().info().command().orElseThrow(), "-cp",
                                System.getProperty("java.class.path"), getClass().getName()).inheritIO();
                        child.environment().put("CHILD", "1");
                        IO.println("child " + child.start().waitFor());
                    }
                    job.world().barrier();
                }
                """;
        try (var launcher = run(body, "--nodes", "2", "-n", "2")) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
            assertThat(launcher.out()).isEqualTo("child 1\n");
            assertThat(launcher.err())
                    .containsPattern("JobStartException: this process cannot join job \\S+ as rank 1: "
                            + "process \\d+, which has started it, is in that job");
        }
    }

    @Test
    void shouldMakeAMemoryFileForEachNode() throws Exception {
        try (var launcher = run("IO.println(rank); Thread.sleep(600_000);", "--nodes", "3", "-n", "3")) {
            launcher.awaitLines(3);
            assertThat(launcher.left(Path.of("/dev/shm")).stream().map(Path::toString)
                    .map(name -> name.replaceFirst(".*\\.(\\d+)\\.node", "$1")))
                    .containsExactlyInAnyOrder("0", "1", "2");
            launcher.handle().destroyForcibly();
            launcher.await().assertThatNoProcessIsLeft(Duration.ofSeconds(4));
        }
    }

    @Tag("thorough")
    @Test
    void shouldEndAllNodesWhenARankFails() throws Exception {
        try (var launcher = run("IO.println(rank); if (rank == 3) { System.exit(3); } Thread.sleep(600_000);",
                "--nodes", "2", "-n", "4")) {
            launcher.awaitLines(4);
            assertThat(launcher.status()).isEqualTo(3);
            assertThat(launcher.err()).matches("tutti: rank 3 \\(pid \\d+\\) exited with status 3; the job was "
                    + "ended\\.\n");
            launcher.assertThatNothingIsLeft(Duration.ZERO);
        }
    }

    @Tag("thorough")
    @Test
    void shouldLeaveTheOthersRunningWhenAskedTo() throws Exception {
        var body = "Thread.sleep(500 * rank); if (rank < 2) { System.exit(3 + rank); } IO.println(\"done\");";
        try (var launcher = run(body, "-n", "4", "--keep-going")) {
            assertThat(launcher.status()).isEqualTo(3);
            assertThat(launcher.out()).isEqualTo("done\ndone\n");
            assertThat(launcher.err()).matches("""
                    tutti: rank 0 \\(pid \\d+\\) exited with status 3; the others go on\\.
                    tutti: rank 1 \\(pid \\d+\\) exited with status 4; the others go on\\.
                    """);
        }
    }

    @Tag("thorough")
    @Test
    void shouldEndAJobThatKeepsGoingForTooLong() throws Exception {
        var body = "IO.println(rank); if (rank == 0) { System.exit(3); } Thread.sleep(600_000);";
        try (var launcher = run(body, "-n", "2", "--keep-going", "--timeout", "2s")) {
            assertThat(launcher.status()).isEqualTo(3);
            assertThat(launcher.err()).contains("the others go on", "did not end within its --timeout of 2 s");
            launcher.assertThatNothingIsLeft(Duration.ZERO);
        }
    }
}
