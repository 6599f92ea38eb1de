/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The classes of the ranks that tests start, as jars, with an AOT cache of what a rank loads: each of these processes
 * takes half of the processor time to start that it takes with directories of classes. Made once for all tests of this
 * JVM.
 */
final class RankInstallation {
    private static final Path DIRECTORY = Path.of("target", "rank-processes").toAbsolutePath();
    private static final Path CACHE = DIRECTORY.resolve("rank.aot");

    private static List<String> options;

    private RankInstallation() {}

    /** {@return the options of a JVM that runs a rank} */
    static synchronized List<String> options() {
        if (options == null) {
            try {
                String classPath = install();
                train(options(classPath, "-XX:AOTCacheOutput=" + CACHE), options(classPath, "-XX:-UsePerfData"));
                options = options(classPath, "-XX:AOTCache=" + CACHE);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return options;
    }

    private static List<String> options(String classPath, String option) {
        return List.of("-XX:+UseSerialGC", "-Xmx256m", "-XX:TieredStopAtLevel=1", "-ea", option,
                "-Xlog:aot*=off,cds*=off",
                "-cp", classPath);
    }

    private static String install() throws IOException {
        Files.createDirectories(DIRECTORY);
        try (var files = Files.list(DIRECTORY)) {
            for (Path old : files.toList()) {
                Files.delete(old);
            }
        }
        List<Path> entries = new ArrayList<>();
        for (String each : System.getProperty("java.class.path").split(File.pathSeparator)) {
            Path entry = Path.of(each);
            if (Files.isDirectory(entry)) {
                entries.add(jar(entry, DIRECTORY.resolve(entries.size() + ".jar")));
            } else if (Files.exists(entry)) {
                entries.add(entry);
            }
        }
        return entries.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }

    private static Path jar(Path classes, Path file) throws IOException {
        try (var jar = new JarOutputStream(Files.newOutputStream(file)); var walk = Files.walk(classes)) {
            for (Path each : walk.filter(Files::isRegularFile).toList()) {
                jar.putNextEntry(
                        new JarEntry(classes.relativize(each).toString().replace(File.separatorChar, '/')));
                Files.copy(each, jar);
                jar.closeEntry();
            }
        }
        return file;
    }

    /** Two ranks on two nodes, of which the first writes the cache when it ends. */
    private static void train(List<String> writing, List<String> other) {
        try (var ranks = new RankProcesses()) {
            ranks.startOnNodesOfTheirOwn("sum", List.of(writing, other));
            for (int rank = 0; rank < 2; rank++) {
                assertThat(ranks.status(rank)).as(ranks.output(rank)).isZero();
            }
        }
        assertThat(CACHE).exists();
    }
}
