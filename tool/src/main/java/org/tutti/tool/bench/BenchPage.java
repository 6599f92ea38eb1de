/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.Collectors;

import org.tutti.tool.bench.FiguresPage.Point;

/** The page of {@code tutti bench}, made from the file of figures. The first contender of the file is the baseline. */
final class BenchPage {
    private static final int CONTENDER = 0;
    private static final int OPERATION = 1;
    private static final int LAYOUT = 2;
    private static final int RANKS = 3;
    private static final int BYTES = 4;
    private static final int FIGURES = 5;

    private BenchPage() {}

    /**
     * {@return the page}
     *
     * @param csv the lines of the file
     * @param arguments the command line without {@code tutti}
     */
    static FiguresPage of(List<String> csv, List<String> arguments) {
        var rows = csv.stream().skip(1).map(line -> line.split(",", -1)).toList();
        var baseline = rows.getFirst()[CONTENDER];
        var ofOthers = rows.stream().filter(row -> !row[CONTENDER].equals(baseline))
                .map(row -> row[OPERATION] + " " + row[BYTES]).collect(Collectors.toSet());
        boolean hasPercentiles = csv.getFirst().startsWith(BenchCommand.PERCENTILES_CSV_COLUMNS);
        Map<String, Double> ofBaseline = new HashMap<>();
        List<Point> points = new ArrayList<>();
        for (var row : rows) {
            for (int figure = 0; figure < (hasPercentiles ? Percentile.values().length : 1); figure++) {
                var operation = row[OPERATION] + (hasPercentiles ? " " + Percentile.values()[figure].label() : "");
                var micros = Double.parseDouble(row[FIGURES + figure]);
                var cell = operation + " " + row[BYTES];
                if (row[CONTENDER].equals(baseline)) {
                    ofBaseline.put(cell, micros);
                }
                var divisor = ofBaseline.get(cell);
                points.add(new Point(row[RANKS] + " ranks, " + row[LAYOUT], operation, Long.parseLong(row[BYTES]),
                        row[CONTENDER], micros,
                        divisor != null && ofOthers.contains(row[OPERATION] + " " + row[BYTES])
                                ? OptionalDouble.of(micros / divisor)
                                : OptionalDouble.empty()));
            }
        }
        return new FiguresPage("tutti bench", arguments, "that of " + baseline, points, FiguresPage.table(csv),
                List.of("Times are microseconds a "
                        + (MessageOperation.labels().contains(rows.getFirst()[OPERATION]) ? "message." : "call.")));
    }
}
