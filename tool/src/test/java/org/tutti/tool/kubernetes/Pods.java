/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.kubernetes;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobSpec;
import org.tutti.job.diagnosis.MachineTime;
import org.tutti.job.launch.JobEnvironment;

/**
 * The pods of the Job of docs/kubernetes.md as namespaces of this machine: hosts of {@code bench/cluster} with names as
 * Kubernetes gives, hosts files, mounts and users of their own.
 *
 * <p>A hosts file is written in place, as it is mounted over /etc/hosts; it stands for the cluster's DNS, too.
 */
final class Pods {
    private static final Path HOME = Path.of("").toAbsolutePath().getParent();
    private static final String NAME = "k" + ProcessHandle.current().pid();
    private static final int PATIENCE_SECONDS = 60;
    private static final String UID = "7c1a4b52-9a0e-4d1c-8a51-0f5d6c2b3e47";

    /** Nobody answers. */
    private static final String RESOLVER = "search default.svc.cluster.local\nnameserver 127.0.0.1\noptions ndots:5\n";

    /** What the kubelet does before it starts a container: the host's name, the size of its shared memory, the
     * secret's mode and group, and the command. */
    private static final String START = """
            hostname "$0"
            mount -t tmpfs -o size="$1",mode=0777 tmpfs /dev/shm
            mount -t tmpfs tmpfs /run
            mkdir -p /run/tutti/..1
            ln -s ..1 /run/tutti/..data
            if [ "$2" -ge 0 ]; then
              printf '%s' 'a secret of 32 bytes or a few more' >/run/tutti/..1/secret
              chgrp "$3" /run/tutti/..1/secret
              chmod "$(printf %o "$2")" /run/tutti/..1/secret
              ln -s ..data/secret /run/tutti/secret
            fi
            shift 3
            exec "$@"
            """;

    private final JobSpec spec;
    private final String job;
    private final Container container;
    private final Path directory = Files.createTempDirectory("tutti-pods");
    private final List<String> addresses = new ArrayList<>();
    private final List<Pod> started = new ArrayList<>();

    Pods() throws IOException, InterruptedException {
        var manifest = Manifests.only(Job.class);
        this.spec = manifest.getSpec();
        this.job = manifest.getMetadata().getName();
        this.container = Manifests.only(spec.getTemplate().getSpec().getContainers());
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x")); // pods are not root
        Files.writeString(directory.resolve("security"), "networkaddress.cache.negative.ttl=1\n"); // instead of 10 s
        run("up", String.valueOf(spec.getCompletions()));
        for (String line : run("addresses").lines().toList()) {
            addresses.add(line.replaceFirst(".*rail0=", ""));
            var files = Files.createDirectories(hosts(addresses.size() - 1).getParent());
            Files.writeString(files.resolve("resolv.conf"), RESOLVER);
        }
        forgetNames();
        var library = Path.of(JobEnvironment.class.getProtectionDomain().getCodeSource().getLocation().getPath());
        command(directory, "cp", "-r", library.toString(), directory.resolve(library.getFileName()).toString());
        command(directory, "chmod", "-R", "a+rX", directory.toString());
    }

    /** Why this machine can have no pods. */
    static Optional<String> whyImpossible() throws IOException, InterruptedException {
        var process =
                new ProcessBuilder("sh", "-c", "PATH=$PATH:/usr/sbin:/sbin exec unshare --mount --uts --net "
                        + "setpriv --reuid 1000 --clear-groups ip -V").redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes()).strip();
        return process.waitFor() == 0 ? Optional.empty() : Optional.of("no namespaces can be made: " + said);
    }

    /** A pod that was started. */
    record Pod(Process process, Path output) {
        String out() {
            try {
                return Files.readString(output);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        int status() throws InterruptedException {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("the pod did not end; so far it said: " + out());
            }
            return process.exitValue();
        }

        void awaitLine(String line) throws InterruptedException {
            await("it said " + line, () -> out().lines().anyMatch(line::equals));
        }

        /** Waits until it joins: it has a file in its shared memory then. */
        void awaitMemory() throws InterruptedException {
            File memory = new File("/proc/" + process.pid() + "/root/dev/shm");
            await("it has memory", () -> Optional.ofNullable(memory.list()).filter(names -> Stream.of(names)
                    .anyMatch(name -> name.startsWith("tutti-" + UID))).isPresent());
        }

        private void await(String what, BooleanSupplier isThere) throws InterruptedException {
            var time = new MachineTime();
            while (!isThere.getAsBoolean()) {
                if (!process.isAlive() || time.elapsed().toSeconds() > PATIENCE_SECONDS) {
                    throw new AssertionError("never came: " + what + "; the pod said: " + out());
                }
                Thread.sleep(10);
            }
        }
    }

    void compile(String name, String program) throws IOException {
        var source = Files.writeString(directory.resolve(name + ".java"), program);
        int status = ToolProvider.getSystemJavaCompiler().run(null, null, null, "-d", directory.toString(), "-p",
                classPath(), "--add-modules", "org.tutti", source.toString());
        if (status != 0) {
            throw new IllegalArgumentException("the program does not compile: " + program);
        }
    }

    /** Pods know their own names only, as the kubelet writes them. */
    void forgetNames() throws IOException {
        for (int index = 0; index < addresses.size(); index++) {
            String name = job + "-" + index;
            Files.writeString(hosts(index), "127.0.0.1 localhost\n" + addresses.get(index) + " " + name + "."
                    + spec.getTemplate().getSpec().getSubdomain() + ".default.svc.cluster.local " + name + "\n");
        }
    }

    /** The names that the Service gives. */
    void tellNames() throws IOException {
        forgetNames();
        for (int index = 0; index < addresses.size(); index++) {
            var hosts = new StringBuilder(Files.readString(hosts(index)));
            for (int other = 0; other < addresses.size(); other++) {
                hosts.append(addresses.get(other)).append(' ').append(job).append('-').append(other).append('.')
                        .append(spec.getTemplate().getSpec().getSubdomain()).append('\n');
            }
            Files.writeString(hosts(index), hosts);
        }
    }

    List<Pod> startAll(String program, String sharedMemory) throws IOException {
        List<Pod> pods = new ArrayList<>();
        for (int index = 0; index < addresses.size(); index++) {
            pods.add(start(index, program, sharedMemory, 0440));
        }
        return pods;
    }

    /** Starts a pod as the manifest has it, but for its program, the size of its memory and the secret's mode. */
    Pod start(int index, String program, String sharedMemory, int secretMode) throws IOException {
        return start(index, program, sharedMemory, secretMode, Map.of());
    }

    /** As above, with more variables. */
    Pod start(int index, String program, String sharedMemory, int secretMode, Map<String, String> more)
            throws IOException {
        var security = spec.getTemplate().getSpec().getSecurityContext();
        var output = Files.createTempFile(directory, "pod", ".out");
        List<String> command = new ArrayList<>(List.of(HOME.resolve("bench/cluster").toString(), "exec",
                NAME + "-" + (index + 1), "sh", "-e", "-c", START, job + "-" + index, sharedMemory,
                String.valueOf(secretMode), String.valueOf(security.getFsGroup()), "setpriv", "--reuid",
                String.valueOf(security.getRunAsUser()), "--regid", String.valueOf(security.getRunAsGroup()),
                "--groups",
                String.valueOf(security.getFsGroup()), "--"));
        container.getCommand().forEach(word -> command.addAll(words(word, program)));
        var builder = new ProcessBuilder(command).directory(new File("/")).redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("TUTTI_"));
        builder.environment().putAll(environment(index));
        builder.environment().putAll(more);
        builder.environment().put("TUTTI_CLUSTER", NAME);
        var pod = new Pod(builder.start(), output);
        started.add(pod);
        return pod;
    }

    private List<String> words(String word, String program) {
        return switch (word) {
            case "java" -> List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Djava.security.properties=" + directory.resolve("security"), "-XX:TieredStopAtLevel=1",
                    "-XX:+UseSerialGC", "-XX:-UsePerfData");
            case "/app/*" -> List.of(classPath() + File.pathSeparator + directory);
            case "Sum" -> List.of(program);
            default -> List.of(word);
        };
    }

    /** What Kubernetes tells a container: what the manifest says, the index and the name of the host. */
    private Map<String, String> environment(int index) {
        Map<String, String> environment = new TreeMap<>(
                Map.of("JOB_COMPLETION_INDEX", String.valueOf(index), "HOSTNAME", job + "-" + index));
        for (EnvVar variable : container.getEnv()) {
            environment.put(variable.getName(), Optional.ofNullable(variable.getValue()).orElse(UID));
        }
        return environment;
    }

    private String classPath() {
        try (var files = Files.list(directory)) {
            return Manifests.only(files.filter(file -> file.toString().matches(".*(classes|\\.jar)")).toList())
                    .toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path hosts(int index) {
        return Path.of("/etc/netns", NAME + "-" + (index + 1), "hosts");
    }

    private String run(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(HOME.resolve("bench/cluster").toString()));
        command.addAll(List.of(arguments));
        return command(directory, command.toArray(String[]::new));
    }

    private static String command(Path directory, String... command) throws IOException, InterruptedException {
        var builder = new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
        builder.environment().put("TUTTI_CLUSTER", NAME);
        var process = builder.start();
        var said = new String(process.getInputStream().readAllBytes());
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", command) + ": " + said);
        }
        return said;
    }

    void close() throws IOException, InterruptedException {
        for (Pod pod : started) {
            pod.process().destroyForcibly();
        }
        run("down");
        for (int index = 0; index < addresses.size(); index++) {
            command(Path.of("/"), "rm", "-r", hosts(index).getParent().toString());
        }
        command(Path.of("/"), "rmdir", "--ignore-fail-on-non-empty", "/etc/netns");
        command(Path.of("/"), "rm", "-r", directory.toString());
    }
}
