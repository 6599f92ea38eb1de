/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.simulate;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tutti.tool.Main;

import static org.assertj.core.api.Assertions.assertThat;

/** The commands {@code tutti simulate} and {@code tutti draw}: what they print, write and refuse. */
@Timeout(120)
class SimulateTest {
    private record Ended(int status, String out, String err) {}

    @TempDir
    private Path directory;

    private Ended tutti(String... arguments) throws Exception {
        Path out = directory.resolve("out");
        Path err = directory.resolve("err");
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        List<String> command = new ArrayList<>(List.of(java, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
                Main.class.getName()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).directory(directory.toFile()).redirectOutput(out.toFile())
                .redirectError(err.toFile()).start();
        assertThat(process.waitFor(100, TimeUnit.SECONDS)).isTrue();
        return new Ended(process.exitValue(), Files.readString(out), Files.readString(err));
    }

    @Test
    void shouldPredictOneCall() throws Exception {
        Ended ended = tutti("simulate", "allreduce", "--algorithm", "srm", "--nodes", "64", "--ranks-per-node", "4");
        assertThat(ended.status).as(ended.err).isZero();
        assertThat(ended.out).contains("allreduce srm of 8 bytes", "256 ranks on 64 nodes, model gigabit")
                .containsPattern("messages between nodes +384\\n").containsPattern("bytes on the busiest rail +48\\n")
                .contains("shared memory of a node", "critical path", "puts 8 bytes, node");
    }

    @Test
    void shouldPrintATableWithCrossoversAndDrawAChart() throws Exception {
        Ended ended = tutti("simulate", "allreduce", "--algorithm", "flat,index-range", "--ranks-per-node", "8",
                "--bytes", "8,64k", "--chart", "chart.svg");
        assertThat(ended.status).as(ended.err).isZero();
        assertThat(ended.out).containsPattern("(?m)^ +8 +.* +flat$").containsPattern("(?m)^ +65536 +.* +index-range$")
                .contains("crossover: index-range instead of flat between 8 and 65536 bytes");
        assertThat(directory.resolve("chart.svg")).content().startsWith("<svg").contains("index-range");
    }

    @Test
    void shouldReplayARun() throws Exception {
        Ended ended = tutti("simulate", "--replay", "reduce:srm:0.0.1.1.1:1:5");
        assertThat(ended.status).as(ended.err).isZero();
        assertThat(ended.out).contains("1 runs, 0 of them not right");
    }

    @Test
    void shouldReplayARunWithSeveralOperationsInFlight() throws Exception {
        Ended ended = tutti("simulate", "--replay", "in-flight:0.0.1:1:5");
        assertThat(ended.status).as(ended.err).isZero();
        assertThat(ended.out).contains("1 runs, 0 of them not right");
    }

    @Test
    void shouldVerifyAPieceOfTheWhole() throws Exception {
        Ended ended = tutti("simulate", "--verify", "--seeds", "1", "--part", "3/9000");
        assertThat(ended.status).as(ended.err).isZero();
        assertThat(ended.out).containsPattern("^\\d\\d? runs, 0 of them not right");
    }

    @Test
    void shouldDraw() throws Exception {
        Ended ended = tutti("draw", "broadcast", "--algorithm", "srm", "--nodes", "2", "--ranks-per-node", "2");
        assertThat(ended.status).as(ended.err).isZero();
        assertThat(directory.resolve("broadcast-srm.svg")).content().startsWith("<svg").contains("node 1");
        assertThat(tutti("draw", "barrier", "--algorithm", "srm", "--text").out).contains("node 0       0 |");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"simulate | no collective is named",
            "simulate gossip | there is no collective \"gossip\"",
            "simulate barrier --nodes 0 | --nodes 0 with --ranks-per-node 4 is not possible",
            "simulate barrier --ranks-per-node 2000000 | is not possible",
            "simulate barrier --model nothing | there is no model \"nothing\"; give a file, or one of gigabit",
            "simulate reduce --algorithm best | there is no algorithm \"best\" for reduce",
            "simulate reduce --bytes 7 | --bytes 7 is not possible", "simulate reduce --root 4 | --root 4 is no rank",
            "simulate reduce --nodes x | --nodes", "simulate --replay nonsense | is not of the form",
            "simulate --replay reduce:srm:0.1:x:1 | something else where a number is expected",
            "simulate --replay reduce:srm:1.0:0:1 | nodes must be numbered",
            "simulate --replay in-flight:0.1:1 | is not of the form in-flight:node.of.each.rank:part:seed",
            "simulate --replay in-flight:0.1:-1:1 | has part -1",
            "simulate --verify --seeds 0 | --seeds 0 is not possible",
            "simulate --verify --part 0/3 | --part 0/3 is not possible",
            "simulate --verify --part 3 | --part 3 is not possible",
            "simulate barrier --algorithm srm,tree --chart no/chart.svg | no/chart.svg cannot be written",
            "draw barrier --algorithm srm --output no/chart.svg | no/chart.svg cannot be written",
            "draw barrier --algorithm srm --output . | cannot be written; name a file",
            "draw reduce --algorithm srm --nodes 2 --ranks-per-node 500 | cannot be drawn",
            "draw reduce | one algorithm and one size can be drawn"})
    void shouldRefuseWhatIsImpossible(String arguments, String message) throws Exception {
        Ended ended = tutti(arguments.split(" "));
        assertThat(ended.status).isEqualTo(2);
        assertThat(ended.err).startsWith("tutti: ").contains(message);
    }
}
