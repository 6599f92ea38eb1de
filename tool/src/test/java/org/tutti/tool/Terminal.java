/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/** A pseudo terminal, which the command {@code script} of util-linux makes. */
public final class Terminal {
    private static final long PATIENCE_SECONDS = 280;

    private Terminal() {}

    /**
     * Runs a command on a terminal of its own. The test is skipped if there is no command {@code script}.
     *
     * @param directory where the command is started; gets its output
     * @param command the command
     * @return all that the terminal has received
     */
    public static String run(Path directory, List<String> command) throws IOException, InterruptedException {
        assumeThat(isThere()).as("the command script makes a terminal").isTrue();
        var shown = directory.resolve("shown");
        var words =
                command.stream().map(word -> "'" + word.replace("'", "'\\''") + "'").collect(Collectors.joining(" "));
        var process = new ProcessBuilder("script", "-qec", words, "/dev/null").directory(directory.toFile())
                .redirectInput(new File("/dev/null")).redirectErrorStream(true).redirectOutput(shown.toFile()).start();
        try {
            assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).as("it ended in time").isTrue();
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        assertThat(process.exitValue()).as(Files.readString(shown)).isZero();
        return Files.readString(shown);
    }

    /** Runs a command of the command line on a terminal of its own. */
    public static String run(Path directory, String... arguments) throws IOException, InterruptedException {
        return run(directory, Stream.concat(Installation.command().stream(), Stream.of(arguments)).toList());
    }

    private static boolean isThere() {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .anyMatch(place -> Files.isExecutable(Path.of(place, "script")));
    }
}
