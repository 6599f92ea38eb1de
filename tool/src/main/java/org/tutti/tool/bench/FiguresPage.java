/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

import org.tutti.Nullable;
import org.tutti.memory.Bytes;
import org.tutti.tool.page.BarChart;
import org.tutti.tool.page.LineChart;
import org.tutti.tool.page.Origin;
import org.tutti.tool.page.Page;
import org.tutti.tool.page.Scale;
import org.tutti.tool.page.Series;
import org.tutti.tool.page.Table;

/** A page with the figures of a benchmark or a prediction: the ratios, then the times, then a table of all figures. */
public final class FiguresPage {
    private static final double LEAST_MICROS = 1e-4; // files have four digits after the point
    private static final Pattern NUMBER = Pattern.compile("\\d+(\\.\\d+)?");

    /**
     * The time of a contender.
     *
     * @param layout the nodes and ranks
     * @param operation the operation, with the percentile if there is one
     * @param bytes the size of a message, 0 if the operation has none
     * @param contender the name of the contender
     * @param micros the time in microseconds
     * @param ratio the time in times of the baseline, if the page has that ratio
     */
    public record Point(String layout, String operation, long bytes, String contender, double micros,
            OptionalDouble ratio) {
        /** Leaves out a ratio of a time that was too short to be measured. */
        public Point {
            ratio = ratio.isPresent() && ratio.getAsDouble() > 0 && Double.isFinite(ratio.getAsDouble()) ? ratio
                    : OptionalDouble.empty();
        }
    }

    private final String title;
    private final List<String> arguments;
    private final String baseline;
    private final List<Point> points;
    private final Table table;
    private final List<String> notes;

    /**
     * @param title the title of the page
     * @param arguments the command line without {@code tutti}
     * @param baseline the divisor of the ratios, such as {@code that of tutti}
     * @param points the times
     * @param table all figures
     * @param notes sentences before the table
     */
    public FiguresPage(String title, List<String> arguments, String baseline, List<Point> points, Table table,
            List<String> notes) {
        this.title = title;
        this.arguments = List.copyOf(arguments);
        this.baseline = baseline;
        this.points = List.copyOf(points);
        this.table = table;
        this.notes = List.copyOf(notes);
    }

    /** {@return a table with all columns of a CSV file, whose first line has their names} */
    public static Table table(List<String> csv) {
        var table = new Table("", List.of(csv.getFirst().split(",", -1)));
        csv.stream().skip(1)
                .forEach(line -> table.row(Stream.of(line.split(",", -1)).map(FiguresPage::cell).toArray()));
        return table;
    }

    private static @Nullable Object cell(String text) {
        return text.isEmpty() ? null : !NUMBER.matcher(text).matches() ? text
                : text.contains(".") ? (Object) Double.valueOf(text) : (Object) Long.valueOf(text);
    }

    /**
     * Writes the page.
     *
     * @param option the option of the command line that names the file
     * @param file the file
     */
    public void write(String option, Path file) {
        var page = new Page(title);
        Origin.addTo(page, arguments);
        boolean hasRatios = points.stream().anyMatch(point -> point.ratio().isPresent());
        if (hasRatios) {
            page.heading("Ratios").paragraph("A bar is the time of a contender divided by " + baseline
                    + ": a contender below 1 takes less time.").legend();
            layouts().forEach(layout -> addRatios(page, layout));
        }
        page.heading("Times");
        if (!hasRatios) {
            page.legend();
        }
        layouts().forEach(layout -> addTimes(page, layout));
        page.heading("All figures");
        notes.forEach(page::paragraph);
        page.table(table).write(option, file);
    }

    private Set<String> layouts() {
        return points.stream().map(Point::layout).collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** A chart with the means of all operations, and a chart over the sizes of each. */
    private void addRatios(Page page, String layout) {
        var rated = points.stream().filter(point -> point.layout().equals(layout) && point.ratio().isPresent())
                .toList();
        var operations = distinct(rated, Point::operation);
        if (operations.isEmpty()) {
            return;
        }
        page.subheading(layout);
        if (operations.size() > 1) {
            page.figure(BarChart.ofRatios(rated.stream().allMatch(point -> point.bytes() == 0) ? "All operations"
                    : "All operations, geometric mean over the sizes", operations,
                    series(rated, operations, Point::operation, FiguresPage::meanRatio), true));
        }
        for (var operation : operations) {
            var own = rated.stream().filter(point -> point.operation().equals(operation)).toList();
            var sizes = sizes(own);
            if (sizes.size() > 1 || operations.size() == 1) {
                page.figure(BarChart.ofRatios(operation + (sizes.equals(List.of(0L)) ? "" : " over bytes"),
                        sizes.stream().map(Bytes::option).toList(),
                        series(own, sizes, Point::bytes, FiguresPage::meanRatio), operations.size() == 1));
            }
        }
    }

    /** A chart over the sizes of each operation, and a chart of the operations with one size. */
    private void addTimes(Page page, String layout) {
        var all = points.stream().filter(point -> point.layout().equals(layout)).toList();
        page.subheading(layout);
        var single = new ArrayList<Point>();
        for (var operation : distinct(all, Point::operation)) {
            var own = all.stream().filter(point -> point.operation().equals(operation)).toList();
            var sizes = sizes(own);
            if (sizes.size() == 1) {
                single.addAll(own);
            } else {
                page.figure(new LineChart(operation + ", µs over bytes", "bytes", Scale.LOGARITHMIC,
                        sizes.stream().map(Long::doubleValue).toList(), "µs", Scale.LOGARITHMIC,
                        series(own, sizes, Point::bytes, FiguresPage::time)));
            }
        }
        if (!single.isEmpty()) {
            var operations = distinct(single, Point::operation);
            page.figure(new BarChart("Operations of one size", "µs", Scale.LINEAR, operations,
                    series(single, operations, Point::operation, FiguresPage::time), operations.size() > 3));
        }
    }

    private static List<String> distinct(List<Point> points, Function<Point, String> name) {
        return points.stream().map(name).distinct().toList();
    }

    private static List<Long> sizes(List<Point> points) {
        return List.copyOf(points.stream().map(Point::bytes).collect(Collectors.toCollection(TreeSet::new)));
    }

    /** A series for each contender, with a figure of its points in each group. */
    private static <G> List<Series> series(List<Point> points, List<G> groups, Function<Point, G> group,
            ToDoubleFunction<List<Point>> figure) {
        return distinct(points, Point::contender).stream().map(contender -> {
            var figures = new ArrayList<@Nullable Double>();
            for (var each : groups) {
                var own = points.stream()
                        .filter(point -> point.contender().equals(contender) && group.apply(point).equals(each))
                        .toList();
                figures.add(own.isEmpty() ? null : (Double) figure.applyAsDouble(own));
            }
            return new Series(contender, figures);
        }).toList();
    }

    private static double meanRatio(List<Point> points) {
        return geometricMean(points.stream().mapToDouble(point -> point.ratio().orElseThrow()));
    }

    private static double time(List<Point> points) {
        return geometricMean(points.stream().mapToDouble(point -> Math.max(LEAST_MICROS, point.micros())));
    }

    private static double geometricMean(DoubleStream values) {
        return Math.exp(values.map(Math::log).average().orElseThrow());
    }
}
