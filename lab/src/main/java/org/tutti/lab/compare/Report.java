/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.compare;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.tutti.lab.compare.Contender.Kind;
import org.tutti.lab.compare.Figure.Cell;
import org.tutti.simulator.Chart;
import org.tutti.tool.OutputFiles;
import org.tutti.tool.bench.CommunicatorKind;
import org.tutti.tool.bench.FiguresPage;
import org.tutti.tool.bench.FiguresPage.Point;
import org.tutti.tool.bench.MessageOperation;
import org.tutti.tool.bench.Percentile;

/** Prints the figures of a comparison. */
final class Report {
    /** The beginning of the first line of a file of figures. */
    static final String CSV_COLUMNS = Report.CELL_COLUMNS + ",microseconds,low,high";

    /** The beginning of the first line of a file of percentiles. */
    static final String PERCENTILES_CSV_COLUMNS = Report.CELL_COLUMNS + ","
            + Stream.of(Percentile.values()).map(Percentile::column).collect(Collectors.joining(","));

    private static final String CELL_COLUMNS = "contender,operation,layout,ranks,bytes";

    private static final int OPERATION_WIDTH = 14;

    private final ComparedFigures results;

    private final Optional<LinkRate> wire;

    private final int busy;

    /**
     * @param results the figures
     * @param wire the links between the nodes, if their rate is known
     * @param busy how many busy processes ran during the comparison
     */
    Report(ComparedFigures results, Optional<LinkRate> wire, int busy) {
        this.results = results;
        this.wire = wire;
        this.busy = busy;
    }

    /**
     * Prints a table for each layout: the medians of all contenders, the ratios of Tutti's contenders, and the longest
     * time that a contender needs to rewrite its data.
     */
    void print(PrintStream out) {
        for (var layout : results.layouts()) {
            var families = results.families(layout);
            var ratios = ratios(layout);
            int width = results.cells(layout).stream().mapToInt(cell -> cell.title().length()).max().orElse(0);
            var label = "%-" + Math.max(OPERATION_WIDTH, width) + "s";
            boolean areMessages = results.cells(layout).stream()
                    .anyMatch(cell -> MessageOperation.labels().contains(cell.operation()));
            out.printf("%n%s (nodes x ranks of each%s)%s: microseconds a %s; ÷ is in times of the best native%n",
                    layout,
                    layout.communicators() == CommunicatorKind.WORLD ? "" : ", communicators",
                    BusyProcesses.phrase(busy), areMessages ? "message" : "call");
            out.print((label + " %9s").formatted("operation", "bytes"));
            families.forEach(family -> out.printf(" %15s", family));
            ratios.forEach(ratio -> out.printf(" %20s", ratio.title()));
            out.printf(" %15s%n", "rewriting");
            for (var cell : results.cells(layout)) {
                out.print((label + " %9d").formatted(cell.title(), cell.bytes()));
                families.forEach(family -> out.print(column(15, results.fastest(layout, family, cell)
                        .map(figure -> OptionalDouble.of(figure.median())).orElse(OptionalDouble.empty()))));
                ratios.forEach(
                        ratio -> out.print(column(20, results.ratio(layout, ratio.family(), cell, ratio.kind()))));
                out.println(column(15, results.longestRewriting(layout, cell)));
            }
            for (var percentile : percentiles(layout)) {
                out.print((label + " %9s").formatted(new Cell("geometric mean", 0, percentile).title(), ""));
                families.forEach(family -> out.print(" ".repeat(16)));
                ratios.forEach(ratio -> out
                        .print(column(20, results.meanRatio(layout, ratio.family(), ratio.kind(), percentile))));
                out.println();
            }
            printRates(layout, out);
            results.failures(layout).forEach(failure -> out.println("not measured to the end: " + failure));
            wire.filter(link -> layout.nodes() > 1).ifPresent(link -> printAgainst(link, layout, out));
        }
    }

    /** Prints a line for each cell whose time denotes a rate: the rates of all contenders. */
    private void printRates(Layout layout, PrintStream out) {
        for (var cell : results.cells(layout)) {
            var rates = results.families(layout).stream().flatMap(family -> results.fastest(layout, family, cell)
                    .map(figure -> MessageOperation.rate(cell.operation(), cell.bytes(), figure.median()))
                    .filter(rate -> !rate.isEmpty()).map(rate -> family + " " + rate).stream()).toList();
            if (!rates.isEmpty()) {
                out.println(cell.title() + " of " + cell.bytes() + " bytes: " + String.join(", ", rates));
            }
        }
    }

    /** The percentiles of a layout, or one empty element if the figures are means. */
    private List<Optional<Percentile>> percentiles(Layout layout) {
        var all = results.cells(layout).stream().map(Cell::percentile).distinct().toList();
        return all.isEmpty() ? List.of(Optional.empty()) : all;
    }

    /**
     * A column of ratios.
     *
     * @param family the contender in the numerator
     * @param kind the kind with its best contender in the denominator
     */
    private record Ratio(String family, Kind kind) {
        String title() {
            return family + (kind == Kind.RAW ? " ÷ raw" : " ÷");
        }
    }

    /**
     * The columns of Tutti's contenders: in relation to the native peers, and to raw transfers if those were measured.
     */
    private List<Ratio> ratios(Layout layout) {
        var kinds = results.has(layout, Kind.RAW) ? List.of(Kind.NATIVE, Kind.RAW) : List.of(Kind.NATIVE);
        return results.contenders(layout).stream().filter(contender -> contender.kind() == Kind.TUTTI)
                .flatMap(contender -> kinds.stream().map(kind -> new Ratio(contender.name(), kind))).toList();
    }

    /** Prints a Markdown table: the limit of the wire, the bytes that crossed it, and the times of the contenders. */
    private void printAgainst(LinkRate link, Layout layout, PrintStream out) {
        out.printf("%n%s against the wire%n%n", layout);
        out.println("| operation | bytes | limit µs | contender | counted bytes ÷ rate µs | time µs | time ÷ limit |");
        out.println("|---|---|---|---|---|---|---|");
        for (var cell : results.cells(layout)) {
            double limit = link.micros(LinkRate.leastBytes(cell, layout.nodes(), layout.ranksPerNode()));
            for (var contender : results.contenders(layout)) {
                results.figure(layout, contender, cell).ifPresent(figure -> {
                    var counted = results.counted(layout, contender, cell);
                    out.printf(Locale.ROOT, "| %s | %d | %.0f | %s | %s | %.0f | %s |%n", cell.operation(),
                            cell.bytes(), limit, contender.name(),
                            counted.isEmpty() ? "-" : String.format(Locale.ROOT, "%.0f", link.micros(
                                    counted.getAsDouble())),
                            figure.median(), limit == 0 ? "-"
                                    : String.format(Locale.ROOT, "%.2f", figure.median() / limit));
                });
            }
        }
    }

    private static String column(int width, OptionalDouble value) {
        String text = value.isPresent() ? String.format(Locale.ROOT, "%.3f", value.getAsDouble()) : "-";
        return " " + " ".repeat(Math.max(0, width - text.length())) + text;
    }

    /** Writes the lines of {@link #csv} to a file. */
    void writeCsv(Path file) throws IOException {
        OutputFiles.write(file, csv());
    }

    /** {@return a line for each cell and each contender, including variants} */
    private List<String> csv() {
        boolean hasPercentiles = results.layouts().stream().flatMap(layout -> results.cells(layout).stream())
                .anyMatch(cell -> cell.percentile().isPresent());
        List<String> lines = new ArrayList<>(List.of((hasPercentiles ? PERCENTILES_CSV_COLUMNS : CSV_COLUMNS)
                + ",rewriting" + (wire.isPresent() ? ",limit,counted" : "")));
        for (var layout : results.layouts()) {
            for (var contender : results.contenders(layout)) {
                for (var cell : results.cells(layout).stream().map(Cell::measured).distinct().toList()) {
                    var numbers = hasPercentiles ? percentiles(layout, contender, cell)
                            : results.figure(layout, contender, cell)
                                    .map(figure -> List.of(figure.median(), figure.low(), figure.high(),
                                            figure.rewriting()))
                                    .orElse(List.of());
                    if (!numbers.isEmpty()) {
                        lines.add(String.format(Locale.ROOT, "%s,%s,%s,%d,%d,%.4f,%.4f,%.4f,%.4f", contender.name(),
                                cell.operation(), layout, layout.ranks(), cell.bytes(), numbers.get(0), numbers.get(1),
                                numbers.get(2), numbers.get(3))
                                + wire.map(link -> againstWire(link, layout, contender, cell)).orElse(""));
                    }
                }
            }
        }
        return lines;
    }

    /**
     * {@return a page with the ratios of Tutti's contenders to the best native MPI, or of all contenders to the first
     * if there is none}
     *
     * @param arguments the command line without {@code tutti}
     */
    FiguresPage page(List<String> arguments) {
        boolean hasNative = results.layouts().stream().anyMatch(layout -> results.has(layout, Kind.NATIVE));
        var first = results.layouts().stream().flatMap(layout -> results.families(layout).stream()).findFirst();
        var points = new ArrayList<Point>();
        for (var layout : results.layouts()) {
            for (var family : results.families(layout)) {
                for (var cell : results.cells(layout)) {
                    var ratio = hasNative ? ratioToNative(layout, family, cell)
                            : ratio(layout, family, first.orElseThrow(), cell);
                    results.fastest(layout, family, cell).ifPresent(figure -> points.add(new Point(layout.toString(),
                            cell.title(), cell.bytes(), family, figure.median(), ratio)));
                }
            }
        }
        var notes = Stream.concat(
                Stream.of("Layouts are nodes x ranks of each. Times are microseconds a call, or a message"
                        + BusyProcesses.phrase(busy) + "."),
                results.layouts().stream().flatMap(layout -> results.failures(layout).stream()
                        .map(failure -> layout + ", not measured to the end: " + failure + ".")))
                .toList();
        return new FiguresPage("tutti compare", arguments,
                "that of " + (hasNative ? "the fastest native MPI" : first.orElse("none")), points,
                FiguresPage.table(csv()), notes);
    }

    private OptionalDouble ratioToNative(Layout layout, String family, Cell cell) {
        boolean isOwn = results.contenders(layout).stream()
                .anyMatch(contender -> contender.kind() == Kind.TUTTI && contender.family().equals(family));
        return isOwn ? results.ratio(layout, family, cell, Kind.NATIVE) : OptionalDouble.empty();
    }

    private OptionalDouble ratio(Layout layout, String family, String other, Cell cell) {
        var own = results.fastest(layout, family, cell);
        var divisor = results.fastest(layout, other, cell);
        return results.families(layout).size() > 1 && own.isPresent() && divisor.isPresent()
                ? OptionalDouble.of(own.get().median() / divisor.get().median())
                : OptionalDouble.empty();
    }

    /** The percentiles of a contender, and the time of rewriting; empty if it has not measured the cell. */
    private List<Double> percentiles(Layout layout, Contender contender, Cell cell) {
        var figures = Stream.of(Percentile.values())
                .flatMap(each -> results.figure(layout, contender, cell.at(each)).stream()).toList();
        return Stream.concat(figures.stream().map(Figure::median), figures.stream().limit(1).map(Figure::rewriting))
                .toList();
    }

    /**
     * Draws a panel for each layout, operation and percentile: time over bytes, a line for each contender (for
     * variants, the fastest).
     */
    void writeChart(Path file) throws IOException {
        var chart = new Chart();
        for (var layout : results.layouts()) {
            for (var title : results.cells(layout).stream().map(Cell::title).distinct().toList()) {
                chart.add(layout + " " + title + ", µs over bytes", results.families(layout).stream()
                        .map(family -> new Chart.Line(family, false, points(layout, title, family))).toList());
            }
            chart.endRow();
        }
        OutputFiles.write(file, chart.svg());
    }

    private List<Chart.Point> points(Layout layout, String title, String family) {
        return results.cells(layout).stream().filter(cell -> cell.title().equals(title))
                .sorted(Comparator.comparingLong(Cell::bytes))
                .flatMap(cell -> results.fastest(layout, family, cell).stream())
                .map(figure -> new Chart.Point(figure.cell().bytes(), figure.median())).toList();
    }

    private String againstWire(LinkRate link, Layout layout, Contender contender, Cell cell) {
        var counted = results.counted(layout, contender, cell);
        return String.format(Locale.ROOT, ",%.4f,",
                link.micros(LinkRate.leastBytes(cell, layout.nodes(), layout.ranksPerNode())))
                + (counted.isPresent() ? String.format(Locale.ROOT, "%.4f", link.micros(counted.getAsDouble())) : "");
    }
}
