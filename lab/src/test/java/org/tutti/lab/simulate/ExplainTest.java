/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.simulate;

import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tutti.tool.CommandProcess;
import org.tutti.tool.CommandProcess.Ended;

import static org.assertj.core.api.Assertions.assertThat;

/** The command {@code tutti explain}. */
@Timeout(300)
class ExplainTest {
    @TempDir
    private Path directory;

    private Ended explain(String arguments) throws Exception {
        return CommandProcess.run(directory, Map.of(), ("explain " + arguments).split(" "));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "barrier -n 2 | barrier, 2 ranks on 1 node | flat, | 2 of \\d+ is the first that fits: 1 node, "
                    + "up to 8 ranks",
            "allreduce --bytes 64k -n 8 --nodes 2 | allreduce of 65,536 bytes, 8 ranks on 2 nodes | index-range, | "
                    + "1 of \\d+ is the first that fits: 2 or more nodes, 64 KiB or more",
            "broadcast --bytes 64k -n 4 --nodes 4 --slow-links | broadcast of 65,536 bytes, 4 ranks on 4 nodes | "
                    + "chain, | 1 of \\d+ is the first that fits: 3 or more nodes, slow links, 4 KiB a node or more",
            "allgather --bytes 128k -n 2 --nodes 2 | allgather of 131,072 bytes, 2 ranks on 2 nodes | direct, | "
                    + "1 of \\d+ is the first that fits: 2 or more nodes, 1 rank a node, 128 KiB or more",
            "reduce --algorithm reduce=srm -n 4 --ordered | reduce of 8 bytes, 4 ranks on 1 node | srm, | "
                    + "1 of 1, which was requested, is the first that fits: any call"})
    void shouldTellTheChosenAlgorithmAndItsRule(String arguments, String call, String chosen, String rule)
            throws Exception {
        Ended ended = explain(arguments);
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(ended.out()).startsWith(call + "\n\nchosen      " + chosen + " ")
                .containsPattern("(?m)^because     rule " + rule + "$");
    }

    /** {@code tutti simulate} prints the same times. */
    @Test
    void shouldPredictAsASimulationDoes() throws Exception {
        Ended ended = explain("allreduce --bytes 64k -n 4 --algorithm allreduce=srm");
        Ended table = CommandProcess.run(directory, Map.of(), "simulate", "allreduce", "--bytes", "64k");
        assertThat(ended.status()).as(ended.err()).isZero();
        String[] lines = table.out().lines().skip(2).limit(2).map(String::strip).toArray(String[]::new);
        var micros = new TreeMap<String, Double>();
        for (int column = 1; column < lines[1].split(" +").length - 1; column++) {
            micros.put(lines[0].split(" +")[column], Double.valueOf(lines[1].split(" +")[column]));
        }
        double least = micros.values().stream().mapToDouble(Double::doubleValue).min().orElseThrow();
        assertThat(ended.out()).contains("\npredicted   %.1f µs, model gigabit\n".formatted(micros.get("srm")))
                .contains(", predicted %.1f µs, %.2f times as long\n".formatted(least, least / micros.get("srm")));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"'' | tutti: no collective is named; name one of barrier",
            "sum | tutti: there is no collective \"sum\"; name one of barrier",
            "gather --ordered | tutti: --ordered means nothing for gather, which combines nothing; leave it out",
            "barrier -n 1 | tutti: one rank exchanges nothing; give 2 or more with -n",
            "reduce --bytes 7 -n 2 | tutti: --bytes 7 is not possible; give multiples of 8 from 0 to 1024m",
            "reduce --model x -n 2 | tutti: --model x: "})
    void shouldRefuse(String arguments, String sentence) throws Exception {
        Ended ended = explain(arguments.isEmpty() ? "-n 2" : arguments);
        assertThat(ended.status()).isEqualTo(2);
        assertThat(ended.err()).startsWith(sentence).hasLineCount(1);
    }

    @Tag("thorough")
    @Test
    void shouldMeasureTheChosenAlgorithmAndTheRunnerUp() throws Exception {
        Ended ended = explain("barrier -n 2 --measure");
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(ended.out()).containsPattern("(?m)^measured    flat [0-9.]+ µs$")
                .containsPattern("(?m)^measured    \\S+ [0-9.]+ µs, [0-9.]+ times as long$");
    }
}
