/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.compare;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

import org.tutti.tool.bench.CollectiveOperation;
import org.tutti.tool.bench.OneSidedCell;

/**
 * What a contender took for a cell, in microseconds a call.
 *
 * @param cell the operation and its size
 * @param median of the repeats
 * @param low the lowest
 * @param high the highest
 * @param calls how many calls a turn had, 0 if unknown
 */
record Figure(Cell cell, double median, double low, double high, long calls) {
    private static final Set<String> OPERATIONS = Stream.concat(
            CollectiveOperation.labels().stream(), OneSidedCell.labels().stream())
            .collect(Collectors.toUnmodifiableSet());
    private static final Pattern LINE = Pattern.compile(
            "[^,]+,([a-z-]+),[^,]*,\\d+,(\\d+),([\\d.]+),([\\d.]+),([\\d.]+)(?:,(\\d+))?");

    /** A figure of a turn whose calls are not known, or of several turns. */
    Figure(Cell cell, double median, double low, double high) {
        this(cell, median, low, high, 0);
    }

    /**
     * What is measured.
     *
     * @param operation the collective, the way to make a group, or the one-sided operation
     * @param bytes of its message, 0 if it has none
     */
    record Cell(String operation, long bytes) {
        @Override
        public String toString() {
            return bytes == 0 ? operation : operation + " of " + bytes + " bytes";
        }
    }

    /** {@return the figure in a line of a contender's output, if it is one} */
    static Optional<Figure> parse(String line) {
        var parts = LINE.matcher(line.strip());
        return parts.matches() && OPERATIONS.contains(parts.group(1))
                ? Optional.of(new Figure(new Cell(parts.group(1), Long.parseLong(parts.group(2))),
                        Double.parseDouble(parts.group(3)), Double.parseDouble(parts.group(4)),
                        Double.parseDouble(parts.group(5)),
                        parts.group(6) == null ? 0 : Long.parseLong(parts.group(6))))
                : Optional.empty();
    }

    /** {@return the median of the medians of several turns, with the lowest and the highest of all} */
    static Figure ofTurns(List<Figure> turns) {
        return new Figure(turns.getFirst().cell, median(turns.stream().mapToDouble(Figure::median)),
                turns.stream().mapToDouble(Figure::low).min().orElseThrow(),
                turns.stream().mapToDouble(Figure::high).max().orElseThrow());
    }

    static double median(DoubleStream values) {
        double[] sorted = values.toArray();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /** {@return the geometric mean of ratios} */
    static double geometricMean(DoubleStream ratios) {
        return Math.exp(ratios.map(Math::log).average().orElseThrow());
    }
}
