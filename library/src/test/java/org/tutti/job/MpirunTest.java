/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Ranks that the real mpirun of an MPI starts, on this host and on those that {@code bench/cluster} makes. */
@Tag("thorough")
@Timeout(300)
class MpirunTest {
    private static final String CLUSTER =
            Path.of("").toAbsolutePath().getParent().resolve("bench/cluster").toString();
    private static final String NAME = "m" + ProcessHandle.current().pid();
    private static final int PATIENCE_SECONDS = 120;

    @TempDir
    private static Path directory;

    private static boolean isUp;

    /** A command that runs, and where it writes what it says. */
    private record Running(Process process, Path output) {
        int status() throws InterruptedException {
            assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
            return process.exitValue();
        }

        String said() throws IOException {
            return Files.readString(output);
        }

        void assertThatRanksSay(int size, String sentence) throws Exception {
            assertThat(status()).as(said()).isZero();
            assertThat(said().lines().filter(line -> !line.isBlank()))
                    .containsExactlyElementsOf(Collections.nCopies(size, sentence));
        }
    }

    @AfterAll
    static void removeCluster() throws Exception {
        if (isUp) {
            assertThat(start(List.of(CLUSTER, "down")).status()).isZero();
        }
    }

    private static void assumeInstalled(String mpi) {
        boolean installed = Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(path -> Files.isExecutable(Path.of(path, "mpirun." + mpi)));
        assumeTrue(installed, "skipped: mpirun." + mpi + " is not installed; apt-get install "
                + (mpi.equals("openmpi") ? "openmpi-bin" : "mpich"));
    }

    private static void assumeHosts() throws Exception {
        if (!isUp) {
            Running up = start(List.of(CLUSTER, "up", "2"));
            isUp = up.status() == 0;
            assumeTrue(isUp, "skipped: " + up.said());
        }
    }

    /**
     * Open MPI runs for root only when told so twice. Each command has a directory for temporary files, because an
     * mpirun fails when another removes its session directory, {@code ompi.HOST.UID}, while the first creates it.
     */
    private static Running start(List<String> command) throws IOException {
        Path temporary = Files.createTempDirectory(directory, "mpirun");
        Path output = Files.createTempFile(directory, "mpirun", ".out");
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(output.toFile()).redirectInput(new File("/dev/null"));
        builder.environment().keySet().removeIf(name -> name.startsWith("TUTTI_"));
        builder.environment().putAll(Map.of("OMPI_ALLOW_RUN_AS_ROOT", "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1",
                "TUTTI_CLUSTER", NAME, "TMPDIR", temporary.toString()));
        return new Running(builder.start(), output);
    }

    /** With a shell between the launcher and the rank, as in scripts of users. */
    private static Running mpirun(String mpi, int ranks, List<String> before, List<String> options) throws IOException {
        List<String> command = new ArrayList<>(before);
        command.addAll(List.of("mpirun." + mpi, "-np", String.valueOf(ranks)));
        if (mpi.equals("openmpi")) {
            command.addAll(List.of("--oversubscribe", "--bind-to", "none"));
        }
        command.addAll(options);
        command.addAll(List.of("sh", "-c", "\"$0\" \"$@\"; exit $?", RankProcesses.java(), "-XX:+UseSerialGC",
                "-Xmx256m", "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"),
                ProcessRankMain.class.getName(), "sum"));
        return start(command);
    }

    /** Starts it on the first host. */
    private static Running mpirunOnHosts(String mpi, int first, int second, List<String> more) throws IOException {
        Path secret = Files.createTempFile(directory, "tutti", ".secret"); // for its owner only
        Files.write(secret, new SecureRandom().generateSeed(32));
        Path agent = Files.writeString(directory.resolve("agent"), """
                #!/bin/sh
                [ "$1" = -x ] && shift
                host=$1
                shift
                exec '%s' exec "$host" sh -c "$*"
                """.formatted(CLUSTER));
        Files.setPosixFilePermissions(agent, PosixFilePermissions.fromString("rwx------"));
        String hosts = NAME + "-1:" + first + "," + NAME + "-2:" + second;
        List<String> options = new ArrayList<>(mpi.equals("openmpi")
                ? List.of("--host", hosts, "--mca", "plm_rsh_agent", agent.toString(), "-x",
                        "TUTTI_SECRET_FILE=" + secret)
                : List.of("-hosts", hosts, "-launcher", "ssh", "-launcher-exec", agent.toString(), "-iface", "rail0",
                        "-genv", "TUTTI_SECRET_FILE", secret.toString()));
        options.addAll(more);
        return mpirun(mpi, first + second, List.of(CLUSTER, "exec", NAME + "-1"), options);
    }

    @ParameterizedTest
    @ValueSource(strings = {"openmpi", "mpich"})
    void shouldMakeEachMpirunAJobOfItsOwn(String mpi) throws Exception {
        assumeInstalled(mpi);
        Running one = mpirun(mpi, 3, List.of(), List.of());
        Running other = mpirun(mpi, 2, List.of(), List.of());
        one.assertThatRanksSay(3, "sum 6 of 3");
        other.assertThatRanksSay(2, "sum 3 of 2");
    }

    @ParameterizedTest
    @CsvSource({"openmpi, 2, 1", "mpich, 2, 2"})
    void shouldMeetBetweenHostsWithASecretOnly(String mpi, int first, int second) throws Exception {
        assumeInstalled(mpi);
        assumeHosts();
        int size = first + second;
        mpirunOnHosts(mpi, first, second, List.of())
                .assertThatRanksSay(size, "sum " + size * (size + 1) / 2 + " of " + size);
    }

    /** The rank on the other host waits for those that are refused, as this mpirun does not end it. */
    @Test
    void shouldAskForTheNumberOfHostsWhenMpichDoesNotSayIt() throws Exception {
        assumeInstalled("mpich");
        assumeHosts();
        Running refused = mpirunOnHosts("mpich", 2, 1,
                List.of("-genv", "TUTTI_JOIN_TIMEOUT_MILLIS", "3000"));
        assertThat(refused.status()).isNotZero();
        assertThat(refused.said()).contains("MPICH has started 2 of 3 ranks on this host, and does not say on how many "
                + "hosts its ranks are; set TUTTI_NODES for each of them");
        mpirunOnHosts("mpich", 2, 1, List.of("-genv", "TUTTI_NODES", "2")).assertThatRanksSay(3, "sum 6 of 3");
    }
}
