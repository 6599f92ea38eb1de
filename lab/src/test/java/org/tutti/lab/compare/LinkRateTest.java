/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.compare;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.TuttiException;
import org.tutti.lab.compare.Contender.Kind;
import org.tutti.lab.compare.Figure.Cell;
import org.tutti.tool.UsageException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Compares the limit of a wire, and the bytes counted on it, with figures calculated by hand. */
class LinkRateTest {
    @ParameterizedTest
    @CsvSource({"1gbit, 125e6", "100mbit, 12.5e6", "2.5Gbit, 312.5e6", "8kbit, 1000", "64bit, 8", "3mbps, 3e6"})
    void shouldReadRates(String rate, double bytesPerSecond) {
        assertThat(LinkRate.ofRate(rate).bytesPerSecond()).isEqualTo(bytesPerSecond);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "fast", "1", "0gbit", "-1gbit", "1tbit"})
    void shouldRejectOtherRates(String rate) {
        assertThatThrownBy(() -> LinkRate.ofRate(rate)).isInstanceOf(UsageException.class)
                .hasMessageContaining("--rate " + rate + " is not possible");
    }

    @ParameterizedTest
    @CsvSource({"barrier, 0, 4, 0", "broadcast, 1000, 4, 1000", "reduce, 1000, 2, 1000", "allreduce, 1000, 2, 1000",
            "allreduce, 1000, 4, 1500", "broadcast, 1000, 1, 0", "allreduce, 1000, 1, 0", "gather, 1000, 4, 6000",
            "allgather, 1000, 2, 2000", "all-to-all, 1000, 4, 12000", "scan, 1000, 2, 1000"})
    void shouldKnowWhatTheBusiestNodeMustPass(String operation, long bytes, int nodes, double least) {
        assertThat(LinkRate.leastBytes(new Cell(operation, bytes), nodes, 2)).isEqualTo(least);
    }

    @Test
    void shouldTakeTheBusiestHostAndDirection() {
        var before = Traffic.parse("c-1 100 200\nc-2 1000 20\n");
        assertThat(Traffic.parse("c-1 150 230\nc-2 1040 30\n").busiestSince(before)).isEqualTo(50);
        assertThat(Traffic.parse("c-1 150 200\nc-2 1000 90\n").busiestSince(before)).isEqualTo(70);
    }

    @Test
    void shouldRejectWhatAreNoCounters() {
        assertThatThrownBy(() -> Traffic.parse("c-1 100")).isInstanceOf(TuttiException.class)
                .hasMessageContaining("'c-1 100'");
    }

    @Test
    void shouldTellLimitCountedAndRatioAndWhoDidNotEnd(@TempDir Path directory) throws Exception {
        var layout = new Layout(4, 1);
        var cell = new Cell("allreduce", 1_000_000);
        var tutti = new Contender("tutti", Kind.TUTTI, 0, each -> true, (each, loop, gates) -> List.of());
        var results = new ComparedFigures();
        results.add(layout, tutti, new Figure(cell, 15_000, 14_000, 16_000));
        for (double bytes : new double[]{1_600_000, 1_550_000, 9_000_000}) {
            results.count(layout, tutti, cell, bytes);
        }
        results.fail(layout, "mpich did not end in 60 s");
        var report = new Report(results, Optional.of(LinkRate.ofRate("1gbit")), 0);
        var bytes = new ByteArrayOutputStream();
        report.print(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        assertThat(bytes.toString(StandardCharsets.UTF_8).lines())
                .contains("| allreduce | 1000000 | 12000 | tutti | 12800 | 15000 | 1.25 |")
                .contains("not measured to the end: mpich did not end in 60 s");
        var csv = directory.resolve("figures.csv");
        report.writeCsv(csv);
        assertThat(Files.readAllLines(csv)).containsExactly(
                "contender,operation,layout,ranks,bytes,microseconds,low,high,rewriting,limit,counted",
                "tutti,allreduce,4x1,4,1000000,15000.0000,14000.0000,16000.0000,0.0000,12000.0000,12800.0000");
    }
}
