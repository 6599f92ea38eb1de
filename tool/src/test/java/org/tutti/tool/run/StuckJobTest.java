/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

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
    private static final String HEAD = "tutti: job \\S+, (\\d+ ms|\\d+ s) after its start:\n";

    @TempDir
    private Path directory;

    private LauncherProcess run(String program, String... options) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(options));
        arguments.addAll(LauncherProcess.compiled(directory, program));
        return LauncherProcess.run(directory, arguments.toArray(String[]::new));
    }

    private static void quit(LauncherProcess launcher) {
        try {
            new ProcessBuilder("kill", "-QUIT", String.valueOf(launcher.handle().pid())).start().waitFor();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
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

    @Test
    void shouldSayWhereTheRanksAreWhenTheLauncherGetsSigquit() throws Exception {
        try (var launcher = run(ONE_IS_MISSING, "-n", "4")) {
            launcher.awaitLines(4);
            quitUntil(launcher, HEAD + MISSING + WAITING);
            assertThat(launcher.handle().isAlive()).isTrue();
            assertThat(launcher.out().lines()).as("the launcher dumps no threads").hasSize(4);
        }
    }

    @Test
    void shouldSayWhereTheRanksAreWhenOneHasWaitedForLong() throws Exception {
        try (var launcher = run(ONE_IS_MISSING, "-n", "4", "--hang-report", "1s")) {
            LauncherProcess.awaitThat("a report", () -> launcher.err().matches(HEAD + MISSING + WAITING));
            LauncherProcess.awaitThat("a second one", () -> launcher.err().split("after its start").length == 3);
            assertThat(launcher.handle().isAlive()).isTrue();
        }
    }

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
            LauncherProcess.awaitThat("a report", () -> launcher.err().matches(HEAD + "tutti:   ranks 0-1 are in "
                    + "awaitNotifications on the world, at Program:5, for 1 s, waiting for any rank\n"));
        }
    }
}
