/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.compare;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tutti.tool.CommandProcess;
import org.tutti.tool.CommandProcess.Ended;
import org.tutti.tool.Shapes;
import org.tutti.tool.bench.OneSidedOperation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** {@code tutti compare} with real contenders, of the peers those that are installed. */
@Tag("thorough")
@Isolated("measures; beside another class ranks of MPI that spin take ten times as long")
@Timeout(300)
class RealPeersTest {
    @TempDir
    private static Path programs;

    @TempDir
    private Path directory;

    /** What is compiled for a peer is kept for the next test. */
    private Ended run(String... arguments) throws Exception {
        return CommandProcess.run(directory, Map.of("XDG_CACHE_HOME", programs.toString()),
                Stream.concat(Stream.of("compare"), Stream.of(arguments)).toArray(String[]::new));
    }

    @Test
    void shouldMeasureTuttiAlone() throws Exception {
        var csv = directory.resolve("figures.csv");
        var ended = run("--contenders", "tutti,virtual,segments", "--collective", "reduce",
                "--bytes", "8,1m", "--repeats", "1", "--rounds", "1", "--csv", csv.toString());
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(Files.readAllLines(csv).stream().skip(1).map(line -> line.replaceFirst("(,[\\d.]+){4}$", "")))
                .containsExactly("tutti,reduce,1x2,2,8", "tutti,reduce,1x2,2,1048576", "tutti virtual,reduce,1x2,2,8",
                        "tutti virtual,reduce,1x2,2,1048576", "tutti segments,reduce,1x2,2,1048576");
        CompareTest.assertThatNothingIsLeft(ended);
    }

    /** The one that Debian has no classes of is measured when the environment says where they are. */
    @ParameterizedTest
    @Shapes({"openmpi", "mpich", "mpjexpress", "openmpi-java"})
    void shouldMeasureARealPeer(String peer) throws Exception {
        var jar = System.getenv("TUTTI_MPI_JAR");
        assumeTrue(PeerPrograms.isInstalled(peer, jar == null ? null : Path.of(jar)),
                () -> peer + " is not installed; " + PeerPrograms.installLine(peer));
        List<String> arguments = new ArrayList<>(List.of("--contenders", peer, "--bytes", "64", "--repeats", "1",
                "--rounds", "1"));
        if (peer.equals("openmpi-java")) {
            arguments.addAll(List.of("--mpi-jar", jar));
        }
        var ended = run(arguments.toArray(String[]::new));
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(ended.out()).containsPattern("barrier +0 +[\\d.]+").containsPattern("broadcast +64 +[\\d.]+")
                .containsPattern("reduce +64 +[\\d.]+").containsPattern("allreduce +64 +[\\d.]+");
        CompareTest.assertThatNothingIsLeft(ended);
    }

    /** Each checks its own data and groups, and fails if something is wrong. */
    @ParameterizedTest
    @Shapes({"tutti", "openmpi", "mpich"})
    void shouldMeasureGroups(String contender) throws Exception {
        assumeTrue(contender.equals("tutti") || PeerPrograms.isInstalled(contender, null),
                () -> contender + " is not installed; " + PeerPrograms.installLine(contender));
        var csv = directory.resolve("figures.csv");
        var ended = run("-n", "3", "--contenders", contender, "--collective",
                "reduce,split,create,duplicate", "--communicator", "interleaved,alternating", "--bytes",
                "64",
                "--repeats", "1", "--rounds", "1", "--csv", csv.toString());
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(Files.readAllLines(csv).stream().skip(1).map(line -> line.split(",")[1] + line.split(",")[2])
                .distinct()).hasSize(4 * 2).contains("create1x3 interleaved", "split1x3 alternating");
        CompareTest.assertThatNothingIsLeft(ended);
    }

    /** Each checks its own data and groups, and fails if something is wrong. */
    @ParameterizedTest
    @Shapes({"tutti,openmpi | --collective barrier,allreduce,split | 3",
            "mpich | --collective barrier,allreduce | 2",
            "tutti,openmpi,raw | --one-sided --operation put,lock,put-train | 3"})
    void shouldTellPercentiles(String contenders, String what, int cells) throws Exception {
        var missing = Stream.of(contenders.split(","))
                .filter(name -> !name.equals("tutti") && !PeerPrograms.isInstalled(name, null)).toList();
        assumeTrue(missing.isEmpty(), () -> missing + " are not installed");
        var csv = directory.resolve("figures.csv");
        List<String> arguments = new ArrayList<>(List.of("--contenders", contenders, "--percentiles", "--busy", "1",
                "--bytes", "8", "--repeats", "1", "--rounds", "1", "--timeout", "3m", "--csv", csv.toString()));
        arguments.addAll(List.of(what.split(" ")));
        var ended = run(arguments.toArray(String[]::new));
        assertThat(ended.status()).as(ended.err()).isZero();
        var lines = Files.readAllLines(csv).stream().skip(1).map(line -> line.split(",")).toList();
        assertThat(lines.stream().map(line -> line[1]).distinct()).hasSize(cells);
        assertThat(lines)
                .allSatisfy(line -> assertThat(Stream.of(line).skip(5).limit(3).map(Double::valueOf)).hasSize(3)
                        .isSorted().first().satisfies(p50 -> assertThat(p50).isPositive()));
        CompareTest.assertThatNothingIsLeft(ended);
    }

    /** A program in C that rewrites every element passes its own checks; one that leaves out the first does not. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            collectives | allreduce 8192 1 gates world means  | 0
            collectives | broadcast 8192 1 gates world means  | 0
            collectives | allgather 8192 1 gates world means  | 0
            onesided    | put:8192 1 gates means              | 0
            messages    | latency:8192 1 gates means          | 0
            messages    | bandwidth:65536 1 gates means       | 0
            collectives | allreduce 8192 1 gates world means  | 1
            collectives | broadcast 8192 1 gates world means  | 1
            collectives | allgather 8192 1 gates world means  | 1
            onesided    | put:8192 1 gates means              | 1
            messages    | latency:8192 1 gates means          | 1
            messages    | bandwidth:65536 1 gates means       | 1""")
    void shouldNoticeAnElementThatAPeerDoesNotRewrite(String program, String arguments, int leftOut) throws Exception {
        assumeTrue(PeerPrograms.isInstalled("openmpi", null), () -> PeerPrograms.installLine("openmpi"));
        for (var file : List.of("loop.h", "ranks_mpi.h", "transport_mpi.h", program + ".c")) {
            Files.writeString(directory.resolve(file), Files.readString(Path.of("../bench/peers", file)).replaceAll(
                    "write_values\\((\\w+(?: \\+ \\w+ \\* count)?), (.*), (call|number\\(\\w+\\))\\)",
                    "write_values($1 + N, $2 - N, $3 + N)".replace("N", String.valueOf(leftOut))));
        }
        Files.createDirectories(directory.resolve("gates"));
        for (int rank = 0; rank < 2; rank++) {
            Files.writeString(directory.resolve("gates").resolve(String.valueOf(rank)), "two turns");
        }
        assertThat(status("mpicc.openmpi", "-O3", "-o", program, program + ".c")).isZero();
        List<String> words = new ArrayList<>(List.of("env", "OMPI_ALLOW_RUN_AS_ROOT=1",
                "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "mpirun.openmpi", "--oversubscribe", "--bind-to", "none", "-n",
                "2", "./" + program));
        words.addAll(List.of(arguments.split(" ")));
        assertThat(status(words.toArray(String[]::new))).isEqualTo(leftOut);
        if (leftOut > 0) {
            assertThat(directory.resolve("said")).content().contains("wrong result: ", ": element ");
        }
    }

    private int status(String... command) throws Exception {
        return new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true)
                .redirectOutput(directory.resolve("said").toFile()).start().waitFor();
    }

    /** Each checks its own data, and fails if something is wrong. */
    @ParameterizedTest
    @Shapes({"tutti", "openmpi", "mpich", "raw"})
    void shouldMeasureOneSidedOperations(String contender) throws Exception {
        assumeTrue(TuttiContenders.ONE_SIDED_NAMES.contains(contender) || PeerPrograms.isInstalled(contender, null),
                () -> contender + " is not installed; " + PeerPrograms.installLine(contender));
        var csv = directory.resolve("figures.csv");
        var ended = run("--one-sided", "--contenders", contender, "--operation",
                String.join(",", OneSidedOperation.labels()), "--bytes", "192", "--repeats", "1", "--rounds", "1",
                "--csv", csv.toString());
        assertThat(ended.status()).as(ended.err()).isZero();
        var measured = Files.readAllLines(csv).stream().skip(1).map(line -> line.split(",")).toList();
        assertThat(measured).extracting(columns -> columns[1]).contains("put", "put-strided", "get-strided")
                .containsAll(OneSidedOperation.labels());
        assertThat(measured).allSatisfy(columns -> assertThat(Double.parseDouble(columns[5])).isPositive());
        CompareTest.assertThatNothingIsLeft(ended);
    }

    /** Each checks its own data, and fails if something is wrong. */
    @ParameterizedTest
    @Shapes({"tutti | -n 3",
            "openmpi | -n 3",
            "mpich | -n 3",
            "tutti,openmpi | --nodes 2x1"})
    void shouldMeasureMessages(String contenders, String where) throws Exception {
        var names = List.of(contenders.split(","));
        var missing = names.stream().filter(name -> !name.equals("tutti") && !PeerPrograms.isInstalled(name, null))
                .toList();
        assumeTrue(missing.isEmpty(), () -> missing + " are not installed");
        assumeTrue(where.startsWith("-n") || ProcessHandle.current().info().user().equals(Optional.of("root")),
                "nodes need root");
        var ended = run(Stream.concat(Stream.of("--messages", "--contenders", contenders, "--bytes", "24,64k",
                "--repeats", "1", "--rounds", "1"), Stream.of(where.split(" "))).toArray(String[]::new));
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(ended.out()).containsPattern("latency +24 +[\\d.]+").containsPattern("latency +65536 +[\\d.]+")
                .containsPattern("bandwidth +65536 +[\\d.]+").containsPattern("message-rate +8 +[\\d.]+");
        for (var name : names) {
            assertThat(ended.out()).containsPattern("bandwidth of 65536 bytes:.* " + name + " [\\d.]+ MB/s")
                    .containsPattern("message-rate of 8 bytes:.* " + name + " [\\d.]+ M/s");
        }
        CompareTest.assertThatNothingIsLeft(ended);
    }
}
