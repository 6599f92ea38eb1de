/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import org.tutti.Topology;
import org.tutti.simulator.Trace.Kind;
import org.tutti.simulator.Trace.Step;

/**
 * Draws a predicted run, with a row for each rank and time from left to right. The ranks of a node stand together. Bars
 * are the steps of ranks, arrows are bytes that cross a rail, and the critical path is framed.
 */
public final class Drawing {
    private static final double NANOS = 1e3;
    private static final int WIDTH = 1000;
    private static final int LEFT = 90;
    private static final int TOP = 46;
    private static final int ROW = 22;
    private static final int BAR = 14;
    private static final int NODE_GAP = 12;
    private static final int LEGEND = 66;
    private static final int TICKS = 8;
    private static final int COLUMNS = 100;
    private static final int LEGEND_STEP = 130;

    private static final Map<Kind, String> COLOURS = new EnumMap<>(Map.of(Kind.COPY, "#4c78a8", Kind.COMBINE, "#e45756",
            Kind.STORE, "#54a24b", Kind.PUT, "#f58518", Kind.GET, "#b279a2", Kind.WAIT, "#e4e4e4", Kind.SWITCH,
            "#c8c8c8"));
    private static final Map<Kind, Character> SIGNS = new EnumMap<>(Map.of(Kind.COPY, 'c', Kind.COMBINE, '+',
            Kind.STORE, '!', Kind.PUT, '>', Kind.GET, '<', Kind.WAIT, '.', Kind.SWITCH, ','));
    /** The order of drawing: a later kind covers an earlier one in the same character. */
    private static final List<Kind> WEIGHTS =
            List.of(Kind.WAIT, Kind.SWITCH, Kind.STORE, Kind.COPY, Kind.COMBINE, Kind.GET, Kind.PUT);

    private final Prediction prediction;
    private final Topology topology;
    private final Trace trace;
    private final Set<Integer> critical;
    private final double end;

    /**
     * @param prediction the prediction to draw; it must not come from a formula
     */
    public Drawing(Prediction prediction) {
        this.prediction = prediction;
        this.topology = prediction.topology();
        this.trace = prediction.trace();
        this.critical = new HashSet<>(trace.criticalPath());
        this.end = prediction.micros() * NANOS;
    }

    // ---- as an image

    /** {@return the drawing as an SVG document} */
    public String svg() {
        StringBuilder svg = new StringBuilder();
        int bottom = y(topology.nodes() - 1, topology.ranksOn(topology.nodes() - 1) - 1) + ROW;
        svg.append(String.format(Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "
                        + "font-size=\"11\">%n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>%n"
                        + "<defs><marker id=\"head\" markerWidth=\"7\" markerHeight=\"7\" refX=\"6\" refY=\"3\" "
                        + "orient=\"auto\"><path d=\"M0,0 L6,3 L0,6 z\" fill=\"#f58518\"/></marker></defs>%n"
                        + "<text x=\"10\" y=\"20\" font-size=\"13\">%s</text>%n",
                WIDTH + LEFT + 40, bottom + LEGEND, escaped(prediction.toString())));
        for (int node = 0; node < topology.nodes(); node++) {
            appendNode(svg, node);
        }
        appendAxis(svg, bottom);
        for (int index = 0; index < trace.size(); index++) {
            appendBar(svg, index);
        }
        for (int index = 0; index < trace.size(); index++) {
            appendArrow(svg, index);
        }
        appendLegend(svg, bottom);
        return svg.append("</svg>\n").toString();
    }

    static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    private int y(int node, int place) {
        int above = 0;
        for (int each = 0; each < node; each++) {
            above += topology.ranksOn(each);
        }
        return TOP + (above + place) * ROW + node * NODE_GAP;
    }

    private int y(int rank) {
        return y(topology.nodeOf(rank), topology.localRankOf(rank));
    }

    private double x(double nanos) {
        return LEFT + nanos / Math.max(end, 1) * WIDTH;
    }

    private void appendNode(StringBuilder svg, int node) {
        int ranks = topology.ranksOn(node);
        svg.append(String.format(Locale.ROOT,
                "<rect x=\"4\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#f7f7f7\" stroke=\"#cccccc\"/>%n"
                        + "<text x=\"10\" y=\"%d\" fill=\"#666666\">node %d</text>%n",
                y(node, 0) - 4, WIDTH + LEFT + 8, ranks * ROW, y(node, 0) + 10, node));
        for (int place = 0; place < ranks; place++) {
            svg.append(String.format(Locale.ROOT, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%d</text>%n", LEFT - 6,
                    y(node, place) + 11, topology.rankAt(node, place)));
        }
    }

    private void appendAxis(StringBuilder svg, int bottom) {
        for (int tick = 0; tick <= TICKS; tick++) {
            double nanos = end * tick / TICKS;
            svg.append(String.format(Locale.ROOT,
                    "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#dddddd\"/>"
                            + "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.2f µs</text>%n",
                    x(nanos), TOP - 6, x(nanos), bottom, x(nanos), bottom + 14, nanos / NANOS));
        }
    }

    private void appendBar(StringBuilder svg, int index) {
        Step step = trace.step(index);
        if (step.kind() == Kind.ARRIVAL || step.end() <= step.start()) {
            return;
        }
        boolean waits = step.kind() == Kind.WAIT || step.kind() == Kind.SWITCH;
        svg.append(String.format(Locale.ROOT,
                "<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" fill=\"%s\"%s><title>rank %d %s%s, %.3f to "
                        + "%.3f µs</title></rect>%n",
                x(step.start()), y(step.rank()) + (waits ? BAR / 2 - 2 : 0),
                Math.max(0.5, x(step.end()) - x(step.start())), waits ? 4 : BAR, COLOURS.get(step.kind()),
                critical.contains(index) && !waits ? " stroke=\"black\" stroke-width=\"1.5\"" : "", step.rank(),
                step.kind().verb(), step.bytes() > 0 ? " " + step.bytes() + " bytes" : "", step.start() / NANOS,
                step.end() / NANOS));
    }

    private void appendArrow(StringBuilder svg, int index) {
        Step step = trace.step(index);
        if (step.kind() == Kind.ARRIVAL) {
            appendLine(svg, x(step.start()), y(step.rank()) + BAR / 2, x(step.end()), y(step.other()) + BAR / 2,
                    critical.contains(index) ? "stroke=\"black\" stroke-width=\"2\"" : "stroke=\"#f58518\"",
                    " marker-end=\"url(#head)\"");
        } else if (trace.cause(index) >= 0 && trace.step(trace.cause(index)).kind() != Kind.ARRIVAL) {
            Step cause = trace.step(trace.cause(index));
            appendLine(svg, x(cause.end()), y(cause.rank()) + BAR / 2, x(step.end()), y(step.rank()) + BAR / 2,
                    critical.contains(index) ? "stroke=\"black\" stroke-width=\"1.5\""
                            : "stroke=\"#54a24b\" stroke-opacity=\"0.6\"",
                    "");
        }
    }

    private static void appendLine(StringBuilder svg, double x1, double y1, double x2, double y2, String style,
            String more) {
        svg.append(String.format(Locale.ROOT, "<line x1=\"%.2f\" y1=\"%.1f\" x2=\"%.2f\" y2=\"%.1f\" %s%s/>%n", x1, y1,
                x2, y2, style, more));
    }

    private static void appendLegend(StringBuilder svg, int bottom) {
        int x = LEFT;
        for (Kind kind : WEIGHTS) {
            svg.append(String.format(Locale.ROOT,
                    "<rect x=\"%d\" y=\"%d\" width=\"12\" height=\"12\" fill=\"%s\"/>"
                            + "<text x=\"%d\" y=\"%d\">%s</text>%n",
                    x, bottom + 26, COLOURS.get(kind), x + 16, bottom + 36, kind.verb()));
            x += LEGEND_STEP;
        }
        svg.append(String.format(Locale.ROOT,
                "<text x=\"%d\" y=\"%d\">arrows: bytes that cross a rail; thin lines: a word that ends "
                        + "a wait; black: the critical path</text>%n",
                LEFT, bottom + 56));
    }

    // ---- as text

    /** {@return the drawing for a terminal} */
    public String text() {
        StringBuilder text = new StringBuilder(prediction.toString()).append('\n');
        char[][] rows = new char[topology.size()][COLUMNS];
        char[][] marks = new char[topology.size()][COLUMNS];
        for (int rank = 0; rank < rows.length; rank++) {
            Arrays.fill(rows[rank], ' ');
            Arrays.fill(marks[rank], ' ');
        }
        for (Kind kind : WEIGHTS) {
            for (int index = 0; index < trace.size(); index++) {
                Step step = trace.step(index);
                if (step.kind() == kind) {
                    int from = column(step.start());
                    int to = Math.max(from + 1, column(step.end()));
                    Arrays.fill(rows[step.rank()], from, to, SIGNS.get(kind));
                    if (critical.contains(index) && kind != Kind.WAIT && kind != Kind.SWITCH) {
                        Arrays.fill(marks[step.rank()], from, to, '^');
                    }
                }
            }
        }
        for (int node = 0; node < topology.nodes(); node++) {
            for (int place = 0; place < topology.ranksOn(node); place++) {
                int rank = topology.rankAt(node, place);
                text.append(String.format(Locale.ROOT, "%-9s %4d |%s|%n", place == 0 ? "node " + node : "", rank,
                        new String(rows[rank])));
                String mark = new String(marks[rank]).stripTrailing();
                if (!mark.isEmpty()) {
                    text.append(" ".repeat(16)).append(mark).append('\n');
                }
            }
        }
        return text.append("c copies, + combines, ! sets a word, > puts, < gets, . waits, ^ on the critical path\n")
                .toString();
    }

    private int column(double nanos) {
        return (int) Math.min(COLUMNS - 1, nanos / Math.max(end, 1) * COLUMNS);
    }
}
