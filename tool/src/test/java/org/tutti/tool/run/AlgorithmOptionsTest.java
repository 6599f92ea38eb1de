/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tutti.tool.CommandProcess;
import org.tutti.tool.CommandProcess.Ended;

import static org.assertj.core.api.Assertions.assertThat;

/** Jobs of {@code tutti run} with {@code --algorithm} and {@code --tuning}: the algorithms that their calls name. */
@Timeout(300)
class AlgorithmOptionsTest {
    /**
     * Makes ranks call allreduce with different operators, and prints the algorithm that the message names. One of the
     * ranks may learn only that the calls differed, so this is done three times.
     */
    private static final String NAMES_ALGORITHMS = """
            import module org.tutti;

            void main(String[] sizes) {
                try (var job = Tutti.join()) {
                    for (int i = 0; i < 3 * sizes.length; i++) {
                        var bytes = sizes[i % sizes.length];
                        try (var group = job.world().duplicate()) {
                            group.allreduce(new byte[Integer.parseInt(bytes)],
                                    job.rank() == 0 ? Reduction.SUM : Reduction.MAX);
                        } catch (CollectiveMismatchException e) {
                            IO.println(bytes + " " + e.getMessage()
                                    .replaceFirst("(?s).*?allreduce .algorithm ([^:)]*).*", "$1"));
                        }
                    }
                    IO.println("variable '" + System.getenv("TUTTI_TUNING") + "'");
                }
            }
            """;

    private static final String FILE = """
            # for one node
            1x2: allreduce=ring:0-64k,rabenseifner:64k-
            2x1: allreduce=recursive-doubling:0-64k   # and for two
            """;

    @TempDir
    private Path directory;

    /** The lines of all ranks, each once, except those of messages that name no algorithm. */
    private List<String> lines(Map<String, String> environment, String options, String sizes) throws Exception {
        Files.writeString(directory.resolve("rules"), FILE);
        var command = Stream.of(Stream.of("run", "-n", "2"), Stream.of(options.split(" ")),
                LauncherProcess.compiled(directory, NAMES_ALGORITHMS).stream(), Stream.of(sizes.split(" ")))
                .flatMap(words -> words).filter(word -> !word.isEmpty()).toArray(String[]::new);
        Ended ended = CommandProcess.run(directory, environment, command);
        assertThat(ended.status()).as(ended.err()).isZero();
        return ended.out().lines().filter(line -> line.matches("(\\d+|variable) \\S+")).distinct().sorted().toList();
    }

    @Test
    void shouldUseTheAlgorithmOfEachSize() throws Exception {
        assertThat(
                lines(Map.of(), "--algorithm allreduce=ring:8-64k,rabenseifner:64k-100000", "7 8 65535 65536 100000"))
                .containsExactly("100000 index-range", "65535 ring", "65536 rabenseifner", "7 flat", "8 ring",
                        "variable ''");
    }

    @ParameterizedTest
    @CsvSource({"--tuning rules, 65535 ring, 65536 rabenseifner",
            "--tuning rules --algorithm allreduce=srm:1m- --algorithm reduce=srm, 65535 ring, 65536 rabenseifner",
            "--tuning rules --algorithm allreduce=srm:64k-, 65535 ring, 65536 srm",
            "--tuning rules --algorithm allreduce=srm, 65535 srm, 65536 srm",
            "--tuning rules --nodes 2, 65535 recursive-doubling, 65536 index-range"})
    void shouldUseTheFileUnlessAnOptionSaysOtherwise(String options, String shorter, String longer) throws Exception {
        assertThat(lines(Map.of(), options, "65535 65536")).containsExactly(shorter, longer, "variable ''");
    }

    /** The launcher alone reads the file, and gives its rules to the ranks. */
    @Test
    void shouldTakeTheFileFromTheVariable() throws Exception {
        assertThat(lines(Map.of("TUTTI_TUNING", "rules"), "", "65535")).containsExactly("65535 ring", "variable ''");
        assertThat(lines(Map.of("TUTTI_TUNING", "rules", "TUTTI_ALGORITHM", "allreduce=srm"), "", "65535"))
                .containsExactly("65535 srm", "variable ''");
        assertThat(lines(Map.of("TUTTI_TUNING", "none"), "--tuning rules", "65535"))
                .containsExactly("65535 ring", "variable ''");
    }

    @Test
    void shouldNameTheLineOfAFileThatCannotBeUsed() throws Exception {
        Path file = Files.writeString(directory.resolve("wrong"), "reduce=srm\nreduce=best:0-8\n");
        String sentence = file + ", line 2: there is no algorithm \"best\" for reduce; there are flat, srm, "
                + "srm-binary, srm-fibonacci, halving, chain, index-range, cheng, cheng-random, rank-order\n";
        for (String command : List.of("run --tuning FILE none.jar", "info --choices --tuning FILE")) {
            Ended ended = CommandProcess.runShared(command.replace("FILE", file.toString()).split(" "));
            assertThat(ended.status()).isEqualTo(2);
            assertThat(ended.err()).isEqualTo("tutti: --tuning " + sentence);
        }
        Ended byVariable =
                CommandProcess.run(directory, Map.of("TUTTI_TUNING", file.toString()), "run", "none.jar");
        assertThat(byVariable.status()).isEqualTo(2);
        assertThat(byVariable.err()).isEqualTo("tutti: TUTTI_TUNING=" + sentence);
    }

    @Test
    void shouldListTheRulesInEffect() throws Exception {
        Files.writeString(directory.resolve("rules"), FILE);
        Ended ended = CommandProcess.run(directory, Map.of("TUTTI_TUNING", "rules"), "info", "--choices",
                "--algorithm", "barrier=tree,allreduce=srm:1m-");
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(ended.out().lines().map(line -> line.replace("commuting, or ranks in blocks", "in order")
                .replaceAll(" {2,}", "|")).filter(line -> line.matches("barrier.*|allreduce.*")).limit(6))
                .containsExactly("barrier|any|any|any|any|any|tree (requested)",
                        "allreduce|any|any|any|any|1024 KiB or more|in order|srm (requested)",
                        "allreduce|2|2|any|any|below 64 KiB|in order|recursive-doubling (requested)",
                        "allreduce|1|2|any|any|below 64 KiB|any|ring (requested)",
                        "allreduce|1|2|any|any|64 KiB or more|any|rabenseifner (requested)",
                        "allreduce|2 or more|any|any|any|64 KiB or more|in order|index-range");
    }
}
