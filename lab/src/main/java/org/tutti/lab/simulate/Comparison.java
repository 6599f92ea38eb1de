/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.simulate;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;

import org.tutti.Topology;
import org.tutti.lab.simulate.Measurements.Cell;
import org.tutti.simulator.Model;
import org.tutti.simulator.Prediction;
import org.tutti.tool.Progress;
import org.tutti.tool.UsageException;

/**
 * Compares predictions with measurements. It takes the shortest repeat of each measurement, because a model knows of no
 * disturbance, and because the model's own figures are the lowest of several.
 */
final class Comparison {
    /** How many calls to predict together: benchmarks measure calls that follow each other, and may overlap. */
    private static final int CALLS = 20;

    private static final double FACTOR = 2;
    private static final int PERCENT = 100;

    private record Row(Cell cell, double predicted) {
        double ratio() {
            return predicted / cell.lowest();
        }

        boolean isClose() {
            return ratio() <= FACTOR && ratio() >= 1 / FACTOR;
        }
    }

    private final Model model;
    private final List<Row> rows = new ArrayList<>();

    /**
     * Predicts everything that was measured.
     *
     * @param cells the measured cells
     * @param model the costs
     */
    Comparison(List<Cell> cells, Model model) {
        this.model = model;
        try (Progress progress = Progress.of(SimulateCommand.PREDICTING, cells.size())) {
            for (Cell cell : cells) {
                rows.add(new Row(cell, predict(cell, model)));
                progress.step();
            }
        }
    }

    /**
     * Predicts the figure of a benchmark: the mean of calls that follow each other.
     *
     * @param cell the measured cell
     * @param model the costs
     * @return microseconds
     */
    static double predict(Cell cell, Model model) {
        Topology topology = Shape.topology(cell.nodes(), cell.ranksPerNode());
        try {
            return Prediction.ofMean(cell.algorithm(), topology, cell.bytes(), 0, model, CALLS)
                    .micros();
        } catch (IllegalArgumentException e) {
            throw new UsageException(e.getMessage());
        }
    }

    /** {@return a table, and how many predictions are close to the measurement} */
    String markdown() {
        StringBuilder text = new StringBuilder("""
                | operation | algorithm | layout | ranks | bytes | lowest measured, µs | predicted, µs | ratio |
                |---|---|---|---:|---:|---:|---:|---:|
                """);
        for (Row row : rows) {
            Cell cell = row.cell();
            text.append(String.format(Locale.ROOT, "| %s | %s | %s | %d | %d | %.2f | %.2f | %.2f |%n",
                    cell.collective().label(), cell.algorithm().description().name(),
                    cell.nodes() == 1 ? "one node" : cell.nodes() + " nodes", cell.ranks(), cell.bytes(),
                    cell.lowest(), row.predicted(), row.ratio()));
        }
        return text.append('\n').append(share("no more ranks than cores", this::hasCoreForEach)).append('\n')
                .append(share("more ranks than cores", row -> !hasCoreForEach(row))).append('\n').toString();
    }

    private boolean hasCoreForEach(Row row) {
        return (long) row.cell().ranksPerNode() * Math.min(row.cell().nodes(), model.nodesPerHost()) <= model.cores();
    }

    private String share(String what, Predicate<Row> selected) {
        long all = rows.stream().filter(selected).count();
        long close = rows.stream().filter(selected).filter(Row::isClose).count();
        return all == 0
                ? "There are no cells with " + what + "."
                : String.format(Locale.ROOT,
                        "With %s, %d of %d cells (%d %%) are predicted within a factor of %.0f.", what, close, all,
                        PERCENT * close / all, FACTOR);
    }
}
