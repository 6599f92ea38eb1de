/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Stream;

import org.tutti.lab.compare.Contender.Kind;
import org.tutti.lab.compare.Figure.Cell;
import org.tutti.simulator.Chart;
import org.tutti.simulator.Chart.Line;
import org.tutti.simulator.Chart.Point;
import org.tutti.tool.UsageException;
import org.tutti.tool.bench.BenchCommand;
import org.tutti.tool.bench.OneSidedCell;

/**
 * The figures that {@code tutti compare --one-sided} has written to a file, as tables and charts like those of
 * Nieplocha, Tipparaju, Saify and Panda, "Protocols and Strategies for Optimizing Performance of Remote Memory
 * Operations on Clusters" (2002): Table 2, and Figures 6 to 12.
 */
public final class OneSidedFigures {
    private static final List<Cell> LATENCIES = List.of(new Cell("get", 8), new Cell("lock", 0), new Cell("unlock", 0),
            new Cell("fetch-add", 8));
    private static final String OWN = "tutti";
    private static final List<String> PROTOCOLS =
            BenchCommand.protocols().stream().map(name -> OWN + " " + name).toList();
    private static final String FENCE_EACH = "fence-each";
    private static final String FENCE_ALL = "fence-all";
    private static final String EVERYONE = "-everyone";
    private static final int FENCE_BYTES = 8;

    private final ComparedFigures results = new ComparedFigures();

    /**
     * Whether {@code tutti compare --csv} has written a file.
     *
     * @param file the file
     * @return whether its first line can be read and has the right columns
     */
    public static boolean areIn(Path file) {
        try (var reader = Files.newBufferedReader(file)) {
            var columns = reader.readLine();
            return columns != null && columns.startsWith(Report.CSV_COLUMNS);
        } catch (IOException e) {
            return false; // the next reader reports the fault
        }
    }

    /**
     * Reads figures.
     *
     * @param file a file with the right first line
     * @throws IOException if it cannot be read
     * @throws UsageException if a line is no figure of a one-sided operation
     */
    public OneSidedFigures(Path file) throws IOException {
        var lines = Files.readAllLines(file);
        for (int i = 1; i < lines.size(); i++) {
            String[] columns = lines.get(i).split(",");
            var figure = Figure.parse(lines.get(i))
                    .filter(each -> OneSidedCell.labels().contains(each.cell().operation()));
            if (figure.isEmpty()) {
                throw new UsageException(file + ", line " + (i + 1) + ": \"" + lines.get(i)
                        + "\" is no figure of a one-sided operation; name a file of tutti compare --one-sided --csv");
            }
            results.add(Layout.parse(columns[2]), contender(columns[0]), figure.get());
        }
    }

    private static Contender contender(String name) {
        var kind = name.startsWith(OWN) ? Kind.TUTTI : name.equals("raw") ? Kind.RAW : Kind.NATIVE;
        return new Contender(name, kind, 0, layout -> true, (layout, loop, gates) -> List.of());
    }

    // ---- tables

    /** {@return the latencies of the paper's Table 2, and then all figures of each layout} */
    public String markdown() {
        var text = new StringBuilder();
        addLatencies(text);
        results.layouts().forEach(layout -> addAll(text, layout));
        return text.toString();
    }

    private void addLatencies(StringBuilder text) {
        var columns = results.layouts().stream().filter(layout -> layout.ranks() == 2)
                .flatMap(layout -> results.families(layout).stream().map(family -> new Column(layout, family)))
                .toList();
        addRow(text, Stream.concat(Stream.of("µs"), columns.stream().map(Column::title)));
        addRow(text, Stream.concat(Stream.of("---"), columns.stream().map(column -> "---:")));
        for (var cell : LATENCIES) {
            addRow(text, Stream.concat(Stream.of(cell.operation()), columns.stream()
                    .map(column -> number(micros(column.layout(), column.family(), cell)))));
        }
    }

    /** A contender in a layout. */
    private record Column(Layout layout, String family) {
        String title() {
            return layout + ": " + family;
        }
    }

    private void addAll(StringBuilder text, Layout layout) {
        var families = results.families(layout);
        var own = families.stream().filter(family -> family.startsWith(OWN)).toList();
        text.append("%n%s, µs%n%n".formatted(layout));
        addRow(text,
                Stream.of(Stream.of("operation", "bytes"), families.stream(), own.stream().map(name -> name + " ÷"))
                        .flatMap(each -> each));
        addRow(text, Stream.concat(Stream.of("---"), Stream.generate(() -> "---:")
                .limit(1 + families.size() + own.size())));
        for (var cell : results.cells(layout)) {
            addRow(text, Stream.of(Stream.of(cell.operation(), String.valueOf(cell.bytes())),
                    families.stream().map(family -> number(micros(layout, family, cell))),
                    own.stream().map(family -> ratio(results.ratio(layout, family, cell, Kind.NATIVE))))
                    .flatMap(each -> each));
        }
        addRow(text, Stream.of(Stream.of("geometric mean", ""), families.stream().map(family -> ""),
                own.stream().map(family -> ratio(results.meanRatio(layout, family, Kind.NATIVE, Optional.empty()))))
                .flatMap(each -> each));
    }

    private static void addRow(StringBuilder text, Stream<String> columns) {
        text.append("| ").append(String.join(" | ", columns.toList())).append(" |\n");
    }

    /** A number with three significant digits. */
    private static String number(OptionalDouble value) {
        if (value.isEmpty()) {
            return "–";
        }
        double number = value.getAsDouble();
        return String.format(Locale.ROOT, number < 10 ? "%.3f" : number < 100 ? "%.1f" : "%,.0f", number);
    }

    private static String ratio(OptionalDouble value) {
        return value.isEmpty() ? "–"
                : String.format(Locale.ROOT, value.getAsDouble() > 1 ? "**%.2f**" : "%.2f", value.getAsDouble());
    }

    private OptionalDouble micros(Layout layout, String family, Cell cell) {
        return results.fastest(layout, family, cell).map(figure -> OptionalDouble.of(figure.median()))
                .orElse(OptionalDouble.empty());
    }

    // ---- charts

    /**
     * {@return a drawing of all figures}
     *
     * <p>A row for each layout has a panel for each operation with several sizes: the rate over the bytes, with a line
     * for each contender (Figures 8 to 11). If protocols were measured, a second row for the layout has a line for each
     * protocol (Figures 6 and 7). The last row shows how much faster one fence for all ranks is than one fence for
     * each, over the number of ranks (Figure 12).
     */
    public String chart() {
        var chart = new Chart();
        for (var layout : results.layouts()) {
            var families = results.families(layout);
            addRates(chart, layout, "", families.stream().filter(family -> !PROTOCOLS.contains(family)).toList());
            if (families.stream().anyMatch(PROTOCOLS::contains)) {
                addRates(chart, layout, " by protocol", families.stream()
                        .filter(family -> family.equals(OWN) || PROTOCOLS.contains(family)).toList());
            }
        }
        addGains(chart);
        return chart.svg();
    }

    private void addRates(Chart chart, Layout layout, String title, List<String> families) {
        for (var operation : results.cells(layout).stream().map(Cell::operation).distinct().toList()) {
            if (results.cells(layout).stream().filter(cell -> cell.operation().equals(operation)).count() > 1) {
                chart.add(layout + " " + operation + title + ", MB/s over bytes", families.stream()
                        .map(family -> new Line(family, false, rates(layout, operation, family)))
                        .filter(line -> !line.points().isEmpty()).toList());
            }
        }
        chart.endRow();
    }

    private void addGains(Chart chart) {
        List<Line> gains = new ArrayList<>();
        for (var family : results.layouts().stream().flatMap(layout -> results.families(layout).stream()).distinct()
                .toList()) {
            gains.add(new Line(family + ", one rank calls", false, gains(family, "")));
            gains.add(new Line(family + ", all call", true, gains(family, EVERYONE)));
        }
        gains.removeIf(line -> line.points().isEmpty());
        if (!gains.isEmpty()) {
            chart.add("fence-each ÷ fence-all over ranks asked", gains);
        }
    }

    /** The rates of a contender in bytes a microsecond, which are megabytes a second. */
    private List<Point> rates(Layout layout, String operation, String family) {
        return results.cells(layout).stream().filter(cell -> cell.operation().equals(operation))
                .sorted(Comparator.comparingLong(Cell::bytes))
                .flatMap(cell -> results.fastest(layout, family, cell).stream())
                .map(figure -> new Point(figure.cell().bytes(), figure.cell().bytes() / figure.median())).toList();
    }

    private List<Point> gains(String family, String callers) {
        return results.layouts().stream().sorted(Comparator.comparingInt(Layout::ranks))
                .filter(layout -> layout.ranksPerNode() == 1)
                .flatMap(layout -> gain(layout, family, callers).stream()).toList();
    }

    private Optional<Point> gain(Layout layout, String family, String callers) {
        var each = micros(layout, family, new Cell(FENCE_EACH + callers, FENCE_BYTES));
        var all = micros(layout, family, new Cell(FENCE_ALL + callers, FENCE_BYTES));
        return each.isEmpty() || all.isEmpty() ? Optional.empty()
                : Optional.of(new Point(layout.ranks() - 1, each.getAsDouble() / all.getAsDouble()));
    }
}
