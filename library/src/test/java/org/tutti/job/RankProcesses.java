/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.tutti.job.diagnosis.MachineTime;
import org.tutti.job.launch.JobEnvironment;

/** Real processes of one job, started by hand: with environment variables only, as any launcher could. */
final class RankProcesses implements AutoCloseable {
    private static final int PATIENCE_SECONDS = 120;
    private static final AtomicInteger JOBS = new AtomicInteger();

    final String job = "test-" + ProcessHandle.current().pid() + "-" + JOBS.incrementAndGet();
    final int port = freePort();
    final Path secret = newSecret();
    final List<Process> processes = new ArrayList<>();
    private final List<Path> outputs = new ArrayList<>();

    /** Starts all ranks. */
    static RankProcesses start(int size, String program, Map<String, String> environment) {
        RankProcesses ranks = new RankProcesses();
        for (int rank = 0; rank < size; rank++) {
            ranks.start(rank, size, program, environment);
        }
        return ranks;
    }

    /** Starts all ranks on several nodes, that is with memories of their own, on this host. */
    static RankProcesses startNodes(int[] nodeOfRank, String program, Map<String, String> more) {
        RankProcesses ranks = new RankProcesses();
        int nodes = Arrays.stream(nodeOfRank).max().getAsInt() + 1;
        for (int rank = 0; rank < nodeOfRank.length; rank++) {
            int node = nodeOfRank[rank];
            Map<String, String> environment = new TreeMap<>(Map.of(JobEnvironment.NODES, String.valueOf(nodes),
                    JobEnvironment.NODE, String.valueOf(node), JobEnvironment.NODE_RANKS,
                    String.valueOf(Arrays.stream(nodeOfRank).filter(each -> each == node).count()),
                    JobEnvironment.RENDEZVOUS, "127.0.0.1:" + ranks.port, JobEnvironment.SECRET_FILE,
                    ranks.secret.toString()));
            environment.putAll(more);
            ranks.start(rank, nodeOfRank.length, program, environment);
        }
        return ranks;
    }

    private static int freePort() {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path newSecret() {
        try {
            Path file = Files.createTempFile("tutti-test", ".secret"); // for its owner only
            return Files.write(file, new SecureRandom().generateSeed(32));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts a rank on a node of its own with each of these options. */
    void startOnNodesOfTheirOwn(String program, List<List<String>> options) {
        String size = String.valueOf(options.size());
        for (int rank = 0; rank < options.size(); rank++) {
            start(options.get(rank), rank, options.size(), program,
                    Map.of(JobEnvironment.NODES, size, JobEnvironment.NODE, String.valueOf(rank),
                            JobEnvironment.NODE_RANKS, "1", JobEnvironment.RENDEZVOUS, "127.0.0.1:" + port,
                            JobEnvironment.SECRET_FILE, secret.toString()));
        }
    }

    void start(int rank, int size, String program, Map<String, String> more) {
        start(RankInstallation.options(), rank, size, program, more);
    }

    private void start(List<String> options, int rank, int size, String program, Map<String, String> more) {
        Map<String, String> environment = new TreeMap<>(Map.of(JobEnvironment.JOB, job, JobEnvironment.RANK,
                String.valueOf(rank), JobEnvironment.SIZE, String.valueOf(size)));
        environment.putAll(more);
        try {
            Path output = Files.createTempFile("tutti-test", ".out");
            List<String> command = new ArrayList<>(List.of(java()));
            command.addAll(options);
            command.addAll(List.of(ProcessRankMain.class.getName(), program));
            ProcessBuilder builder =
                    new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
            builder.environment().keySet().removeIf(name -> name.startsWith("TUTTI_"));
            builder.environment().putAll(environment);
            builder.environment().values().removeIf(String::isEmpty);
            processes.add(builder.start());
            outputs.add(output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /** Waits for a process; its exit status. */
    int status(int rank) {
        try {
            if (!processes.get(rank).waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("process of rank " + rank + " did not end; so far it said: " + output(rank));
            }
            return processes.get(rank).exitValue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    String output(int rank) {
        try {
            return Files.readString(outputs.get(rank));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void awaitOutput(int rank, String text) throws InterruptedException {
        MachineTime time = new MachineTime();
        while (!output(rank).contains(text)) {
            if (time.elapsed().toSeconds() > PATIENCE_SECONDS) {
                throw new AssertionError("process of rank " + rank + " did not say " + text + ": " + output(rank));
            }
            if (!processes.get(rank).isAlive()) {
                throw new AssertionError("process of rank " + rank + " ended too early; ranks say: "
                        + IntStream.range(0, processes.size()).mapToObj(this::output).toList());
            }
            Thread.sleep(10);
        }
    }

    /** Kills a rank that holds what the others wait for, or will in a moment: either way they must notice. */
    void killHolder(int victim) throws InterruptedException {
        for (int rank = 0; rank < processes.size(); rank++) {
            awaitOutput(rank, "joined");
        }
        processes.get(victim).destroyForcibly();
    }

    /** The memory files of this job that are left. */
    List<Path> memoryFiles(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.getFileName().toString().startsWith("tutti-" + job + ".")).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        for (Process process : processes) {
            process.destroyForcibly();
        }
        for (int rank = 0; rank < processes.size(); rank++) {
            status(rank);
        }
        outputs.add(secret);
        for (Path output : outputs) {
            try {
                Files.deleteIfExists(output);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
