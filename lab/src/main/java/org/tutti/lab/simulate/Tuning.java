/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.simulate;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;

import org.tutti.Collective;
import org.tutti.lab.simulate.Measurements.Cell;

/** Compares the chunks that a model proposes with those that a sweep found fastest. */
final class Tuning {
    /**
     * The findings for one algorithm and size.
     *
     * @param usual the cell of the algorithm with its usual chunks
     * @param proposed the cell of the chunks that the model predicts to be fastest; the shortest of equally fast ones
     * @param predicted the predicted time of that cell, in microseconds
     * @param best the cell of the chunks that were fastest in the sweep
     */
    private record Row(Cell usual, Cell proposed, double predicted, Cell best) {}

    private record Key(Collective collective, String algorithm, long bytes) {}

    /** Separates the name of an algorithm from the length of its chunks. */
    private static final char AT = '@';

    private final List<Row> rows;

    /**
     * Finds proposals and best chunks.
     *
     * @param cells the measured cells: algorithms with their usual chunks, and with others, by ascending length; an
     *            algorithm without both is left out
     * @param predict gives the model's time of a cell in microseconds
     */
    Tuning(List<Cell> cells, ToDoubleFunction<Cell> predict) {
        rows = cells.stream().collect(Collectors.groupingBy(Tuning::key, LinkedHashMap::new, Collectors.toList()))
                .values().stream().map(group -> row(group, predict))
                .filter(row -> row.usual() != null && row.best() != null)
                .toList();
    }

    private static Key key(Cell cell) {
        String name = name(cell);
        int at = name.indexOf(AT);
        return new Key(cell.collective(), at < 0 ? name : name.substring(0, at), cell.bytes());
    }

    private static String name(Cell cell) {
        return cell.algorithm().description().name();
    }

    private static Row row(List<Cell> group, ToDoubleFunction<Cell> predict) {
        Cell usual = null;
        Cell proposed = null;
        Cell best = null;
        double predicted = Double.POSITIVE_INFINITY;
        for (Cell cell : group) {
            if (name(cell).indexOf(AT) < 0) {
                usual = cell;
                continue;
            }
            double micros = predict.applyAsDouble(cell);
            if (micros < predicted) {
                proposed = cell;
                predicted = micros;
            }
            if (best == null || cell.micros() < best.micros()) {
                best = cell;
            }
        }
        return new Row(usual, proposed, predicted, best);
    }

    /** {@return a table, and the mean ratios of the proposed and of the usual chunks to the best ones; or nothing} */
    String markdown() {
        if (rows.isEmpty()) {
            return "";
        }
        StringBuilder text = new StringBuilder("""
                | operation | algorithm | bytes | proposed | predicted, µs | measured, µs | best | µs | usual, µs |
                |---|---|---:|---:|---:|---:|---:|---:|---:|
                """);
        for (Row row : rows) {
            Cell usual = row.usual();
            text.append(String.format(Locale.ROOT, "| %s | %s | %d | %s | %.2f | %.2f | %s | %.2f | %.2f |%n",
                    usual.collective().label(), name(usual), usual.bytes(), chunk(row.proposed()), row.predicted(),
                    row.proposed().micros(), chunk(row.best()), row.best().micros(), usual.micros()));
        }
        return text.append(String.format(Locale.ROOT, "%nThe proposed chunks take %.2f times as long as the best of "
                + "the sweep, the usual ones %.2f times (geometric means).%n",
                mean(Row::proposed), mean(Row::usual))).toString();
    }

    private static String chunk(Cell cell) {
        return name(cell).substring(name(cell).indexOf(AT) + 1);
    }

    private double mean(Function<Row, Cell> which) {
        DoubleStream ratios = rows.stream().mapToDouble(row -> which.apply(row).micros() / row.best().micros());
        return Math.exp(ratios.map(Math::log).average().orElseThrow());
    }
}
