/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.stress;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openjdk.jcstress.Main;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Shows, with jcstress, that no test of this module has a forbidden outcome. The pom's property {@code stress.options}
 * says how long the tests run; the comment beside it says how to run them for longer. The results of jcstress are in
 * {@code target/jcstress}.
 */
@Tag("sampled")
class StressTest {
    private static final String NATIVE_ACCESS = "--enable-native-access=ALL-UNNAMED"; // jcstress pins threads by JNA
    private static final Path RESULTS = Path.of(System.getProperty("stress.results", "target/jcstress"))
            .toAbsolutePath();

    @Test
    void noTestHasAForbiddenOutcome() throws IOException, InterruptedException {
        Files.createDirectories(RESULTS);
        File output = RESULTS.resolve("output.txt").toFile();
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), NATIVE_ACCESS, "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                Main.class.getName(), "-v", "-jvmArgsPrepend", "-ea", "-r", RESULTS.toString()));
        command.addAll(List.of(System.getProperty("stress.options", "-m sanity").strip().split("\\s+")));
        Process process = new ProcessBuilder(command).directory(RESULTS.toFile()).redirectErrorStream(true)
                .redirectOutput(output).start();
        int status;
        try {
            status = process.waitFor();
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        String said = Files.readString(output.toPath());
        String results = said.substring(Math.max(0, said.indexOf("RUN RESULTS")));
        assertThat(status).as("the exit status of jcstress; all it said is in %s\n%s", output, results).isZero();
        assertThat(names()).hasSizeGreaterThan(5).allSatisfy(
                name -> assertThat(said).contains("[OK] " + name + "\n"));
    }

    /** Returns the names of the tests in the sources; jcstress must have run every one. */
    private static List<String> names() throws IOException {
        Path sources = Path.of("src/main/java");
        try (var files = Files.walk(sources)) {
            return files.filter(file -> isTest(file)).map(file -> sources.relativize(file).toString()
                    .replace(".java", "").replace(File.separatorChar, '.')).sorted().toList();
        }
    }

    private static boolean isTest(Path file) {
        try {
            return file.toString().endsWith(".java") && Files.readString(file).contains("@JCStressTest");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
