/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.junit;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.platform.commons.support.ReflectionSupport;
import org.junit.platform.engine.TestEngine;
import org.junit.platform.launcher.core.LauncherFactory;
import org.opentest4j.AssertionFailedError;
import org.tutti.JobStartException;
import org.tutti.Tutti;
import org.tutti.job.launch.JobEnvironment;

/**
 * The processes of a test, one for each rank. Each process runs {@link RankMain} with the class path and the options of
 * this process, which is JUnit's. They share a directory on the memory file system, for the job's memory and for their
 * results. The directory is removed when they have ended.
 */
final class TestProcesses implements AutoCloseable {
    /** The time that ranks have to end after a rank has failed, or after they were interrupted. */
    private static final long ENDING_MILLIS_MAX = 5000;

    private final Path directory;
    private final List<TestProcess> processes = new CopyOnWriteArrayList<>(); // also read by the shutdown hook
    private final Thread atExit = new Thread(this::closeAtExit, "tutti cleanup");
    private final BlockingQueue<TestProcess> ended = new LinkedBlockingQueue<>(); // each once
    private boolean interrupted;

    private TestProcesses(Path directory) {
        this.directory = directory;
        Runtime.getRuntime().addShutdownHook(atExit);
    }

    /**
     * Runs a test on a number of processes, and returns when all have ended. If the calling thread is interrupted, this
     * method interrupts the ranks, so that their blocked calls end.
     *
     * @param ranks the number of ranks, each a process
     * @param test JUnit's unique identifier of the test
     * @return the result of each rank
     */
    static List<RankResult> run(int ranks, String test) {
        if (ranks < 1 || ranks > JobEnvironment.SIZE_MAX) {
            throw new IllegalArgumentException(
                    "a job has 1 to " + JobEnvironment.SIZE_MAX + " ranks, not " + ranks);
        }
        Path memory = Path.of(Optional.ofNullable(System.getenv(JobEnvironment.MEMORY)).orElse("/dev/shm"));
        try (var processes = new TestProcesses(directory(memory))) {
            TestPlan.of(ranks, test).write(processes.directory);
            for (int rank = 0; rank < ranks; rank++) {
                processes.start(rank);
            }
            return processes.await();
        } catch (IOException e) {
            throw new JobStartException("the ranks of a test cannot be processes, with their files in " + memory + " ("
                    + e + "); see whether that is a memory file system with room, or set " + JobEnvironment.MEMORY
                    + " to another one");
        }
    }

    /**
     * Creates the directory, which only this user can read. Its name has the identifier of this process, so that its
     * origin is visible.
     */
    private static Path directory(Path memory) throws IOException {
        return Files.createTempDirectory(memory, "tutti-junit-" + ProcessHandle.current().pid() + "-");
    }

    private void start(int rank) throws IOException {
        var builder = new ProcessBuilder(command(rank));
        builder.environment().put(JobEnvironment.MEMORY, directory.toString());
        processes.add(TestProcess.start(rank, builder, ended::add));
    }

    private List<String> command(int rank) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream().filter(TestProcesses::isOfEachProcess)
                .forEach(command::add);
        command.add("-XX:-UsePerfData"); // its file in /tmp would stay after kill -9
        command.addAll(List.of("-Dstdout.encoding=UTF-8", "-Dstderr.encoding=UTF-8", "-cp", classPath()));
        Module own = RankMain.class.getModule();
        if (Tutti.class.getModule().isNamed()) {
            command.add("--add-exports=" + Tutti.class.getModule().getName() + "/" + Tutti.class.getPackageName()
                    + ".job=" + (own.isNamed() ? own.getName() : "ALL-UNNAMED"));
        }
        if (own.isNamed()) {
            command.addAll(List.of("-m", own.getName() + "/" + RankMain.class.getName()));
        } else {
            command.add(RankMain.class.getName());
        }
        command.addAll(List.of(directory.toString(), String.valueOf(rank)));
        return command;
    }

    /**
     * Returns whether the processes of the ranks get a JVM option of this process. They get neither the debugger's
     * options, nor the main class, nor the class path option.
     */
    private static boolean isOfEachProcess(String option) {
        return !option.contains("jdwp") && !option.startsWith("-Djdk.module.main")
                && !option.startsWith("-Djava.class.path");
    }

    /**
     * Returns the class path of the ranks. It includes the locations of JUnit's and Tutti's classes, because a test
     * runner may load these from elsewhere.
     */
    private static String classPath() {
        Set<String> entries = new LinkedHashSet<>();
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !entry.isEmpty()).forEach(entries::add);
        List<Class<?>> types = new ArrayList<>(List.of(Tutti.class, Ranks.class, Test.class, LauncherFactory.class,
                TestEngine.class, ReflectionSupport.class, AssertionFailedError.class));
        ServiceLoader.load(TestEngine.class).forEach(engine -> types.add(engine.getClass()));
        for (Class<?> type : types) {
            CodeSource source = type.getProtectionDomain().getCodeSource();
            if (!type.getModule().isNamed() && source != null && source.getLocation().getProtocol().equals("file")) {
                entries.add(Path.of(URI.create(source.getLocation().toString())).toString());
            }
        }
        return String.join(File.pathSeparator, entries);
    }

    /** Waits until all processes have ended. Processes that do not end in time are killed. */
    private List<RankResult> await() {
        boolean hasFailed = false;
        for (int running = processes.size(); running > 0;) {
            try {
                TestProcess next = ended.take();
                running--;
                if (!hasFailed && next.result(directory).failure() != null) {
                    hasFailed = true;
                    killLater("a failure of another rank");
                }
                next.awaitOutput();
            } catch (InterruptedException _) {
                interrupted = true;
                processes.forEach(TestProcess::interrupt);
                killLater("an interrupt");
            }
        }
        return processes.stream().map(process -> process.result(directory)).toList();
    }

    private void killLater(String event) {
        CompletableFuture.delayedExecutor(ENDING_MILLIS_MAX, TimeUnit.MILLISECONDS)
                .execute(() -> processes.forEach(process -> process
                        .kill("did not end within " + ENDING_MILLIS_MAX + " ms of " + event + ", and was killed")));
    }

    @Override
    public void close() throws IOException {
        removeAll();
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException _) {
            // the hook runs already, and finds nothing left
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void closeAtExit() {
        try {
            removeAll();
        } catch (IOException e) {
            System.err.println("the directory " + directory + " of a test is left: " + e);
        }
    }

    private void removeAll() throws IOException {
        processes.forEach(TestProcess::close);
        delete(directory);
    }

    /**
     * Removes the directory of a test. Several processes may do so at the same time when JUnit's own process has gone.
     */
    static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.deleteIfExists(file);
            }
        } catch (NoSuchFileException _) {
            return;
        }
        Files.deleteIfExists(directory);
    }
}
