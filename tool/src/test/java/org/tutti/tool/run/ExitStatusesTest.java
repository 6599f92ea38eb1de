/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.job.RankProcess;
import org.tutti.tool.CommandProcess;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The statuses of the page about them that no other test sees. {@link JobEndTest} has 0, 1, 7, 124, 137 and 143,
 * {@link RankEndTest} 3 and 4, {@link SurroundingsTest} 141, {@link ProgramTest} 1 for a program that does not compile.
 */
@Timeout(300)
class ExitStatusesTest {
    private static final Path PAGE = Path.of("..", "docs", "exit-statuses.md");

    @TempDir
    private Path directory;

    private LauncherProcess run(String body) throws IOException {
        var program = LauncherProcess.compiled(directory,
                "import module org.tutti;\nvoid main() throws Exception { " + body + " }\n");
        return LauncherProcess.run(directory, "-n", "2", program.get(0), program.get(1), program.get(2));
    }

    @ParameterizedTest
    @ValueSource(ints = {42, 255})
    void shouldPassOnTheStatusOfAProgramThatHasLeftItsJob(int status) throws Exception {
        try (var launcher = run("Tutti.join().close(); System.exit(" + status + ");")) {
            assertThat(launcher.status()).isEqualTo(status);
        }
    }

    @Test
    void shouldExitWithTheStatusOfCtrlC() throws Exception {
        try (var launcher = run("IO.println(1); Thread.sleep(600_000);")) {
            launcher.awaitLines(2);
            LauncherProcess.signal("INT", launcher.handle());
            assertThat(launcher.status()).isEqualTo(130);
            launcher.assertThatNothingIsLeft(java.time.Duration.ZERO);
        }
    }

    @Test
    void shouldTellNoJobFromAWrongName() throws Exception {
        var elsewhere = Map.of("JAVA_TOOL_OPTIONS", "-Djava.io.tmpdir=" + directory);
        assertThat(CommandProcess.run(directory, elsewhere, "status").status()).isEqualTo(1);
        assertThat(CommandProcess.run(directory, elsewhere, "status", "none").status()).isEqualTo(2);
    }

    @Test
    void shouldListTheStatusesThatHaveNames() throws Exception {
        assertThat(Files.readString(PAGE)).contains("| " + RankProcess.STATUS_SECONDARY + " |",
                "| " + StartedProcess.STATUS_OUT_OF_MEMORY + " |", "| " + HostSession.STATUS_LAUNCHER_GONE + " |");
    }

    @ParameterizedTest
    @ValueSource(strings = {"help", "run --help"})
    void shouldNameThePageInTheHelp(String command) throws Exception {
        assertThat(CommandProcess.runShared(command.split(" ")).out().replaceAll("\\s+", " "))
                .contains("docs/exit-statuses.md");
    }
}
