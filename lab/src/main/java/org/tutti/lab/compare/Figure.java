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
import org.tutti.tool.bench.MessageOperation;
import org.tutti.tool.bench.OneSidedCell;
import org.tutti.tool.bench.Percentile;

/**
 * The time of a contender for a cell, in microseconds a call: the mean of a turn, or a percentile of its calls.
 *
 * @param cell the operation and its size
 * @param median the median of the turns
 * @param low the lowest value
 * @param high the highest value
 * @param calls how many calls a turn had, 0 if unknown
 * @param rewriting the time of rewriting the data before a call, which is not part of the other times
 */
record Figure(Cell cell, double median, double low, double high, long calls, double rewriting) {
    private static final Set<String> OPERATIONS = Stream
            .of(CollectiveOperation.labels(), OneSidedCell.labels(), MessageOperation.labels()).flatMap(List::stream)
            .collect(Collectors.toUnmodifiableSet());
    private static final Pattern LINE = Pattern.compile(
            "[^,]+,([a-z-]+),[^,]*,\\d+,(\\d+),([\\d.]+),([\\d.]+),([\\d.]+)(?:,(\\d+))?(?:,([\\d.]+))?");

    private static final int FIRST_NUMBER = 3;
    private static final int CALLS = 6;
    private static final int REWRITING = 7;

    /** A figure of a turn with an unknown number of calls and without rewriting. */
    Figure(Cell cell, double median, double low, double high) {
        this(cell, median, low, high, 0, 0);
    }

    /**
     * The subject of a measurement.
     *
     * @param operation the collective, the way to make a group, the one-sided operation, or the message operation
     * @param bytes the size of its message, 0 if it has none
     * @param percentile the percentile of a figure, if calls are timed one by one
     */
    record Cell(String operation, long bytes, Optional<Percentile> percentile) {
        /** A cell with the mean of its calls. */
        Cell(String operation, long bytes) {
            this(operation, bytes, Optional.empty());
        }

        /** {@return the same cell with this percentile of its calls} */
        Cell at(Percentile other) {
            return new Cell(operation, bytes, Optional.of(other));
        }

        /** {@return the same cell with the mean of its calls} */
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

    /** {@return the figures in a line of a contender's turn: a mean, or all percentiles; empty if the line has none} */
    static List<Figure> ofTurn(String line, boolean percentiles) {
        return percentiles
                ? parsed(line)
                        .map(parts -> Stream.of(Percentile.values()).map(each -> ofPercentile(each, parts)).toList())
                        .orElse(List.of())
                : parse(line).stream().toList();
    }

    /** Reads a percentile: the percentiles are in the columns of the mean and its extremes. */
    private static Figure ofPercentile(Percentile percentile, MatchResult parts) {
        double micros = Double.parseDouble(parts.group(FIRST_NUMBER + percentile.ordinal()));
        return new Figure(cell(parts).at(percentile), micros, micros, micros, calls(parts), rewriting(parts));
    }

    /** {@return the figure in a line of a contender's output, if the line has one} */
    static Optional<Figure> parse(String line) {
        return parsed(line).map(parts -> new Figure(cell(parts), Double.parseDouble(parts.group(FIRST_NUMBER)),
                Double.parseDouble(parts.group(FIRST_NUMBER + 1)), Double.parseDouble(parts.group(FIRST_NUMBER + 2)),
                calls(parts), rewriting(parts)));
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

    private static double rewriting(MatchResult parts) {
        return parts.group(REWRITING) == null ? 0 : Double.parseDouble(parts.group(REWRITING));
    }

    /** {@return the median of the medians of several turns, with the lowest and the highest of all values} */
    static Figure ofTurns(List<Figure> turns) {
        return new Figure(turns.getFirst().cell, median(turns.stream().mapToDouble(Figure::median)),
                turns.stream().mapToDouble(Figure::low).min().orElseThrow(),
                turns.stream().mapToDouble(Figure::high).max().orElseThrow(), 0,
                median(turns.stream().mapToDouble(Figure::rewriting)));
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
