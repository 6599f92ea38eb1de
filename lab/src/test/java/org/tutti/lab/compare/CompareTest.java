/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tutti.tool.CommandProcess;
import org.tutti.tool.CommandProcess.Ended;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@code tutti compare} as users start it, with peers that are scripts, and with none; {@link RealPeersTest} has real
 * ones.
 */
@Timeout(300)
class CompareTest {
    private static final String FIGURE = "echo peer,barrier,layout,2,0,4.0000,3.0000,5.0000";

    @TempDir
    private Path directory;

    /** Runs it where nothing is on the path but these scripts and what they need. */
    private Ended runWithScripts(String... arguments) throws Exception {
        var scripts = Files.createDirectories(directory.resolve("scripts"));
        for (var name : List.of("kill", "sleep", "touch", "setsid", "mkfifo")) {
            var command = Files.exists(Path.of("/usr/bin", name)) ? Path.of("/usr/bin", name) : Path.of("/bin", name);
            script(name, "exec " + command + " \"$@\"");
        }
        return run(scripts.toString(), arguments);
    }

    private Ended run(String path, String... arguments) throws Exception {
        var environment = Map.of("PATH", path, "XDG_CACHE_HOME", directory.resolve("cache").toString());
        return CommandProcess.run(directory, environment, compare(arguments));
    }

    private static String[] compare(String... arguments) {
        return Stream.concat(Stream.of("compare"), Stream.of(arguments)).toArray(String[]::new);
    }

    private void script(String name, String body) throws IOException {
        var file = Files.createDirectories(directory.resolve("scripts")).resolve(name);
        Files.writeString(file, "#!/bin/sh\n" + body + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    /** An mpich whose compiler makes an empty file, as nobody looks into it. */
    private void mpich(String body) throws IOException {
        script("mpicc.mpich", "while [ \"$1\" != -o ]; do shift; done; touch \"$2\"");
        script("mpirun.mpich", body);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            -n 0                            | -n 0 is not possible
            --nodes 2                       | --nodes 2 is not possible
            --contenders lam                | --contenders lam is not one of
            --collective juggle             | juggle is not one of
            --communicator odd              | --communicator odd is not one of world, node, interleaved, alternating
            --one-sided --communicator node | --communicator has no meaning with --one-sided
            --communicator node --contenders mpjexpress | segments, openmpi, mpich, which have groups
            --collective split --mpi-jar pom.xml | --mpi-jar pom.xml has no meaning with groups
            --nodes 2x2 --rate 1gbit --communicator world,node | has no meaning with --communicator world,node
            --bytes 7                       | multiples of 8
            --rounds 0                      | --rounds 0
            --repeats 1001                  | --repeats 1001
            --rate 1gbit                    | --rate 1gbit has no meaning without --nodes
            --nodes 2x1 --rails rail0,eth1  | --rails rail0,eth1 is not possible; name some of rail0, rail1
            --nodes 2x1 --rails rail1,rail1 | --rails rail1,rail1 is not possible
            --rails rail0,rail1             | --rails rail0,rail1 has no meaning without --nodes
            --collective gather --algorithm bruck | --algorithm bruck is not possible: there is no algorithm "bruck"
            --nodes 2x1 --rate 1gbit --percentiles | --rate 1gbit is not possible with --percentiles
            --percentiles --contenders mpjexpress | segments, openmpi, mpich, which have percentiles
            --percentiles --mpi-jar pom.xml | --mpi-jar pom.xml has no meaning with percentiles
            --percentiles --one-sided --target computing | --percentiles has no meaning with --target computing
            --busy -1                       | --busy -1 is not possible; give a number from 0 to 256
            --busy 257                      | --busy 257 is not possible
            --one-sided --algorithm direct  | --algorithm direct has no meaning with --one-sided
            --nodes 2x1 --cluster A!        | --cluster 'A!' is no name
            --chart figure.pdf              | ends with .svg
            --csv /nowhere/x.csv            | --csv /nowhere/x.csv cannot be written
            --html /nowhere/x.html          | --html /nowhere/x.html cannot be written
            --timeout never                 | is no duration
            --mpi-jar /nowhere/mpi.jar      | --mpi-jar /nowhere/mpi.jar is no file
            --one-sided --mpi-jar pom.xml   | --mpi-jar pom.xml has no meaning with --one-sided
            --one-sided --collective reduce | exclude each other
            --operation put                 | no meaning without --one-sided
            --target computing              | no meaning without --one-sided
            --one-sided --operation send    | --operation send is not one of put, get, accumulate
            --one-sided --target asleep     | --target asleep is not possible; give passive, computing
            --one-sided --contenders mpjexpress | mpjexpress is not one of tutti, segments, zero-copy
            --messages --contenders segments | segments is not one of tutti, single-rail, openmpi, mpich, which have
            --messages --algorithm direct   | --algorithm direct has no meaning with --messages
            --messages --mpi-jar pom.xml    | --mpi-jar pom.xml has no meaning with messages
            --messages -n 2,1               | --messages has no meaning with one rank
            --contenders raw                | raw is not one of tutti, virtual""")
    void shouldRejectWhatCannotBe(String arguments, String message) throws Exception {
        var ended = CommandProcess.runShared(compare(arguments.split(" ")));
        assertThat(ended.status()).isEqualTo(2);
        assertThat(ended.err()).contains(message).hasLineCount(1);
    }

    @Test
    void shouldNameMissingPeersWithTheirInstallLines() throws Exception {
        var ended = runWithScripts("--contenders", "tutti,openmpi,mpich,openmpi-java");
        assertThat(ended.status()).isEqualTo(2);
        assertThat(ended.err().lines()).containsExactly(
                "tutti: openmpi is not installed and is left out; apt-get install openmpi-bin libopenmpi-dev gcc",
                "tutti: mpich is not installed and is left out; apt-get install mpich libmpich-dev gcc",
                "tutti: openmpi-java is not installed and is left out; apt-get install openmpi-bin libopenmpi3 "
                        + "default-jdk-headless, and name its mpi.jar by --mpi-jar",
                "tutti: no peer to compare with was found; install one, or measure Tutti alone with "
                        + "--contenders tutti");
    }

    @Test
    void shouldNameMissingPeersOfOneSidedOperationsToo() throws Exception {
        var ended = runWithScripts("--one-sided");
        assertThat(ended.status()).isEqualTo(2);
        assertThat(ended.err().lines()).containsExactly(
                "tutti: openmpi is not installed and is left out; apt-get install openmpi-bin libopenmpi-dev gcc",
                "tutti: mpich is not installed and is left out; apt-get install mpich libmpich-dev gcc",
                "tutti: raw is not installed and is left out; apt-get install gcc libc6-dev",
                "tutti: no peer to compare with was found; install one, or measure Tutti alone with "
                        + "--contenders tutti");
    }

    /** The raw program is told all cells, and its figures of them are read; the other peer is left out. */
    @Test
    void shouldTellAPeerWhichOneSidedCellsToMeasure() throws Exception {
        script("gcc", "while [ \"$1\" != -o ]; do shift; done; printf '%s\\n' '#!/bin/sh' '[ \"$1 $2\" = \""
                + "put:8,put-computing:8,fetch-add:8,fetch-add-computing:8 1\" ] && [ -p \"$3/1\" ] || exit 1' "
                + "'for cell in put put-computing fetch-add fetch-add-computing; do for turn in 7 3; do' "
                + "'echo peer,$cell,layout,2,8,$turn,1,9; done; done' > \"$2\"; chmod +x \"$2\"");
        script("chmod", "exec /bin/chmod \"$@\"");
        script("env", "exec /usr/bin/env \"$@\"");
        var csv = directory.resolve("figures.csv");
        var ended = runWithScripts("--one-sided", "--contenders", "mpich,raw", "--operation", "fetch-add,put",
                "--target", "computing,passive", "--bytes", "8", "--repeats", "1", "--rounds", "1", "--csv",
                csv.toString());
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(ended.err()).contains("mpich is not installed");
        assertThat(Files.readAllLines(csv)).hasSize(5).contains("raw,put,1x2,2,8,3.0000,1.0000,9.0000,0.0000",
                "raw,fetch-add-computing,1x2,2,8,3.0000,1.0000,9.0000,0.0000");
        assertThatNothingIsLeft(ended);
    }

    @Test
    void shouldTellAPeerWhichMessagesToMeasureAndTellTheirRates() throws Exception {
        mpich("[ \"$4 $5\" = 'latency:65536,bandwidth:65536,message-rate:8 1' ] && for cell in "
                + "latency,layout,2,65536 "
                + "bandwidth,layout,2,65536 message-rate,layout,2,8; do for turn in 7 4; do "
                + "echo peer,$cell,$turn.0,4,4; done; done");
        var ended = runWithScripts("--messages", "--contenders", "mpich", "--bytes", "64k", "--operation",
                "message-rate,bandwidth,latency", "--repeats", "1", "--rounds", "1");
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(ended.out()).containsPattern("latency +65536 +4.000").containsPattern("message-rate +8 +4.000")
                .contains("\nbandwidth of 65536 bytes: mpich 16384.0 MB/s\n",
                        "\nmessage-rate of 8 bytes: mpich 0.250 M/s\n")
                .doesNotContain("latency of");
        assertThatNothingIsLeft(ended);
    }

    @Test
    void shouldStartAPeerAndReadItsFigures() throws Exception {
        mpich("[ \"$1 $2 $4 $5 $6\" = '-n 2 barrier 8,64 3' ] && [ -p \"$7/1\" ] && for turn in 0 1 2 3; do "
                + FIGURE.replace("4.0", "$turn.0") + "; done");
        var csv = directory.resolve("figures.csv");
        var ended = runWithScripts("--contenders", "mpich", "--collective", "barrier", "--bytes", "8,64", "--repeats",
                "3", "--rounds", "2", "--csv", csv.toString());
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(ended.err().lines()).containsExactly("tutti: 1x2, round 1 of 2: barrier",
                "tutti: 1x2, round 2 of 2: barrier",
                "tutti: with fewer than 5 repeats code is not compiled yet when it is measured, "
                        + "above all that of many ranks; take the figures for a try, or use --repeats 5.");
        assertThat(Files.readAllLines(csv)).endsWith("mpich,barrier,1x2,2,0,2.0000,3.0000,5.0000,0.0000").hasSize(2);
        assertThatNothingIsLeft(ended);
    }

    @Test
    void shouldTellAPeerOnWhichCommunicatorsToCall() throws Exception {
        mpich("[ \"$4 $5 $6\" = 'allreduce,split 8 1' ] && for cell in allreduce,layout,2,8 split,layout,2,0; do "
                + "for turn in 7 3; do echo peer,$cell,$turn.${#8},1,9; done; done");
        var csv = directory.resolve("figures.csv");
        var ended = runWithScripts("--contenders", "mpich", "--collective", "split,allreduce", "--bytes", "8",
                "--repeats", "1", "--rounds", "1", "--communicator", "node,interleaved", "--csv", csv.toString());
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(ended.out()).contains("1x2 interleaved (nodes x ranks of each, communicators): ");
        assertThat(Files.readAllLines(csv).stream().skip(1).map(line -> line.split(",1.0000")[0])).containsExactly(
                "mpich,allreduce,1x2 node,2,8,3.4000", "mpich,split,1x2 node,2,0,3.4000",
                "mpich,allreduce,1x2 interleaved,2,8,3.1100", "mpich,split,1x2 interleaved,2,0,3.1100");
        assertThatNothingIsLeft(ended);
    }

    @Test
    void shouldTellAPeerToTimeEachCall() throws Exception {
        mpich("[ \"$9\" = percentiles ] && for turn in 0 2; do "
                + "echo peer,barrier,layout,2,0,$turn.5,4.5,9.5,2000; done");
        var csv = directory.resolve("figures.csv");
        var ended = runWithScripts("--contenders", "mpich", "--collective", "barrier", "--repeats", "1", "--rounds",
                "1", "--percentiles", "--busy", "2", "--csv", csv.toString());
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(ended.out()).contains("1x2 (nodes x ranks of each), beside 2 busy processes: ")
                .containsPattern("barrier p50 +0 +2.500").containsPattern("barrier p99.9 +0 +9.500");
        assertThat(Files.readAllLines(csv)).containsExactly(
                "contender,operation,layout,ranks,bytes,p50,p99,p999,rewriting",
                "mpich,barrier,1x2,2,0,2.5000,4.5000,9.5000,0.0000");
        assertThatNothingIsLeft(ended);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            echo wrong result: reduce >&2; exit 1  | mpich failed with status 1
            echo wrong result: no figures at all   | mpich printed no figure for barrier""")
    void shouldSayWhatAPeerThatFailsHasSaid(String body, String message) throws Exception {
        mpich(body);
        var ended = runWithScripts("--contenders", "mpich", "--rounds", "2");
        assertThat(ended.status()).isEqualTo(1);
        assertThat(ended.err()).contains("tutti: 1x2: " + message, "\n  wrong result: ").doesNotContain("round 2");
        assertThatNothingIsLeft(ended);
    }

    @Tag("thorough")
    @Test
    void shouldEndAPeerThatHangsWithItsChildren() throws Exception {
        var pids = directory.resolve("pids");
        mpich("trap '' TERM; sleep 600 & echo $! > " + pids + "; setsid sleep 600 & echo $! >> " + pids
                + "; echo $$ >> " + pids + "; wait; wait; wait; sleep 600");
        var ended = runWithScripts("--contenders", "mpich", "--timeout", "1s");
        assertThat(ended.status()).isEqualTo(1);
        assertThat(ended.err()).contains("mpich did not end in --timeout 1 s for a turn and was killed");
        assertThat(Files.readAllLines(pids)).hasSize(3)
                .noneMatch(pid -> ProcessHandle.of(Long.parseLong(pid)).filter(ProcessHandle::isAlive).isPresent());
        assertThatNothingIsLeft(ended);
    }

    /** The peer's parent is the command itself. */
    @Test
    void shouldSayNoMoreWhenItIsTerminated() throws Exception {
        mpich("kill -TERM $PPID; sleep 600");
        var ended = runWithScripts("--contenders", "mpich", "--collective", "barrier");
        assertThat(ended.status()).isEqualTo(143);
        assertThat(ended.err()).matches("tutti: 1x2, round 1 of \\d+: barrier.*\n");
        assertThatNothingIsLeft(ended);
    }

    @Test
    void shouldShowWhatTheCompilerSaid() throws Exception {
        mpich(FIGURE);
        script("mpicc.mpich", "[ $1 = -E ] || { echo 'cannot find -lmpich'; exit 1; }");
        var ended = runWithScripts("--contenders", "mpich");
        assertThat(ended.status()).isEqualTo(1);
        assertThat(ended.err()).contains("the program of mpich cannot be compiled by mpicc.mpich -O3",
                "apt-get install mpich", "cannot find -lmpich");
        assertThatNothingIsLeft(ended);
    }

    /** Debian has the compiler in the package of mpirun, and the header in another one. */
    @Test
    void shouldLeaveOutAPeerWhoseHeaderIsMissing() throws Exception {
        mpich(FIGURE);
        script("mpicc.mpich", "echo 'mpi.h: No such file'; exit 1");
        var ended = runWithScripts("--contenders", "mpich");
        assertThat(ended.status()).isEqualTo(2);
        assertThat(ended.err().lines()).containsExactly(
                "tutti: mpich is not installed and is left out; apt-get install mpich libmpich-dev gcc",
                "tutti: no peer to compare with was found; install one, or measure Tutti alone with "
                        + "--contenders tutti");
    }

    static void assertThatNothingIsLeft(Ended ended) throws IOException {
        for (var place : List.of(Path.of("/dev/shm"), Path.of("/tmp"))) {
            try (var files = Files.list(place)) {
                assertThat(
                        files.filter(file -> file.getFileName().toString().startsWith("tutti-compare-" + ended.pid())))
                        .isEmpty();
            }
        }
    }
}
