/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.spark;

import java.io.File;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.tutti.Tutti;

/** A standalone cluster of Spark: a master and two workers with two cores each, processes of this host. */
final class StandaloneCluster implements AutoCloseable {
    private static final String HOST = "127.0.0.1";
    private static final long START_NANOS_MAX = 60_000_000_000L;
    private static final long POLL_NANOS = 20_000_000;

    private final Path home;
    private final int port;
    private final List<Process> processes = new ArrayList<>();

    private StandaloneCluster(Path home, int port) {
        this.home = home;
        this.port = port;
    }

    /**
     * Starts it.
     *
     * @param home an empty directory, which it fills
     * @param ofSecondWorker environment variables of the second worker, and of its executors
     */
    static StandaloneCluster start(Path home, Map<String, String> ofSecondWorker) throws IOException {
        Path jars = Files.createDirectories(home.resolve("jars")); // where workers take executors' classes from
        for (String entry : classPath().split(File.pathSeparator)) {
            if (entry.endsWith(".jar") && !isTutti(entry)) {
                Path jar = Path.of(entry);
                Files.createSymbolicLink(jars.resolve(jar.getFileName()), jar);
            }
        }
        int port;
        try (var socket = new ServerSocket(0, 1, InetAddress.getByName(HOST))) {
            port = socket.getLocalPort();
        }
        var cluster = new StandaloneCluster(home, port);
        cluster.run("master", Map.of(), "master.Master", "--host", HOST, "--port", String.valueOf(port),
                "--webui-port", "0");
        cluster.awaitMaster(); // workers that find none try again seconds later only
        cluster.worker("first", Map.of());
        cluster.worker("second", ofSecondWorker);
        return cluster;
    }

    /** {@return the class path of this test} */
    static String classPath() {
        return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    }

    /** Whether this is the library, which the build has as a jar or as a directory. */
    private static boolean isTutti(String entry) {
        return Path.of(entry).equals(Path.of(URI.create(
                Tutti.class.getProtectionDomain().getCodeSource().getLocation().toString())));
    }

    /** {@return the jars that a program of Spark brings with it, as Spark's option has them: Tutti, and its classes} */
    String jarsOfProgram() throws IOException {
        return Stream.concat(Stream.of(jarOfClasses().toString()),
                Arrays.stream(classPath().split(File.pathSeparator))
                        .filter(entry -> entry.endsWith(".jar") && isTutti(entry)))
                .collect(Collectors.joining(","));
    }

    /** A jar of what in the class path is no jar yet. */
    private Path jarOfClasses() throws IOException {
        Path jar = home.resolve("classes.jar");
        try (var out = new JarOutputStream(Files.newOutputStream(jar))) {
            for (String entry : classPath().split(File.pathSeparator)) {
                Path directory = Path.of(entry);
                if (Files.isDirectory(directory)) {
                    try (Stream<Path> files = Files.walk(directory)) {
                        for (Path file : files.filter(each -> each.toString().endsWith(".class")
                                && !each.endsWith("module-info.class")).toList()) {
                            out.putNextEntry(new JarEntry(directory.relativize(file).toString()));
                            Files.copy(file, out);
                        }
                    }
                }
            }
        }
        return jar;
    }

    private void awaitMaster() throws IOException {
        for (long startNanos = System.nanoTime();;) {
            try (var socket = new Socket()) {
                socket.connect(new InetSocketAddress(HOST, port));
                return;
            } catch (ConnectException e) {
                if (System.nanoTime() - startNanos > START_NANOS_MAX) {
                    throw e;
                }
                LockSupport.parkNanos(POLL_NANOS);
            }
        }
    }

    private void worker(String name, Map<String, String> environment) throws IOException {
        run(name, environment, "worker.Worker", "--host", HOST, "--webui-port", "0", "-c", "2", "-m", "1g",
                "--work-dir", home.resolve(name).toString(), url());
    }

    private void run(String name, Map<String, String> environment, String type, String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java")
                .toString(), "-Xmx200m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Djava.io.tmpdir=" + home,
                "-cp", classPath(), "org.apache.spark.deploy." + type));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(home.resolve(name + ".log").toFile());
        builder.environment().putAll(Map.of("SPARK_HOME", home.toString(), "SPARK_SCALA_VERSION", "2.13",
                "SPARK_LOCAL_IP", HOST, "JAVA_HOME", System.getProperty("java.home")));
        builder.environment().putAll(environment);
        processes.add(builder.start());
    }

    /** {@return where the master is} */
    String url() {
        return "spark://" + HOST + ":" + port;
    }

    /** Ends all of its processes, and removes what they have written. */
    @Override
    public void close() throws IOException {
        List<ProcessHandle> all = processes.stream().flatMap(process -> Stream.concat(process.descendants(),
                Stream.of(process.toHandle()))).toList();
        all.forEach(ProcessHandle::destroyForcibly);
        all.forEach(process -> process.onExit().orTimeout(20, TimeUnit.SECONDS).join());
        try (Stream<Path> files = Files.walk(home)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
