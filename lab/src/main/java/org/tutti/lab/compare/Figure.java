/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.compare;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

import org.tutti.tool.bench.CollectiveOperation;
import org.tutti.tool.bench.OneSidedCell;
import org.tutti.tool.bench.Percentile;

/**
 * What a contender took for a cell, in microseconds a call: the mean of a turn, or a percentile of its calls.
 *
 * @param cell the operation and its size
 * @param median of the turns
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

    private static final int FIRST_NUMBER = 3;
    private static final int CALLS = 6;

    /** A figure of a turn whose calls are not known, or of several turns. */
    Figure(Cell cell, double median, double low, double high) {
        this(cell, median, low, high, 0);
    }

    /**
     * What is measured.
     *
     * @param operation the collective, the way to make a group, or the one-sided operation
     * @param bytes of its message, 0 if it has none
     * @param percentile which one is told, if calls are timed one by one
     */
    record Cell(String operation, long bytes, Optional<Percentile> percentile) {
        /** A cell of calls whose mean is told. */
        Cell(String operation, long bytes) {
            this(operation, bytes, Optional.empty());
        }

        /** {@return the same with this percentile of its calls} */
        Cell at(Percentile other) {
            return new Cell(operation, bytes, Optional.of(other));
        }

        /** {@return the same, whatever is told of its calls} */
        Cell measured() {
            return new Cell(operation, bytes);
        }

        /** {@return the operation, and the percentile if there is one} */
        String title() {
            return operation + percentile.map(each -> " " + each.label()).orElse("");
        }

        @Override
        public String toString() {
            return bytes == 0 ? operation : operation + " of " + bytes + " bytes";
        }
    }

    /** {@return the figures in a line of a contender's turn: one, or one of each percentile; none in another line} */
    static List<Figure> ofTurn(String line, boolean percentiles) {
        return percentiles
                ? parsed(line)
                        .map(parts -> Stream.of(Percentile.values()).map(each -> ofPercentile(each, parts)).toList())
                        .orElse(List.of())
                : parse(line).stream().toList();
    }

    /** The percentiles are in the columns of the mean and its extremes. */
    private static Figure ofPercentile(Percentile percentile, MatchResult parts) {
        double micros = Double.parseDouble(parts.group(FIRST_NUMBER + percentile.ordinal()));
        return new Figure(cell(parts).at(percentile), micros, micros, micros, calls(parts));
    }

    /** {@return the figure in a line of a contender's output, if it is one} */
    static Optional<Figure> parse(String line) {
        return parsed(line).map(parts -> new Figure(cell(parts), Double.parseDouble(parts.group(FIRST_NUMBER)),
                Double.parseDouble(parts.group(FIRST_NUMBER + 1)), Double.parseDouble(parts.group(FIRST_NUMBER + 2)),
                calls(parts)));
    }

    private static Optional<MatchResult> parsed(String line) {
        var parts = LINE.matcher(line.strip());
        return parts.matches() && OPERATIONS.contains(parts.group(1)) ? Optional.of(parts) : Optional.empty();
    }

    private static Cell cell(MatchResult parts) {
        return new Cell(parts.group(1), Long.parseLong(parts.group(2)));
    }

    private static long calls(MatchResult parts) {
        return parts.group(CALLS) == null ? 0 : Long.parseLong(parts.group(CALLS));
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
