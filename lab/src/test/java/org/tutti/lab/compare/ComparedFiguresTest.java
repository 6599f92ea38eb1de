/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.compare;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import javax.xml.parsers.DocumentBuilderFactory;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.lab.compare.Contender.Kind;
import org.tutti.lab.compare.Figure.Cell;
import org.tutti.tool.UsageException;
import org.tutti.tool.bench.Percentile;
import org.tutti.tool.page.WrittenPage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

/** Figures, their medians, ratios and means against computations by hand, and how they are written. */
class ComparedFiguresTest {
    private static final Layout ONE_NODE = new Layout(1, 2);
    private static final Cell BARRIER = new Cell("barrier", 0);
    private static final Cell SMALL = new Cell("reduce", 8);

    private static Contender contender(String name, Kind kind) {
        return new Contender(name, kind, 0, layout -> true, (layout, loop, gates) -> List.of());
    }

    /** Tutti takes 1 and 6; the natives take at best 4 (mpich) and 2 (openmpi spin). */
    private static ComparedFigures known() {
        var results = new ComparedFigures();
        var tutti = contender("tutti", Kind.TUTTI);
        for (double median : new double[]{9, 1, 0.5}) {
            results.add(ONE_NODE, tutti, new Figure(BARRIER, median, median / 2, median * 2));
        }
        results.add(ONE_NODE, tutti, new Figure(SMALL, 5, 4, 6, 9, 0.25));
        results.add(ONE_NODE, tutti, new Figure(SMALL, 7, 6, 8, 9, 0.75));
        results.add(ONE_NODE, contender("openmpi yield", Kind.NATIVE), new Figure(BARRIER, 8, 8, 8));
        var spin = contender("openmpi spin", Kind.NATIVE);
        results.add(ONE_NODE, spin, new Figure(BARRIER, 5, 5, 5));
        results.add(ONE_NODE, spin, new Figure(SMALL, 2, 2, 2));
        results.add(ONE_NODE, contender("mpich", Kind.NATIVE), new Figure(BARRIER, 4, 4, 4));
        results.add(ONE_NODE, contender("mpjexpress", Kind.JAVA), new Figure(BARRIER, 0.1, 0.1, 0.1));
        return results;
    }

    @Test
    void shouldTakeTheMedianOfTheTurnsAndTheirExtremes() {
        var results = known();
        var tutti = results.contenders(ONE_NODE).iterator().next();
        assertThat(results.figure(ONE_NODE, tutti, BARRIER)).contains(new Figure(BARRIER, 1, 0.25, 18));
        assertThat(results.figure(ONE_NODE, tutti, SMALL)).contains(new Figure(SMALL, 6, 4, 8, 0, 0.5));
    }

    @Test
    void shouldDivideByTheBestNativeAndAverageGeometrically() {
        var results = known();
        assertThat(results.ratio(ONE_NODE, "tutti", BARRIER, Kind.NATIVE)).isEqualTo(OptionalDouble.of(0.25));
        assertThat(results.ratio(ONE_NODE, "tutti", SMALL, Kind.NATIVE)).isEqualTo(OptionalDouble.of(3));
        assertThat(results.meanRatio(ONE_NODE, "tutti", Kind.NATIVE, Optional.empty()).orElseThrow())
                .isCloseTo(Math.sqrt(0.75), within(1e-12));
        assertThat(results.fastest(ONE_NODE, "openmpi", BARRIER)).contains(new Figure(BARRIER, 5, 5, 5));
        assertThat(results.families(ONE_NODE)).containsExactly("tutti", "openmpi", "mpich", "mpjexpress");
        assertThat(results.ratio(ONE_NODE, "mpjexpress", SMALL, Kind.NATIVE)).isEmpty();
    }

    @Test
    void shouldHaveNoRatiosWithoutANative() {
        var results = new ComparedFigures();
        results.add(ONE_NODE, contender("tutti", Kind.TUTTI), new Figure(SMALL, 5, 4, 6));
        assertThat(results.meanRatio(ONE_NODE, "tutti", Kind.NATIVE, Optional.empty())).isEmpty();
    }

    @Test
    void shouldDivideByWhatIsPossibleToo() {
        var results = known();
        results.add(ONE_NODE, contender("raw", Kind.RAW), new Figure(SMALL, 1.5, 1, 2));
        assertThat(results.ratio(ONE_NODE, "tutti", SMALL, Kind.RAW)).isEqualTo(OptionalDouble.of(4));
        assertThat(results.ratio(ONE_NODE, "tutti", SMALL, Kind.NATIVE)).isEqualTo(OptionalDouble.of(3));
        assertThat(results.ratio(ONE_NODE, "tutti", BARRIER, Kind.RAW)).isEmpty();
        var bytes = new ByteArrayOutputStream();
        new Report(results, Optional.empty(), 0).print(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        assertThat(bytes.toString(StandardCharsets.UTF_8).lines().map(line -> line.strip().replaceAll(" +", " ")))
                .contains("operation bytes tutti openmpi mpich mpjexpress raw tutti ÷ tutti ÷ raw rewriting",
                        "reduce 8 6.000 2.000 - - 1.500 3.000 4.000 0.500", "geometric mean 0.866 4.000");
    }

    @Test
    void shouldPrintAndWriteThem(@TempDir Path directory) throws Exception {
        var bytes = new ByteArrayOutputStream();
        var report = new Report(known(), Optional.empty(), 0);
        report.print(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        assertThat(bytes.toString(StandardCharsets.UTF_8).lines().map(line -> line.strip().replaceAll(" +", " ")))
                .contains("barrier 0 1.000 5.000 4.000 0.100 0.250 0.000", "reduce 8 6.000 2.000 - - 3.000 0.500",
                        "geometric mean 0.866");
        var csv = directory.resolve("figures.csv");
        report.writeCsv(csv);
        assertThat(Files.readAllLines(csv)).hasSize(8)
                .startsWith("contender,operation,layout,ranks,bytes,microseconds,low,high,rewriting",
                        "tutti,barrier,1x2,2,0,1.0000,0.2500,18.0000,0.0000",
                        "tutti,reduce,1x2,2,8,6.0000,4.0000,8.0000,0.5000")
                .contains("openmpi spin,reduce,1x2,2,8,2.0000,2.0000,2.0000,0.0000");
    }

    /** Tutti has two turns; of Open MPI one variant has the shortest median, the other one the shortest tail. */
    private static ComparedFigures percentiles() {
        var results = new ComparedFigures();
        var tutti = contender("tutti", Kind.TUTTI);
        for (var line : List.of("1.0,3.0,20.0,2000,0.1", "2.0,5.0,40.0,2000,0.3")) {
            Figure.ofTurn("tutti,reduce,one node,2,8," + line, true)
                    .forEach(figure -> results.add(ONE_NODE, tutti, figure));
        }
        Figure.ofTurn("peer,reduce,layout,2,8,1.0,8.0,90.0", true)
                .forEach(figure -> results.add(ONE_NODE, contender("openmpi spin", Kind.NATIVE), figure));
        Figure.ofTurn("peer,reduce,layout,2,8,3.0,2.0,60.0", true)
                .forEach(figure -> results.add(ONE_NODE, contender("openmpi yield", Kind.NATIVE), figure));
        return results;
    }

    @Test
    void shouldPrintAndWriteEachPercentile(@TempDir Path directory) throws Exception {
        var bytes = new ByteArrayOutputStream();
        var report = new Report(percentiles(), Optional.empty(), 2);
        report.print(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        assertThat(bytes.toString(StandardCharsets.UTF_8).lines().map(line -> line.strip().replaceAll(" +", " ")))
                .containsExactly("", "1x2 (nodes x ranks of each), beside 2 busy processes: microseconds a call; "
                        + "÷ is in times of the best native", "operation bytes tutti openmpi tutti ÷ rewriting",
                        "reduce p50 8 1.500 1.000 1.500 0.200", "reduce p99 8 4.000 2.000 2.000 0.200",
                        "reduce p99.9 8 30.000 60.000 0.500 0.200", "geometric mean p50 1.500",
                        "geometric mean p99 2.000",
                        "geometric mean p99.9 0.500");
        var csv = directory.resolve("figures.csv");
        report.writeCsv(csv);
        assertThat(Files.readAllLines(csv)).containsExactly(
                "contender,operation,layout,ranks,bytes,p50,p99,p999,rewriting",
                "tutti,reduce,1x2,2,8,1.5000,4.0000,30.0000,0.2000",
                "openmpi spin,reduce,1x2,2,8,1.0000,8.0000,90.0000,0.0000",
                "openmpi yield,reduce,1x2,2,8,3.0000,2.0000,60.0000,0.0000");
        var chart = directory.resolve("chart.svg");
        report.writeChart(chart);
        assertThat(Files.readString(chart)).contains("1x2 reduce p50, ", "1x2 reduce p99, ", "1x2 reduce p99.9, ");
    }

    @Test
    void shouldReadThePercentilesOfATurnAndNothingElse() {
        assertThat(Figure.ofTurn("peer,reduce,layout,2,8,2.5,3.0,7.0,17,0.5", true)).containsExactly(
                new Figure(SMALL.at(Percentile.P50), 2.5, 2.5, 2.5, 17, 0.5),
                new Figure(SMALL.at(Percentile.P99), 3, 3, 3, 17, 0.5),
                new Figure(SMALL.at(Percentile.P999), 7, 7, 7, 17, 0.5));
        assertThat(Figure.ofTurn("peer,juggle,layout,2,8,2.5,3.0,7.0,17", true)).isEmpty();
        assertThat(Figure.ofTurn("peer,reduce,layout,2,8,2.5,1.0,3.0,17", false))
                .containsExactly(new Figure(SMALL, 2.5, 1, 3, 17, 0));
    }

    @Test
    void shouldDrawALineForEachContenderInEachPanel(@TempDir Path directory) throws Exception {
        var file = directory.resolve("chart.svg");
        new Report(known(), Optional.empty(), 0).writeChart(file);
        var drawing = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile());
        assertThat(drawing.getElementsByTagName("polyline").getLength()).isEqualTo(2 * 4);
        assertThat(drawing.getElementsByTagName("circle").getLength()).isEqualTo(4 + 2);
        assertThat(Files.readString(file)).doesNotContain("NaN").doesNotContain("Infinity");
    }

    @Test
    void shouldMakeAPageWithRatiosToTheBestNative(@TempDir Path directory) throws Exception {
        var file = directory.resolve("page.html");
        var results = known();
        results.fail(ONE_NODE, "mpich has ended");
        new Report(results, Optional.empty(), 2).page(List.of("compare", "-n", "2")).write("--html", file);
        var page = new WrittenPage(file);
        var means = "All operations, geometric mean over the sizes";
        assertThat(page.titles()).containsExactly(means, "Operations of one size");
        assertThat(page.groups(means)).containsExactly("barrier", "reduce");
        assertThat(page.series(means)).containsExactly("tutti");
        assertThat(page.values(means, "tutti").getFirst()).isCloseTo(0.25, within(1e-12));
        assertThat(page.values(means, "tutti").getLast()).isCloseTo(3, within(1e-12));
        assertThat(page.series("Operations of one size")).containsExactly("tutti", "openmpi", "mpich", "mpjexpress");
        assertThat(page.rows()).hasSize(7).contains(
                List.of("openmpi spin", "reduce", "1x2", "2", "8", "2.000", "2.000", "2.000", "0.000"));
        assertThat(file).content().contains("divided by that of the fastest native MPI",
                "or a message, beside 2 busy processes.", "1x2, not measured to the end: mpich has ended.");
    }

    @Test
    void shouldMakeAPageWithRatiosToTheFirstContenderWithoutANative(@TempDir Path directory) throws Exception {
        var file = directory.resolve("page.html");
        var results = new ComparedFigures();
        results.add(ONE_NODE, contender("tutti", Kind.TUTTI), new Figure(SMALL, 5, 4, 6));
        results.add(ONE_NODE, contender("tutti virtual", Kind.TUTTI), new Figure(SMALL, 10, 9, 11));
        new Report(results, Optional.empty(), 0).page(List.of("compare")).write("--html", file);
        assertThat(new WrittenPage(file).values("reduce over bytes", "tutti virtual")).hasSize(1).first()
                .satisfies(ratio -> assertThat(ratio).isCloseTo(2, within(1e-12)));
        assertThat(file).content().contains("divided by that of tutti:");
    }

    @Test
    void shouldReadFiguresOfAContenderAndNothingElse() {
        assertThat(Figure.parse("peer,reduce,layout,2,8,2.5000,1.0000,3.0000"))
                .contains(new Figure(SMALL, 2.5, 1, 3));
        assertThat(Figure.parse("contender,operation,layout,ranks,bytes,microseconds,low,high")).isEmpty();
        assertThat(Figure.parse("peer,juggle,layout,2,8,2.5,1.0,3.0")).isEmpty();
        assertThat(Figure.parse("peer,fence-all,layout,2,8,2.5,1.0,3.0"))
                .contains(new Figure(new Cell("fence-all", 8), 2.5, 1, 3));
        assertThat(Figure.parse("peer,put-computing,layout,2,8,2.5,1.0,3.0"))
                .contains(new Figure(new Cell("put-computing", 8), 2.5, 1, 3));
        assertThat(Figure.parse("peer,put-sleeping,layout,2,8,2.5,1.0,3.0")).isEmpty();
    }

    @Test
    void shouldReadHowManyCallsATurnHadAndWhatRewritingTook() {
        assertThat(Figure.parse("peer,reduce,layout,2,8,2.5000,1.0000,3.0000,17,0.5000"))
                .contains(new Figure(SMALL, 2.5, 1, 3, 17, 0.5));
        assertThat(Figure.parse("openmpi spin,reduce,1x2,2,8,2.5000,1.0000,3.0000,0.5000")) // of tutti compare
                .contains(new Figure(SMALL, 2.5, 1, 3, 0, 0.5));
    }

    @Test
    void shouldReadLayouts() {
        assertThat(Layout.parse("4x2")).isEqualTo(new Layout(4, 2));
        assertThat(Layout.parse("4x2").ranks()).isEqualTo(8);
        assertThat(Layout.ofRanks("8")).isEqualTo(new Layout(1, 8));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "2", "2x", "0x2", "2x0", "2x2x2", "65x1", "2x1025", "99999999999x1", "-1x2"})
    void shouldRejectOtherLayouts(String text) {
        assertThatThrownBy(() -> Layout.parse(text)).isInstanceOf(UsageException.class)
                .hasMessageContaining("--nodes " + text + " is not possible");
    }
}
