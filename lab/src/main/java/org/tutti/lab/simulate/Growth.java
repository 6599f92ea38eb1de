/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.simulate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.tutti.Collective;
import org.tutti.lab.simulate.Measurements.Cell;
import org.tutti.simulator.Chart;
import org.tutti.simulator.Chart.Line;
import org.tutti.simulator.Chart.Point;
import org.tutti.simulator.Model;
import org.tutti.tool.Progress;
import org.tutti.tool.UsageException;

/** The figures of a file that {@code bench/growth} has written, with the model's time of the chosen algorithm. */
final class Growth {
    /** The quantity that a figure grows with. */
    private enum Against {
        PROCESSES("processes"),
        VIRTUAL("ranks as virtual threads"),
        BYTES("bytes"),
        NODES("nodes");

        private final String axis;

        Against(String axis) {
            this.axis = axis;
        }

        String label() {
            return name().toLowerCase(Locale.ROOT);
        }

        double x(Cell cell) {
            return switch (this) {
                case PROCESSES, VIRTUAL -> cell.ranks();
                case BYTES -> cell.bytes();
                case NODES -> cell.nodes();
            };
        }
    }

    /**
     * A line of the file.
     *
     * @param against the quantity that varies among the lines around this one
     * @param columns the original line
     * @param cell the measured cell, with the algorithm that Tutti chooses
     * @param memoryBytes the memory of a node
     * @param predicted the model's time in microseconds; empty if a prediction would take long
     */
    private record Row(Against against, List<String> columns, Cell cell, long memoryBytes, OptionalDouble predicted) {
        String predictedText() {
            return predicted.isPresent() ? String.format(Locale.ROOT, "%.4f", predicted.getAsDouble()) : "";
        }

        /** The name that the rows of one line in a chart share. */
        String line() {
            return against == Against.BYTES || cell.bytes() == 0 ? "" : cell.bytes() + " B, ";
        }
    }

    private static final String HEADER =
            "against,operation,layout,ranks,bytes,microseconds,low,high,model_microseconds,memory_bytes";
    private static final int COLUMNS = HEADER.split(",").length;
    private static final int PREDICTED = 8;
    private static final int MEMORY = 9;
    private static final Pattern LAYOUT = Pattern.compile("(\\d{1,4})x(\\d{1,4})");
    private static final int PREDICTED_RANKS_MAX = 256; // algorithms that look at all ranks take minutes
    private static final double MEGABYTE = 1e6;

    private final List<Row> rows = new ArrayList<>();

    /**
     * Reads a file, and predicts its figures.
     *
     * @param file the file
     * @param model the costs
     */
    Growth(Path file, Model model) {
        List<String> lines;
        try {
            lines = Files.readAllLines(file);
        } catch (IOException e) {
            throw new UsageException(file + " cannot be read (" + e + "); name a file that bench/growth has written");
        }
        if (lines.isEmpty() || !lines.get(0).equals(HEADER)) {
            throw new UsageException(file + " does not begin with \"" + HEADER
                    + "\"; name a file that bench/growth has written");
        }
        try (Progress progress = Progress.of(SimulateCommand.PREDICTING, lines.size() - 1)) {
            for (int i = 1; i < lines.size(); i++) {
                try {
                    rows.add(row(List.of(lines.get(i).split(",", -1)), model));
                } catch (IllegalArgumentException | UsageException e) {
                    throw new UsageException(file + ", line " + (i + 1) + ": " + e.getMessage());
                }
                progress.step();
            }
        }
    }

    private static Row row(List<String> columns, Model model) {
        if (columns.size() != COLUMNS) {
            throw new IllegalArgumentException("there are " + columns.size() + " columns instead of " + COLUMNS);
        }
        Against against = Stream.of(Against.values()).filter(each -> each.label().equals(columns.get(0))).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("\"" + columns.get(0)
                        + "\" is not one of processes, virtual, bytes, nodes"));
        Matcher layout = Measurements.matcher(LAYOUT, columns.get(2), "a layout, such as 4x2");
        int nodes = (int) Measurements.number(layout.group(1), 1, Shape.RANKS_MAX);
        int ranks = nodes * (int) Measurements.number(layout.group(2), 1, Shape.RANKS_MAX);
        Collective collective = Shape.collective(columns.get(1));
        long bytes = Measurements.number(columns.get(4), 0, Shape.BYTES_MAX);
        Cell cell = new Cell(collective, Shape.chosen(collective, Shape.topology(nodes, ranks / nodes), bytes), nodes,
                ranks, bytes, Measurements.micros(columns.get(5)), Measurements.micros(columns.get(6)));
        return new Row(against, columns, cell, Measurements.number(columns.get(MEMORY), 0, Long.MAX_VALUE),
                ranks > PREDICTED_RANKS_MAX ? OptionalDouble.empty()
                        : OptionalDouble.of(Comparison.predict(cell, model)));
    }

    /** {@return the lines of the file, with the model's times} */
    List<String> csv() {
        List<String> lines = new ArrayList<>(List.of(HEADER));
        for (Row row : rows) {
            List<String> columns = new ArrayList<>(row.columns());
            columns.set(PREDICTED, row.predictedText());
            lines.add(String.join(",", columns));
        }
        return lines;
    }

    /** {@return the figures as a table} */
    String markdown() {
        StringBuilder text = new StringBuilder("""
                | against | operation | nodes x ranks of each | bytes | µs | low | high | model µs \
                | memory of a node, MB |
                |---|---|---|---|---|---|---|---|---|
                """);
        for (Row row : rows) {
            List<String> columns = row.columns();
            text.append(String.format(Locale.ROOT, "| %s | %s | %s | %s | %s | %s | %s | %s | %.0f |%n",
                    columns.get(0), columns.get(1), columns.get(2), columns.get(4), columns.get(5), columns.get(6),
                    columns.get(7), row.predictedText(), row.memoryBytes() / MEGABYTE));
        }
        return text.toString();
    }

    /**
     * {@return a row of panels for each quantity that the figures grow with: a panel for each collective, and the
     * memory}
     */
    String chart() {
        Chart chart = new Chart();
        for (Against against : distinct(rows, Row::against)) {
            List<Row> ofAgainst = select(rows, Row::against, against);
            for (Collective collective : distinct(ofAgainst, row -> row.cell().collective())) {
                chart.add(collective.label() + ", µs over " + against.axis,
                        lines(select(ofAgainst, row -> row.cell().collective(), collective)));
            }
            if (against != Against.BYTES) { // over bytes, all figures have the memory of one run
                chart.add("memory of a node, MB over " + against.axis, List.of(
                        line("all processes", false, ofAgainst, row -> row.memoryBytes() / MEGABYTE)));
            }
            chart.endRow();
        }
        return chart.svg();
    }

    private static List<Line> lines(List<Row> rows) {
        List<Line> lines = new ArrayList<>();
        for (String name : distinct(rows, Row::line)) {
            List<Row> ofLine = select(rows, Row::line, name);
            lines.add(line(name + "measured", false, ofLine, row -> row.cell().micros()));
            lines.add(line(name + "model", true, ofLine.stream().filter(row -> row.predicted().isPresent()).toList(),
                    row -> row.predicted().getAsDouble()));
        }
        return lines;
    }

    private static Line line(String name, boolean dashed, List<Row> rows, ToDoubleFunction<Row> figure) {
        return new Line(name, dashed, rows.stream()
                .map(row -> new Point(row.against().x(row.cell()), figure.applyAsDouble(row))).distinct()
                .sorted(Comparator.comparingDouble(Point::x)).toList());
    }

    private static <T> List<T> distinct(List<Row> rows, Function<Row, T> part) {
        return rows.stream().map(part).distinct().toList();
    }

    private static <T> List<Row> select(List<Row> rows, Function<Row, T> part, T value) {
        return rows.stream().filter(row -> part.apply(row).equals(value)).toList();
    }
}
