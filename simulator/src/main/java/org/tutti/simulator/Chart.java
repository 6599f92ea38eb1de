/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;

/** An SVG chart of panels in rows. Each panel has lines, such as times over sizes, with both scales logarithmic. */
public final class Chart {
    /**
     * A point of a line.
     *
     * @param x the position along the horizontal axis; below 1 counts as 1
     * @param y the figure, more than zero
     */
    public record Point(double x, double y) {}

    /**
     * A line.
     *
     * @param name the name in the legend
     * @param isDashed whether the line is dashed, in the colour of the line before it
     * @param points its points, by ascending x
     */
    public record Line(String name, boolean isDashed, List<Point> points) {}

    /** A logarithmic scale. A single value lies in the middle. */
    private record Scale(double least, double most, int from, int to) {
        double at(double value) {
            return most > least ? from + (to - from) * Math.log(Math.max(value, least) / least) / Math.log(most / least)
                    : (from + to) / 2.0;
        }
    }

    private static final int PLOT_WIDTH = 300;
    private static final int PLOT_HEIGHT = 200;
    private static final int LEFT = 60;
    private static final int TOP = 30;
    private static final int WIDTH = LEFT + PLOT_WIDTH + 150;
    private static final int HEIGHT = TOP + PLOT_HEIGHT + 30;
    private static final int LINE_HEIGHT = 14;
    private static final int LABEL_WIDTH = 28;
    private static final double LEAST = 1e-4; // the least figure: figures are written with four digits after the point
    private static final List<String> COLOURS = List.of("#4c78a8", "#f58518", "#54a24b", "#e45756", "#b279a2",
            "#72b7b2", "#9d755d", "#bab0ac", "#2f4b26", "#d67195");

    private final StringBuilder svg = new StringBuilder();
    private int rows = 1;
    private int columns;
    private int column;

    /** Creates a chart without panels. */
    public Chart() {
        // add() adds the panels
    }

    /** Ends the row, so that the next panel begins a new one. */
    public void endRow() {
        if (column > 0) {
            rows++;
            column = 0;
        }
    }

    /**
     * Adds a panel to the row.
     *
     * @param title the text above the panel: the figures and the quantity over which they are drawn
     * @param lines its lines
     */
    public void add(String title, List<Line> lines) {
        int left = column * WIDTH + LEFT;
        int top = (rows - 1) * HEIGHT + TOP;
        column++;
        columns = Math.max(columns, column);
        List<Point> points = lines.stream().flatMap(line -> line.points().stream()).toList();
        double[] xs = points.stream().mapToDouble(point -> Math.max(1, point.x())).distinct().sorted().toArray();
        double[] ys = points.stream().mapToDouble(point -> Math.max(LEAST, point.y())).sorted().toArray();
        text(left, top - 12, "black", "start", title);
        if (points.isEmpty()) {
            return;
        }
        int low = (int) Math.floor(Math.log10(ys[0]));
        int high = (int) Math.ceil(Math.log10(ys[ys.length - 1]));
        Scale x = new Scale(xs[0], xs[xs.length - 1], left, left + PLOT_WIDTH);
        Scale y = new Scale(Math.pow(10, low), Math.pow(10, high), top + PLOT_HEIGHT, top);
        for (int decade = low; decade <= high; decade++) {
            double at = y.at(Math.pow(10, decade));
            svg.append(String.format(Locale.ROOT,
                    "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#dddddd\"/>%n", left, at,
                    left + PLOT_WIDTH, at));
            text(left - 6, at + 4, "black", "end", decade < 0 ? BigDecimal.ONE.scaleByPowerOfTen(decade).toPlainString()
                    : String.format(Locale.ROOT, "%,.0f", Math.pow(10, decade)));
        }
        double free = left - LABEL_WIDTH;
        for (double value : xs) {
            if (x.at(value) >= free) {
                text(x.at(value), top + PLOT_HEIGHT + 16, "black", "middle", label(value));
                free = x.at(value) + LABEL_WIDTH;
            }
        }
        int colour = -1;
        for (int index = 0; index < lines.size(); index++) {
            Line line = lines.get(index);
            colour += line.isDashed() ? 0 : 1;
            String stroke = COLOURS.get(Math.max(0, colour) % COLOURS.size());
            draw(line, x, y, stroke);
            text(left + PLOT_WIDTH + 10, top + 10 + index * LINE_HEIGHT, stroke, "start",
                    (line.isDashed() ? "- - " : "— ") + line.name());
        }
    }

    private void draw(Line line, Scale x, Scale y, String stroke) {
        StringBuilder points = new StringBuilder();
        for (Point point : line.points()) {
            points.append(String.format(Locale.ROOT, "%.1f,%.1f ", x.at(point.x()), y.at(point.y())));
            svg.append(String.format(Locale.ROOT, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2\" fill=\"%s\"/>%n",
                    x.at(point.x()), y.at(point.y()), stroke));
        }
        svg.append("<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"%s/>%n".formatted(
                points.toString().strip(), stroke, line.isDashed() ? " stroke-dasharray=\"5 3\"" : ""));
    }

    /** Returns a size as the command line writes it, such as 64k, or a plain number. */
    private static String label(double value) {
        long number = Math.round(value);
        return number % (1 << 20) == 0 ? (number >> 20) + "m" : number % (1 << 10) == 0 ? (number >> 10) + "k"
                : String.valueOf(number);
    }

    private void text(double x, double y, String colour, String anchor, String text) {
        svg.append(String.format(Locale.ROOT,
                "<text x=\"%.1f\" y=\"%.1f\" fill=\"%s\" text-anchor=\"%s\">%s</text>%n", x, y, colour, anchor,
                Drawing.escaped(text)));
    }

    /** {@return the chart as an SVG document} */
    public String svg() {
        int height = (column > 0 ? rows : rows - 1) * HEIGHT;
        return String.format(Locale.ROOT, """
                <svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="11">
                <rect width="100%%" height="100%%" fill="white"/>
                %s</svg>
                """, columns * WIDTH, height, svg);
    }
}
