/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.compare;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

import org.tutti.tool.compare.Contender.Kind;

/** Prints what a comparison has measured. */
final class Report {
    private static final String CSV_COLUMNS = "contender,operation,layout,ranks,bytes,microseconds,low,high";

    private final Results results;

    Report(Results results) {
        this.results = results;
    }

    /** Prints a table for each layout: the medians of all, and the ratios of Tutti's contenders. */
    void print(PrintStream out) {
        for (var layout : results.layouts()) {
            var families = results.families(layout);
            var own = results.contenders(layout).stream().filter(contender -> contender.kind() == Kind.TUTTI)
                    .map(Contender::name).toList();
            out.printf("%n%s (nodes x ranks of each): microseconds a call; ÷ is in times of the best native%n", layout);
            out.print("%-10s %9s".formatted("operation", "bytes"));
            families.forEach(family -> out.printf(" %15s", family));
            own.forEach(family -> out.printf(" %17s", family + " ÷"));
            out.println();
            for (var cell : results.cells(layout)) {
                out.print("%-10s %9d".formatted(cell.operation(), cell.bytes()));
                families.forEach(family -> out.print(column(15, results.fastest(layout, family, cell)
                        .map(figure -> OptionalDouble.of(figure.median())).orElse(OptionalDouble.empty()))));
                own.forEach(family -> out.print(column(17, results.ratio(layout, family, cell))));
                out.println();
            }
            out.print("%-20s".formatted("geometric mean"));
            families.forEach(family -> out.print(" ".repeat(16)));
            own.forEach(family -> out.print(column(17, results.meanRatio(layout, family))));
            out.println();
        }
    }

    private static String column(int width, OptionalDouble value) {
        String text = value.isPresent() ? String.format(Locale.ROOT, "%.3f", value.getAsDouble()) : "-";
        return " " + " ".repeat(Math.max(0, width - text.length())) + text;
    }

    /** Writes a line for each contender, variants too, and cell. */
    void writeCsv(Path file) throws IOException {
        List<String> lines = new ArrayList<>(List.of(CSV_COLUMNS));
        for (var layout : results.layouts()) {
            for (var contender : results.contenders(layout)) {
                for (var cell : results.cells(layout)) {
                    results.figure(layout, contender, cell).ifPresent(figure -> lines.add(String.format(Locale.ROOT,
                            "%s,%s,%s,%d,%d,%.4f,%.4f,%.4f", contender.name(), cell.operation(), layout, layout.ranks(),
                            cell.bytes(), figure.median(), figure.low(), figure.high())));
                }
            }
        }
        Files.write(file, lines);
    }
}
