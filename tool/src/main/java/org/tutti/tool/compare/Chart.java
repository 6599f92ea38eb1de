/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

import org.tutti.tool.compare.Figure.Cell;

/**
 * The figures as a drawing: a panel for each layout and operation, time against bytes, both logarithmic, a line for
 * each contender (of variants the fastest).
 */
final class Chart {
    private static final int WIDTH = 300;
    private static final int HEIGHT = 220;
    private static final int MARGIN = 45;
    private static final List<String> COLORS =
            List.of("#c0392b", "#e67e22", "#8e44ad", "#2471a3", "#1e8449", "#566573");

    private final Results results;
    private final StringBuilder svg = new StringBuilder();

    Chart(Results results) {
        this.results = results;
    }

    /** Writes an SVG file. */
    void write(Path file) throws IOException {
        int row = 0;
        int columns = 1;
        for (var layout : results.layouts()) {
            int column = 0;
            var operations = results.cells(layout).stream().map(Cell::operation).distinct().toList();
            for (var operation : operations) {
                panel(layout, operation, column++ * WIDTH, row * HEIGHT);
            }
            columns = Math.max(columns, operations.size());
            row++;
        }
        Files.writeString(file, """
                <svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="10">
                <rect width="100%%" height="100%%" fill="white"/>
                %s</svg>
                """.formatted(columns * WIDTH, Math.max(1, row) * HEIGHT, svg));
    }

    private void panel(Layout layout, String operation, int left, int top) {
        var cells = results.cells(layout).stream().filter(cell -> cell.operation().equals(operation)).toList();
        var families = results.families(layout);
        double most = families.stream().flatMap(family -> cells.stream()
                .flatMap(cell -> results.fastest(layout, family, cell).stream())).mapToDouble(Figure::median).max()
                .orElse(1);
        double least = families.stream().flatMap(family -> cells.stream()
                .flatMap(cell -> results.fastest(layout, family, cell).stream())).mapToDouble(Figure::median).min()
                .orElse(1);
        var x = new Axis(cells.stream().mapToLong(Cell::bytes).min().orElse(0),
                cells.stream().mapToLong(Cell::bytes).max().orElse(0), left + MARGIN, left + WIDTH - MARGIN / 2);
        var y = new Axis(least, most, top + HEIGHT - MARGIN, top + MARGIN);
        text(left + MARGIN, top + MARGIN / 3, "black", layout + " " + operation + ", µs against bytes");
        for (double value : new double[]{least, most}) {
            text(left, y.at(value), "black", String.format(Locale.ROOT, "%.3g", value));
        }
        for (long bytes : new long[]{(long) x.least, (long) x.most}) {
            text(x.at(bytes), top + HEIGHT - MARGIN * 2 / 3.0, "black", String.valueOf(bytes));
        }
        for (int i = 0; i < families.size(); i++) {
            line(layout, families.get(i), cells, x, y, COLORS.get(i % COLORS.size()));
            text(left + MARGIN + i % 3 * WIDTH / 4.0, top + HEIGHT - MARGIN / 3.0 + i / 3 * 11,
                    COLORS.get(i % COLORS.size()), families.get(i));
        }
    }

    private void line(Layout layout, String family, List<Cell> cells, Axis x, Axis y, String color) {
        var points = new StringBuilder();
        for (var cell : cells) {
            results.fastest(layout, family, cell).ifPresent(figure -> {
                String at = String.format(Locale.ROOT, "%.1f %.1f", x.at(cell.bytes()), y.at(figure.median()));
                points.append(points.isEmpty() ? "M" : "L").append(at);
                svg.append("<circle cx=\"%s\" cy=\"%s\" r=\"2.5\" fill=\"%s\"/>%n"
                        .formatted(at.split(" ")[0], at.split(" ")[1], color));
            });
        }
        svg.append("<path d=\"%s\" fill=\"none\" stroke=\"%s\"/>%n".formatted(points, color));
    }

    private void text(double x, double y, String color, String text) {
        svg.append(String.format(Locale.ROOT, "<text x=\"%.1f\" y=\"%.1f\" fill=\"%s\">%s</text>%n", x, y, color,
                text));
    }

    /** A logarithmic scale; one value lies in its middle. */
    private record Axis(double least, double most, double from, double to) {
        double at(double value) {
            double length = most > least ? Math.log(most / Math.max(1e-9, least)) : 0;
            return length == 0 ? (from + to) / 2 : from + (to - from) * Math.log(value / least) / length;
        }
    }
}
