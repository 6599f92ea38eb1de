/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.List;
import java.util.Locale;

/** Draws predicted times over sizes, both on logarithmic scales, a line for each algorithm. */
public final class Chart {
    private static final int WIDTH = 640;
    private static final int HEIGHT = 400;
    private static final int LEFT = 80;
    private static final int TOP = 40;
    private static final int RIGHT = 140;
    private static final int BOTTOM = 40;
    private static final String[] COLOURS =
            {"#4c78a8", "#f58518", "#54a24b", "#e45756", "#b279a2", "#72b7b2", "#9d755d", "#bab0ac"};

    private Chart() {}

    /**
     * Draws a chart.
     *
     * @param title what stands above it
     * @param names the algorithms
     * @param sizes the sizes of messages, in bytes, in ascending order
     * @param micros for each size and algorithm the time, in microseconds
     * @return an SVG document
     */
    public static String svg(String title, List<String> names, List<Long> sizes, double[][] micros) {
        double least = Double.MAX_VALUE;
        double most = 0;
        for (double[] row : micros) {
            for (double each : row) {
                least = Math.min(least, each);
                most = Math.max(most, each);
            }
        }
        double low = Math.pow(10, Math.floor(Math.log10(least)));
        double high = Math.pow(10, Math.ceil(Math.log10(most)));
        StringBuilder svg = new StringBuilder(String.format(Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "
                        + "font-size=\"11\">%n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>%n"
                        + "<text x=\"%d\" y=\"20\" font-size=\"13\">%s</text>%n",
                LEFT + WIDTH + RIGHT, TOP + HEIGHT + BOTTOM, LEFT, Drawing.escaped(title)));
        for (double tick = low; tick <= high * 1.001; tick *= 10) {
            double y = y(tick, low, high);
            svg.append(String.format(Locale.ROOT,
                    "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#dddddd\"/>"
                            + "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s µs</text>%n",
                    LEFT, y, LEFT + WIDTH, y, LEFT - 6, y + 4, tick >= 1 ? String.format("%,.0f", tick) : tick));
        }
        for (int row = 0; row < sizes.size(); row++) {
            svg.append(String.format(Locale.ROOT, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d</text>%n",
                    x(row, sizes.size()), TOP + HEIGHT + 18, sizes.get(row)));
        }
        for (int column = 0; column < names.size(); column++) {
            String colour = COLOURS[column % COLOURS.length];
            StringBuilder points = new StringBuilder();
            for (int row = 0; row < sizes.size(); row++) {
                points.append(String.format(Locale.ROOT, "%.1f,%.1f ", x(row, sizes.size()),
                        y(micros[row][column], low, high)));
            }
            svg.append(String.format(Locale.ROOT,
                    "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>"
                            + "<text x=\"%d\" y=\"%d\" fill=\"%s\">%s</text>%n",
                    points, colour, LEFT + WIDTH + 10, TOP + 14 + column * 16, colour, names.get(column)));
        }
        return svg.append("</svg>\n").toString();
    }

    private static double x(int row, int rows) {
        return LEFT + (rows == 1 ? WIDTH / 2.0 : (double) WIDTH * row / (rows - 1));
    }

    private static double y(double micros, double low, double high) {
        double share = Math.log(micros / low) / Math.max(1e-9, Math.log(high / low));
        return TOP + HEIGHT * (1 - share);
    }
}
