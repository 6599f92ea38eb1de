/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The script {@code tutti} in a fresh checkout, which has nothing built; and the jar that it builds. */
@Tag("thorough")
@Timeout(600)
class ScriptTest {
    private static final Path HOME = Path.of("").toAbsolutePath().getParent();
    private static final String PI = "pi is 3.141592653589, from 2 processes\n";
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

    private String run(Path where, File err, String... command) throws Exception {
        File out = directory.resolve("out").toFile();
        var process = new ProcessBuilder(command).directory(where.toFile()).redirectOutput(out).redirectError(err)
                .start();
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
        String[] pi = {"./tutti", "run", "-n", "2", "examples/Pi.java"};
        File err = directory.resolve("err").toFile();
        assertThat(run(checkout, err, pi)).isEqualTo(PI);
        assertThat(err).content().matches("tutti: building \\(first use, about a minute\\) … done in \\d+ s\n");
        assertThat(run(checkout, err, pi)).isEqualTo(PI);
        assertThat(err).isEmpty();
        assertThat(run(checkout, err, "./tutti", "draw", "allreduce", "--algorithm", "flat", "--text"))
                .contains("allreduce");
        shouldNeedNothingButItsJar(checkout);
    }

    /** What the script has built, alone in a directory; another build would take as long again. */
    private void shouldNeedNothingButItsJar(Path checkout) throws Exception {
        Path alone = Files.createDirectory(directory.resolve("alone"));
        Path jar = Files.copy(checkout.resolve("tool/target/tutti.jar"), alone.resolve("tutti.jar"));
        Files.copy(checkout.resolve("examples/Pi.java"), alone.resolve("Program.java"));
        File err = directory.resolve("err").toFile();
        String java = Installation.java();
        assertThat(run(alone, err, java, "-jar", "tutti.jar", "run", "-n", "2", "Program.java")).isEqualTo(PI);
        assertThat(err).isEmpty();
        assertThat(run(alone, err, java, "-jar", "tutti.jar", "bench", "-n", "2", "--repeats", "1", "--bytes", "8",
                "--collective", "allreduce")).contains("allreduce");
        assertThat(
                Terminal.run(alone, List.of(java, "-jar", "tutti.jar", "bench", "-n", "1", "--repeats", "3", "--bytes",
                        "8", "--percentiles", "--collective", "barrier")))
                .containsPattern("measuring +0% \\[");
        assertThat(run(alone, err, java, "-jar", "tutti.jar", "info")).contains("shared memory");
        assertThat(run(alone, err, java, "-jar", "tutti.jar", "help", "run")).contains("tutti run -n 4 Program.java");
        assertThat(run(alone, err, java, "-p", "tutti.jar", "--add-modules", "org.tutti", "Program.java"))
                .isEqualTo("pi is 3.141592653589, from 1 process\n");
        try (var file = new JarFile(jar.toFile())) { // ranks have it on their class path, beside any other versions
            assertThat(file.stream().map(JarEntry::getName).filter(name -> !name.endsWith("/")))
                    .allMatch(name -> name.startsWith("org/tutti/") || name.equals("module-info.class")
                            || name.equals("META-INF/MANIFEST.MF") || name.equals("META-INF/LICENSE")
                            || name.startsWith("META-INF/licenses/"))
                    .noneMatch(name -> name.startsWith("org/tutti/lab/") || name.startsWith("org/tutti/simulator/"));
        }
    }
}
