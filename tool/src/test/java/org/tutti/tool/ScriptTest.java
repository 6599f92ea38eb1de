/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The script {@code tutti} in a fresh checkout, which has nothing built. */
@Tag("thorough")
@Timeout(600)
class ScriptTest {
    private static final Path HOME = Path.of("").toAbsolutePath().getParent();
    private static final List<String> NOT_SOURCES = List.of("target", ".git");

    @TempDir
    private Path directory;

    private static void copy(Path from, Path to) throws IOException {
        Files.copy(from, to);
        if (Files.isDirectory(from)) {
            try (var entries = Files.list(from)) {
                for (Path entry : entries.toList()) {
                    if (!NOT_SOURCES.contains(entry.getFileName().toString())) {
                        copy(entry, to.resolve(entry.getFileName()));
                    }
                }
            }
        }
    }

    private String pi(Path checkout, File err) throws Exception {
        File out = directory.resolve("out").toFile();
        var process = new ProcessBuilder("./tutti", "run", "-n", "2", "examples/Pi.java").directory(checkout.toFile())
                .redirectOutput(out).redirectError(err).start();
        try {
            assertThat(process.waitFor(5, TimeUnit.MINUTES)).as("it ended in time").isTrue();
            assertThat(process.exitValue()).as(Files.readString(err.toPath())).isZero();
            return Files.readString(out.toPath());
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    @Test
    void shouldBuildAtItsFirstUseAndNotAgain() throws Exception {
        Path checkout = directory.resolve("checkout");
        copy(HOME, checkout);
        File err = directory.resolve("err").toFile();
        assertThat(pi(checkout, err)).isEqualTo("pi is 3.141592653589, from 2 processes\n");
        assertThat(err).content().matches("tutti: building \\(first use, about a minute\\) … done in \\d+ s\n");
        assertThat(pi(checkout, err)).isEqualTo("pi is 3.141592653589, from 2 processes\n");
        assertThat(err).isEmpty();
    }
}
