/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tutti.Collective;
import org.tutti.choice.Catalogue;
import org.tutti.tool.CommandProcess;
import org.tutti.tool.CommandProcess.Ended;
import org.tutti.tool.Shapes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

/**
 * {@code tutti bench} and {@code tutti info} as users start them; the figures themselves are nobody's business
 * here.
 */
@Timeout(300)
class BenchTest {
    private static Ended run(Path directory, String... arguments) throws Exception {
        return CommandProcess.run(directory, Map.of(), arguments);
    }

    @Tag("thorough")
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"ALLREDUCE | 8 | --segments", "SCAN | 8,1k | --virtual"})
    void shouldMeasureEveryAlgorithmAndWriteAFile(Collective collective, String sizes, String option,
            @TempDir Path directory) throws Exception {
        Path csv = directory.resolve("figures.csv");
        Ended ended = run(directory, "bench", "-n", "2", "--all-algorithms", "--bytes", sizes, "--repeats", "1",
                "--collective", collective.label() + ",barrier", "--csv", csv.toString(), option);
        assertThat(ended.status()).as(ended.err()).isZero();
        List<String> lines = Files.readAllLines(csv);
        assertThat(lines.get(0))
                .isEqualTo("contender,operation,layout,ranks,bytes,microseconds,low,high,calls,rewriting");
        int cells = sizes.split(",").length * (1 + Catalogue.of(collective).size()) + 1
                + Catalogue.of(Collective.BARRIER).size();
        assertThat(lines).hasSize(1 + cells);
        assertThat(lines.subList(1, lines.size())).allSatisfy(line -> {
            String[] fields = line.split(",");
            assertThat(fields).hasSize(10);
            assertThat(Double.parseDouble(fields[5])).isPositive();
        });
        assertThat(ended.out().lines()
                .filter(line -> line.startsWith(collective.label() + " ") || line.startsWith("barrier")))
                .hasSize(cells);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            --bytes 7              | multiples of 8
            --bytes x              | multiples of 8
            --collective juggle    | juggle is not one of barrier, broadcast, reduce, allreduce, gather, scatter
            --collective alreduce  | exclusive-scan, split, create, duplicate; did you mean allreduce?
            --algorithm allreduce=rabensefner | as in srm@32k; did you mean rabenseifner?
            -n 2 --algorithm ring@flat | --algorithm ring@flat needs a network between processes; give several nodes
            --virtual --algorithm ring@flat | leave out --virtual, and give several nodes, as in --nodes 2
            --algorithm rung@flat  | --algorithm rung@flat is no algorithm of any collective
            --communicator odd     | --communicator odd is not one of world, node, interleaved, alternating
            --one-sided --communicator node | --communicator has no meaning with --one-sided
            -n 0                   | -n 0 is not possible
            --csv /nowhere/x.csv   | --csv /nowhere/x.csv cannot be written
            --csv /proc            | --csv /proc cannot be written
            --html /nowhere/x.html | --html /nowhere/x.html cannot be written
            --html x.html --csv /dev/null | --csv /dev/null is not possible with --html
            --repeats 0            | --repeats 0
            --rounds 0             | --rounds 0
            --call later | --call later is not one of blocking, with-blocks, non-blocking, prepared, prepared
            --call blocking,prepared --collective split | prepared is not possible with --collective split, whose
            --one-sided --call prepared | --call, --virtual, --algorithm, --all-algorithms and --rounds have no meaning
            --percentiles --call blocking,overlapped | --percentiles has no meaning with --call overlapped
            --percentiles --one-sided --target computing | --percentiles has no meaning with --target computing
            --one-sided --virtual  | --call, --virtual, --algorithm, --all-algorithms and --rounds have no meaning
            --target passive       | no meaning without --one-sided
            --operation put        | --operation put has no meaning without --one-sided or --messages
            --messages --one-sided | --messages and --one-sided exclude each other
            --messages --target passive | --target passive has no meaning without --one-sided
            --messages --collective reduce | --collective reduce and --messages exclude each other
            --messages --virtual   | --call, --virtual, --algorithm, --all-algorithms and --rounds have no meaning
            --messages --segments  | --segments has no meaning with --messages
            --messages -n 1        | --messages has no meaning with one rank
            --messages --operation put | --operation put is not one of latency, bandwidth, message-rate
            --messages --operation bandwidth --bytes 8 | bandwidth has messages of 64k to 1m
            --protocol streaming   | --protocol streaming has no meaning without --one-sided
            --one-sided --protocol telex | --protocol telex is not one of zero-copy, streaming, pipelined""")
    void shouldRejectWhatCannotBe(String arguments, String message) throws Exception {
        Ended ended = CommandProcess.runShared(("bench " + arguments).split(" "));
        assertThat(ended.status()).isEqualTo(2);
        assertThat(ended.err()).contains(message);
        assertThat(ended.err().lines()).hasSize(1);
    }

    @Test
    void shouldMeasureAlgorithmsThatKnowNodesBesideFlatOnes(@TempDir Path directory) throws Exception {
        Path csv = directory.resolve("figures.csv");
        Ended ended = run(directory, "bench", "-n", "4", "--nodes", "2", "--collective", "allgather,barrier",
                "--algorithm", "bruck,bruck@flat,bruck@2-ports@flat", "--bytes", "4k", "--repeats", "1", "--csv",
                csv.toString());
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(Files.readAllLines(csv).stream().skip(1).map(line -> line.split(",")).map(f -> f[1] + " " + f[0]))
                .containsExactly("allgather tutti", "allgather tutti bruck", "allgather tutti bruck@flat",
                        "allgather tutti bruck@2-ports@flat", "barrier tutti");
    }

    @Test
    void shouldMeasureKindsOfCalls(@TempDir Path directory) throws Exception {
        assertThatItMeasuresEveryKindOfCall("-n 2 --bytes 8 --collective broadcast", 1, List.of("blocking", "prepared"),
                directory);
    }

    @Tag("thorough")
    @Test
    void shouldTellPercentiles(@TempDir Path directory) throws Exception {
        assertThatItTellsPercentiles("-n 2 --collective allreduce", directory);
    }

    @Tag("thorough")
    @ParameterizedTest
    @Shapes({"-n 3 --virtual --collective broadcast", "-n 2 --collective scan --call prepared-started",
            "-n 3 --collective split --rounds 2", "-n 2 --nodes 2 --one-sided --operation put",
            "-n 2 --one-sided --operation unlock", "-n 2 --messages --operation message-rate"})
    void shouldTellPercentilesOfAllThatIsCalled(String options, @TempDir Path directory) throws Exception {
        assertThatItTellsPercentiles(options, directory);
    }

    private static void assertThatItTellsPercentiles(String options, Path directory) throws Exception {
        Path csv = directory.resolve("figures.csv");
        List<String> arguments = new ArrayList<>(List.of("bench", "--percentiles", "--bytes", "8", "--repeats", "1",
                "--csv", csv.toString()));
        arguments.addAll(List.of(options.split(" ")));
        Ended ended = run(directory, arguments.toArray(String[]::new));
        assertThat(ended.status()).as(ended.err()).isZero();
        List<String> lines = Files.readAllLines(csv);
        assertThat(lines).hasSize(2).first()
                .isEqualTo("contender,operation,layout,ranks,bytes,p50,p99,p999,calls,rewriting");
        String[] fields = lines.get(1).split(",");
        assertThat(Stream.of(fields).skip(5).limit(3).map(Double::valueOf)).isSorted()
                .allSatisfy(micros -> assertThat(micros).isPositive());
        assertThat(Long.parseLong(fields[8])).isGreaterThanOrEqualTo(2_000);
        assertThat(ended.out()).containsPattern("bytes +p50 +p99 +p99.9 +rewriting");
    }

    /** Every collective has a case of its own for requests, and one for prepared calls; 24 bytes are three elements. */
    @Tag("thorough")
    @ParameterizedTest
    @Shapes({"-n 2 --bytes 24 | 11",
            "-n 3 --bytes 24 --virtual --collective barrier,gather,scan | 3",
            "-n 3 --bytes 24 --segments --collective reduce,all-to-all | 2",
            "-n 3 --bytes 8,64k --nodes 2 --communicator alternating --collective allreduce --rounds 2 | 2"})
    void shouldMeasureEveryKindOfCallOfEveryCollective(String options, int cells, @TempDir Path directory)
            throws Exception {
        assertThatItMeasuresEveryKindOfCall(options, cells,
                List.of("blocking", "non-blocking", "prepared", "prepared-started", "overlapped"), directory);
    }

    /** A barrier has no blocks: it has no row of this kind. */
    @Tag("thorough")
    @Test
    void shouldMeasureCallsWithBlocks(@TempDir Path directory) throws Exception {
        Path csv = directory.resolve("figures.csv");
        Ended ended = run(directory, "bench", "-n", "3", "--bytes", "24", "--repeats", "1", "--call",
                "blocking,with-blocks", "--collective",
                "barrier,gather,scatter,allgather,all-to-all,reduce-scatter", "--csv", csv.toString());
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(Files.readAllLines(csv).stream().skip(1).map(line -> line.split(",")).map(f -> f[0] + " " + f[1]))
                .containsExactly("tutti barrier", "tutti gather", "tutti with-blocks gather", "tutti scatter",
                        "tutti with-blocks scatter", "tutti allgather", "tutti with-blocks allgather",
                        "tutti all-to-all", "tutti with-blocks all-to-all", "tutti reduce-scatter",
                        "tutti with-blocks reduce-scatter");
    }

    private static void assertThatItMeasuresEveryKindOfCall(String options, int cells, List<String> kinds,
            Path directory) throws Exception {
        boolean overlaps = kinds.contains("overlapped");
        Path csv = directory.resolve("figures.csv");
        List<String> arguments = new ArrayList<>(List.of("bench", "--repeats", "1", "--call",
                String.join(",", kinds), "--csv", csv.toString()));
        arguments.addAll(List.of(options.split(" ")));
        Ended ended = run(directory, arguments.toArray(String[]::new));
        assertThat(ended.status()).as(ended.err()).isZero();
        List<String> lines = Files.readAllLines(csv);
        assertThat(lines.getFirst())
                .isEqualTo("contender,operation,layout,ranks,bytes,microseconds,low,high,calls,rewriting"
                        + (overlaps ? ",overlap" : ""));
        List<String> contenders =
                kinds.stream().map(kind -> kind.equals("blocking") ? "tutti" : "tutti " + kind).toList();
        assertThat(lines).hasSize(1 + cells * contenders.size());
        for (int i = 1; i < lines.size(); i++) {
            String[] fields = lines.get(i).split(",", -1);
            assertThat(fields).hasSize(overlaps ? 11 : 10);
            assertThat(fields[0]).isEqualTo(contenders.get((i - 1) % contenders.size()));
            assertThat(Double.parseDouble(fields[5])).isPositive();
            if (fields[0].endsWith("overlapped")) {
                assertThat(Double.parseDouble(fields[10])).isBetween(0.0, 100.0);
            } else if (overlaps) {
                assertThat(fields[10]).isEmpty();
            }
        }
        assertThat(ended.out().lines().filter(line -> line.matches(".* \\(chosen\\) overlapped .* [0-9.]+")))
                .hasSize(overlaps ? cells : 0);
    }

    @Tag("thorough")
    @Test
    void shouldMeasureGroups(@TempDir Path directory) throws Exception {
        assertThatItMeasuresGroups("-n 3 --nodes 2 --communicator interleaved", "2 nodes interleaved",
                List.of("barrier", "create"), directory);
    }

    /** Of three ranks there is a group of one. */
    @Tag("thorough")
    @ParameterizedTest
    @Shapes({"-n 5 --nodes 2 --communicator interleaved | 2 nodes interleaved",
            "-n 3 --communicator interleaved --all-algorithms | one node interleaved",
            "-n 3 --communicator interleaved --virtual | one process virtual threads interleaved",
            "-n 4 --communicator alternating --segments | one node alternating",
            "-n 4 --nodes 2 --communicator node | 2 nodes node"})
    void shouldMeasureGroupsWhereverTheyAre(String options, String layout, @TempDir Path directory) throws Exception {
        assertThatItMeasuresGroups(options, layout, List.of("barrier", "reduce", "split", "create", "duplicate"),
                directory);
    }

    private static void assertThatItMeasuresGroups(String options, String layout, List<String> operations,
            Path directory) throws Exception {
        Path csv = directory.resolve("figures.csv");
        List<String> arguments = new ArrayList<>(List.of("bench", "--repeats", "1", "--bytes", "64k", "--collective",
                String.join(",", operations), "--csv", csv.toString()));
        arguments.addAll(List.of(options.split(" ")));
        Ended ended = run(directory, arguments.toArray(String[]::new));
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(Files.readAllLines(csv).stream().map(line -> line.split(",")).filter(line -> line[0].equals("tutti"))
                .map(line -> line[1] + "," + line[2] + "," + line[4])).containsExactlyElementsOf(operations.stream()
                        .map(each -> each + "," + layout + "," + (each.matches("broadcast|.*reduce") ? "65536" : "0"))
                        .toList());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            -n 2 --nodes 2        | --bytes 192 --operation put-strided,get --protocol pipelined      | 2""")
    void shouldMeasureRemoteMemoryAndCheckIt(String where, String what, int cells, @TempDir Path directory)
            throws Exception {
        assertThatItMeasures(where, what, cells, directory);
    }

    /** 24 bytes are three elements, which no section can halve; 4 KiB are a matrix of 16 x 32. */
    @Tag("thorough")
    @ParameterizedTest
    @Shapes({"-n 3 --segments | --bytes 24,4k --operation put-strided,get-strided | 4",
            "-n 3 --nodes 2 | --bytes 192 | 10",
            "-n 3 --nodes 2 --segments | --bytes 192 --target computing --operation put,get,fetch-add | 3",
            "-n 3 --nodes 3 | --operation fence-all,fence-each-everyone | 2"})
    void shouldMeasureAllOperationsOnRemoteMemory(String where, String what, int cells, @TempDir Path directory)
            throws Exception {
        assertThatItMeasures(where, what, cells, directory);
    }

    private static void assertThatItMeasures(String where, String what, int cells, Path directory) throws Exception {
        Path csv = directory.resolve("figures.csv");
        List<String> arguments = new ArrayList<>(List.of("bench", "--one-sided", "--repeats", "1", "--csv",
                csv.toString()));
        arguments.addAll(List.of((where + " " + what).split(" +")));
        Ended ended = run(directory, arguments.toArray(String[]::new));
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(Files.readAllLines(csv).stream().skip(1).map(line -> line.split(",")[1] + line.split(",")[4]))
                .hasSize(cells).doesNotHaveDuplicates();
    }

    /** A rate is the reciprocal of the time in the same row. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            -n 2
            -n 3 --nodes 2""")
    void shouldMeasureMessagesAndCheckThem(String where, @TempDir Path directory) throws Exception {
        Path csv = directory.resolve("figures.csv");
        List<String> arguments = new ArrayList<>(List.of("bench", "--messages", "--repeats", "1", "--csv",
                csv.toString(), "--bytes", "24,64k"));
        arguments.addAll(List.of(where.split(" ")));
        Ended ended = run(directory, arguments.toArray(String[]::new));
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(Files.readAllLines(csv).stream().skip(1).map(line -> line.split(",")[1] + line.split(",")[4]))
                .containsExactly("latency24", "latency65536", "bandwidth65536", "message-rate8");
        List<String[]> rows = ended.out().lines().filter(line -> line.contains("(chosen)"))
                .map(line -> line.split(" +")).toList();
        assertThat(rows).hasSize(4);
        assertThat(rows.get(0)).hasSize(7);
        assertThat(Double.parseDouble(rows.get(2)[7])).isCloseTo(65536 / Double.parseDouble(rows.get(2)[3]),
                withinPercentage(5));
        assertThat(rows.get(2)[8]).isEqualTo("MB/s");
        assertThat(rows.get(3)[8]).isEqualTo("M/s");
    }

    @Test
    void shouldListEveryAlgorithm() throws Exception {
        Ended ended = CommandProcess.runShared("info", "--algorithms");
        assertThat(ended.status()).isZero();
        for (Collective collective : Collective.values()) {
            Catalogue.of(collective).forEach(algorithm -> assertThat(ended.out())
                    .containsPattern("(?m)^" + collective.label() + " +" + algorithm.description().name() + ": "));
        }
        Ended layout = CommandProcess.runShared("info", "--algorithms", "--layout", "1x4");
        assertThat(layout.out()).contains("on 1x4 runs direct:0-16k,ring:16k-")
                .contains("on 1x4 runs recursive-doubling:0-32769,rabenseifner:32769-");
        Ended wrong = CommandProcess.runShared("info", "--algorithms", "--layout", "four");
        assertThat(wrong.err()).contains("\"four\" is no layout; give NODESxRANKS");
        Ended machine = CommandProcess.runShared("info");
        assertThat(machine.status()).isZero();
        assertThat(machine.out()).contains("shared memory").contains("cores").contains("slots");
    }
}
