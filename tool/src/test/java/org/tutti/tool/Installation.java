/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.HdrHistogram.Histogram;
import org.tutti.tool.run.RankCache;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The command line as the script {@code tutti} leaves it after building: what was just compiled as jars, with the AOT
 * caches of the launcher and of ranks, which save each of the many processes that tests start a part of its start. Made
 * once for all tests of this JVM.
 */
public final class Installation {
    private static final Path DIRECTORY = Path.of("target", "installation").toAbsolutePath();
    private static final Path TOOL = Path.of("target", "installation.jar").toAbsolutePath(); // as deep as the tool's
    private static final Path CACHE = DIRECTORY.resolve("launcher.aot");
    /** The class that starts the command line under test: that of another module, if its tests name one. */
    private static final String MAIN = System.getProperty("tutti.main", Main.class.getName());

    private static final String SILENCE = "-Xlog:aot*=off,cds*=off";

    /** The JVM options with which the cache was made. */
    private static final List<String> OPTIONS = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
            "-XX:-UsePerfData", "--enable-native-access=ALL-UNNAMED", "-XX:+UnlockDiagnosticVMOptions",
            "-XX:-DisplayVMOutput");

    private static String classPath;

    private Installation() {}

    /** {@return the words that start the command line, before its own arguments} */
    public static synchronized List<String> command() {
        if (classPath == null) {
            try {
                classPath = install();
                train();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
        return command("-XX:AOTCache=" + CACHE);
    }

    /**
     * Copies the installation, with the times of its files.
     *
     * @param to where to
     * @param command one that begins with the words of {@link #command()}
     * @return the same of the copy
     */
    public static List<String> copied(Path to, List<String> command) throws IOException {
        Path from = DIRECTORY.getParent();
        Files.createDirectory(to.resolve(DIRECTORY.getFileName()));
        try (var own = Files.list(DIRECTORY); var beside = Files.list(from)) {
            var files = Stream.concat(own, beside.filter(file -> file.toString().startsWith(TOOL.toString())));
            for (Path file : files.toList()) { // the jar beside it has the archive of the ranks' classes beside itself
                Files.copy(file, to.resolve(from.relativize(file)), StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
        return command.stream().map(word -> word.replace(from + "/installation", to + "/installation")).toList();
    }

    /** {@return the word that starts a JVM like this one} */
    static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    private static List<String> command(String cacheOption) {
        return Stream.of(List.of(java()), OPTIONS,
                List.of(cacheOption, SILENCE, "-cp", classPath, MAIN)).flatMap(List::stream).toList();
    }

    private static String install() throws IOException {
        removeOldOne();
        Files.createDirectories(DIRECTORY);
        List<Path> jars = new ArrayList<>(List.of(jarForRanks()));
        for (String each : System.getProperty("java.class.path").split(File.pathSeparator)) {
            Path entry = Path.of(each);
            Path jar = DIRECTORY.resolve(jars.size() + ".jar");
            if (Files.isRegularFile(entry)) {
                jars.add(Files.copy(entry, jar)); // as the ranks' cache lies beside the library
            } else if (Files.isDirectory(entry) && !entry.startsWith(TOOL.getParent())) {
                jars.add(jar(entry, jar));
            }
        }
        return jars.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }

    private static void removeOldOne() throws IOException {
        if (Files.exists(DIRECTORY)) {
            try (var files = Files.list(DIRECTORY)) {
                for (Path file : files.toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    private static Path jar(Path classes, Path file) throws IOException {
        try (var jar = new JarOutputStream(Files.newOutputStream(file))) {
            add(classes, "", jar);
        }
        return file;
    }

    /** Ranks that measure have the tool's jar, in which the library is that they count with. */
    private static Path jarForRanks() throws IOException {
        Set<Path> parts = new LinkedHashSet<>();
        for (Class<?> type : List.of(Main.class, main(), Histogram.class)) {
            parts.add(RankCache.codeOf(type));
        }
        try (var jar = new JarOutputStream(Files.newOutputStream(TOOL))) {
            for (Path part : parts) {
                addClasses(part, jar);
            }
        }
        return TOOL;
    }

    /** {@return the class that starts the command line} */
    static Class<?> main() {
        try {
            return Class.forName(MAIN);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void addClasses(Path part, JarOutputStream jar) throws IOException {
        if (Files.isDirectory(part)) {
            add(part, "org", jar);
            return;
        }
        try (var packed = FileSystems.newFileSystem(part)) {
            add(packed.getPath("/"), "org", jar);
        }
    }

    private static void add(Path classes, String folder, JarOutputStream jar) throws IOException {
        try (var walk = Files.walk(classes.resolve(folder))) {
            for (Path each : walk.filter(Files::isRegularFile).toList()) {
                var name = classes.relativize(each).toString().replace(File.separatorChar, '/');
                jar.putNextEntry(new JarEntry(name));
                Files.copy(each, jar);
                jar.closeEntry();
            }
        }
    }

    private static void train() throws IOException, InterruptedException {
        var log = DIRECTORY.resolve("training.log");
        List<String> command = new ArrayList<>(command("-XX:AOTCacheOutput=" + CACHE));
        command.add("prepare");
        var process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
        try {
            assertThat(process.waitFor(2, TimeUnit.MINUTES)).as("the training ended in time").isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.exitValue()).as(Files.readString(log)).isZero();
        assertThat(CACHE).exists();
    }
}
