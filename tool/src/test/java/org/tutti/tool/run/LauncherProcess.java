/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import org.tutti.job.diagnosis.MachineTime;
import org.tutti.tool.Installation;

import static org.assertj.core.api.Assertions.assertThat;

/** The launcher as a process of its own, as users start it; closing it ends whatever it has started. */
final class LauncherProcess implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 240; // on slow cores, beside another test
    private static final String QUICK_COMPILER = "-J-XX:TieredStopAtLevel=1"; // most ranks live for a second or less

    private final Process process;
    private final Path out;
    private final Path err;
    private final List<ProcessHandle> seen = new ArrayList<>();

    private LauncherProcess(Process process, Path out, Path err) {
        this.process = process;
        this.out = out;
        this.err = err;
    }

    /** Starts {@code tutti run} in a directory, which also gets its output. */
    static LauncherProcess run(Path directory, String... arguments) throws IOException {
        return runWithInput(directory, "", arguments);
    }

    /** Starts {@code tutti run} with something on its standard input. */
    static LauncherProcess runWithInput(Path directory, String input, String... arguments) throws IOException {
        var in = Files.writeString(directory.resolve("launcher.in"), input);
        var out = directory.resolve("launcher.out");
        var err = directory.resolve("launcher.err");
        List<String> command = new ArrayList<>(Installation.command());
        command.addAll(List.of("run", QUICK_COMPILER));
        command.addAll(List.of(arguments));
        var builder = new ProcessBuilder(command).directory(directory.toFile()).redirectInput(in.toFile())
                .redirectOutput(out.toFile()).redirectError(err.toFile());
        return new LauncherProcess(builder.start(), out, err);
    }

    /** {@return the words that name a program which is compiled here already, as this JVM's compiler is warm} */
    static List<String> compiled(Path directory, String program) throws IOException {
        var source = Files.writeString(directory.resolve("Program.java"), program);
        var classes = Files.createDirectories(directory.resolve("classes"));
        var main = new SourceCompiler(source, "", RankCache.library()).compile(classes);
        assertThat(main).as("a program that can be compiled").isPresent();
        return List.of("-cp", classes.toString(), main.get());
    }

    /** Writes a script that starts the command line, in place of the script {@code tutti}, which would build it. */
    static Path script(Path directory) throws IOException {
        return script(directory.resolve("tutti"), "exec '" + String.join("' '", Installation.command()) + "' \"$@\"");
    }

    /** Writes a shell script. */
    static Path script(Path file, String body) throws IOException {
        Files.writeString(file, "#!/bin/sh\n" + body + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
        return file;
    }

    /** Waits for the end; fails when it takes too long. */
    LauncherProcess await() throws InterruptedException {
        assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).as("the launcher ended in time").isTrue();
        return this;
    }

    /** Waits for the end, or for some time. */
    void awaitEnd(Duration longest) throws InterruptedException {
        process.waitFor(longest);
    }

    /** {@return the exit status, after waiting for it} */
    int status() throws InterruptedException {
        return await().process.exitValue();
    }

    String out() {
        return read(out);
    }

    String err() {
        return read(err);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until the output has so many lines, and remembers which processes there are. */
    LauncherProcess awaitLines(int count) {
        awaitThat("the output has " + count + " lines", () -> out().lines().count() >= count);
        process.descendants().forEach(seen::add);
        return this;
    }

    /** {@return the processes that were there when the lines had been printed} */
    List<ProcessHandle> ranks() {
        return seen;
    }

    /** {@return what the launcher says when so many ranks have ended well, and none has joined} */
    static String nobodyJoined(int ranks) {
        return "tutti: no rank has joined the job: the program ran " + ranks + " times, each time by itself; "
                + "call Tutti.join() in it to have the ranks work together\n";
    }

    /** Sends a signal to processes. */
    static void signal(String name, ProcessHandle... processes) {
        signal(name, List.of(processes));
    }

    /** Sends a signal to processes. */
    static void signal(String name, List<ProcessHandle> processes) {
        List<String> command = new ArrayList<>(List.of("kill", "-" + name));
        processes.forEach(process -> command.add(String.valueOf(process.pid())));
        try {
            new ProcessBuilder(command).start().waitFor();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** {@return the directory that it was started in} */
    Path directory() {
        return out.getParent();
    }

    /** The launcher itself. */
    ProcessHandle handle() {
        return process.toHandle();
    }

    /** Checks, with some patience, that nothing of the job is left: no process, memory file or directory. */
    void assertThatNothingIsLeft(Duration patience) {
        assertThatNoProcessIsLeft(patience);
        assertThat(left(Path.of("/dev/shm"))).isEmpty();
    }

    /** Checks, with some patience, that no process of the job is left. */
    void assertThatNoProcessIsLeft(Duration patience) {
        awaitThat(() -> "all ranks have ended", patience, () -> seen.stream().noneMatch(ProcessHandle::isAlive));
    }

    /** {@return the files of this job in a directory} */
    List<Path> left(Path directory) {
        try (var files = Files.list(directory)) {
            return files.filter(file -> file.getFileName().toString().startsWith("tutti-" + process.pid() + "-"))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until standard error matches a regular expression, in which a dot also stands for the end of a line. */
    void awaitError(String expected) {
        awaitThat(() -> "standard error that matches " + expected + ", not:\n" + err(),
                Duration.ofSeconds(PATIENCE_SECONDS), () -> err().matches("(?s).*" + expected + ".*"));
    }

    static void awaitThat(String what, BooleanSupplier condition) {
        awaitThat(() -> what, Duration.ofSeconds(PATIENCE_SECONDS), condition);
    }

    private static void awaitThat(Supplier<String> what, Duration patience, BooleanSupplier condition) {
        var time = new MachineTime();
        try {
            while (!condition.getAsBoolean() && time.elapsed().compareTo(patience) < 0) {
                Thread.sleep(10);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        assertThat(condition.getAsBoolean()).as(what).isTrue();
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        seen.forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
