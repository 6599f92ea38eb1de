/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.simulate;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

import org.tutti.Collective;
import org.tutti.Nullable;
import org.tutti.choice.Catalogue;
import org.tutti.simulator.Chart;
import org.tutti.simulator.Chart.Line;
import org.tutti.simulator.Chart.Point;
import org.tutti.simulator.Model;
import org.tutti.simulator.Prediction;
import org.tutti.tool.bench.FiguresPage;
import org.tutti.tool.page.LineChart;
import org.tutti.tool.page.Origin;
import org.tutti.tool.page.Page;
import org.tutti.tool.page.Scale;
import org.tutti.tool.page.Series;

/** The predicted figures of a paper's experiments: a CSV file, and a chart with a panel for each experiment. */
final class PaperFigures {
    /**
     * An algorithm in an experiment.
     *
     * @param name the name in the chart
     * @param algorithm the name of the algorithm, as in {@link Catalogue#find}
     * @param isFlat whether each rank counts as a node, so that ranks of one host send each other messages, too
     * @param rails the number of rails that are used, at most those of the model
     * @param isDashed whether its line is dashed, in the colour of the contender before it
     */
    record Contender(String name, String algorithm, boolean isFlat, int rails, boolean isDashed) {
        /** Returns a contender that knows nodes. */
        static Contender ofNodes(String name, String algorithm) {
            return new Contender(name, algorithm, false, 1, false);
        }

        /** Returns a contender in which each rank counts as a node. */
        static Contender ofRanks(String name, String algorithm) {
            return new Contender(name, algorithm, true, 1, false);
        }

        Contender over(int count) {
            return new Contender(name, algorithm, isFlat, count, isDashed);
        }

        Contender dashed() {
            return new Contender(name, algorithm, isFlat, rails, true);
        }
    }

    /**
     * The hosts of an experiment.
     *
     * @param hosts their number
     * @param ranks the number of ranks of each
     */
    record Layout(int hosts, int ranks) {
        /** Returns the layout of a number of ranks, on as few hosts as possible. */
        static Layout of(int all, int ranksPerHost) {
            return new Layout(Math.ceilDiv(all, ranksPerHost), Math.min(all, ranksPerHost));
        }

        int size() {
            return hosts * ranks;
        }
    }

    private record Cell(Collective collective, Contender contender, Layout layout, long bytes) {}

    private static final int PERCENT = 100;

    private final Model model;
    private final Runnable afterEach;
    private final Map<Cell, Double> micros = new LinkedHashMap<>();
    private final Chart chart = new Chart();
    private final List<LineChart> panels = new ArrayList<>();

    /**
     * @param model the costs
     * @param afterEach runs after each prediction
     */
    PaperFigures(Model model, Runnable afterEach) {
        this.model = model;
        this.afterEach = afterEach;
    }

    /** Adds a panel with the times of contenders over the length of a message. */
    void overBytes(Collective collective, Layout layout, List<Long> sizes, List<Contender> contenders) {
        add(collective.label() + ", " + layout.size() + " ranks, µs over bytes", "bytes", "µs",
                contenders.stream().map(contender -> line(contender.name(), contender.isDashed(), sizes, bytes -> bytes,
                        bytes -> micros(new Cell(collective, contender, layout, bytes)))).toList());
    }

    /** Adds a panel with the times of contenders over the number of ranks. */
    void overRanks(Collective collective, long bytes, List<Layout> layouts, List<Contender> contenders) {
        add(collective.label() + (collective.hasElements() ? " of " + bytes + " B" : "") + ", µs over ranks", "ranks",
                "µs",
                contenders.stream().map(contender -> line(contender.name(), contender.isDashed(), layouts, Layout::size,
                        layout -> micros(new Cell(collective, contender, layout, bytes)))).toList());
    }

    /** Adds a panel with the time of a contender, in percent of the time of another, over the length of a message. */
    void percentOverBytes(Collective collective, List<Layout> layouts, List<Long> sizes, Contender contender,
            Contender baseline) {
        add(collective.label() + ", " + contender.name() + " in % of " + baseline.name() + ", over bytes", "bytes", "%",
                layouts.stream().map(layout -> line(layout.size() + " ranks", false, sizes, bytes -> bytes,
                        bytes -> PERCENT * micros(new Cell(collective, contender, layout, bytes))
                                / micros(new Cell(collective, baseline, layout, bytes))))
                        .toList());
    }

    /** Adds a panel to the chart, and the same lines to the page. */
    private void add(String title, String xUnit, String unit, List<Line> lines) {
        chart.add(title, lines);
        List<Double> xs = lines.stream().flatMap(line -> line.points().stream()).map(Point::x).distinct().sorted()
                .toList();
        panels.add(new LineChart(title, xUnit, Scale.LOGARITHMIC, xs, unit, Scale.LOGARITHMIC,
                lines.stream().map(line -> series(line, xs)).toList()));
    }

    private static Series series(Line line, List<Double> xs) {
        List<@Nullable Double> values = new ArrayList<>();
        for (double x : xs) {
            values.add(line.points().stream().filter(point -> point.x() == x && point.y() > 0).map(Point::y)
                    .findFirst().orElse(null));
        }
        return new Series(line.name(), values);
    }

    /** Ends a row of panels. */
    void endRow() {
        chart.endRow();
    }

    private static <T> Line line(String name, boolean isDashed, List<T> places, ToDoubleFunction<T> x,
            ToDoubleFunction<T> y) {
        List<Point> points = new ArrayList<>();
        for (T place : places) {
            points.add(new Point(x.applyAsDouble(place), y.applyAsDouble(place)));
        }
        return new Line(name, isDashed, points);
    }

    private double micros(Cell cell) {
        Double known = micros.get(cell);
        return known != null ? known : predict(cell);
    }

    private double predict(Cell cell) {
        Layout layout = cell.layout();
        Contender contender = cell.contender();
        Model ofRails = model.withRails(Math.min(contender.rails(), model.rails()));
        Prediction prediction = Prediction.of(Catalogue.find(cell.collective(), contender.algorithm()),
                contender.isFlat() ? Shape.topology(layout.size(), 1) : Shape.topology(layout.hosts(), layout.ranks()),
                cell.bytes(), 0, contender.isFlat() ? ofRails.flat(layout.ranks()) : ofRails);
        if (prediction.isByFormula()) {
            throw new IllegalStateException(cell + " takes too many steps to simulate, and formulas know no hosts");
        }
        double predicted = prediction.micros();
        micros.put(cell, predicted);
        afterEach.run();
        return predicted;
    }

    /** {@return the lines of a CSV file with all figures of the panels} */
    List<String> csv() {
        List<String> lines = new ArrayList<>(
                List.of("contender,operation,algorithm,rails,layout,ranks,bytes,microseconds"));
        micros.forEach((cell, predicted) -> lines.add(String.format(Locale.ROOT, "%s,%s,%s%s,%d,%dx%d,%d,%d,%.1f",
                cell.contender().name(), cell.collective().label(), cell.contender().algorithm(),
                cell.contender().isFlat() ? "@flat" : "", cell.contender().rails(), cell.layout().hosts(),
                cell.layout().ranks(), cell.layout().size(), cell.bytes(), predicted)));
        return lines;
    }

    /**
     * {@return a page with the panels and all figures}
     *
     * @param title the title
     * @param arguments the command line without {@code tutti}
     */
    Page page(String title, List<String> arguments) {
        Page page = new Page(title);
        Origin.addTo(page, arguments);
        page.heading("Times").legend();
        panels.forEach(page::figure);
        return page.heading("All figures").table(FiguresPage.table(csv()));
    }

    /** {@return the chart as an SVG document} */
    String chart() {
        return chart.svg();
    }
}
