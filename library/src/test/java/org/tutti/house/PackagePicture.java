/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.house;

import java.util.Locale;
import java.util.Map;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;

/** The picture of the packages in docs/architecture.md: a box for each, and an arrow to each that it uses. */
final class PackagePicture {
    private static final int COLUMN = 176;
    private static final int ROW = 48;
    private static final int WIDTH = 158;
    private static final int HEIGHT = 28;
    private static final int MARGIN = 12;

    /** The position of a box; arrows go down. */
    private record Place(double column, int row) {
        double x() {
            return MARGIN + WIDTH / 2.0 + column * COLUMN;
        }

        double top() {
            return MARGIN + row * ROW;
        }
    }

    private static final Map<String, Place> PLACES = Map.ofEntries(Map.entry("job", new Place(1.5, 0)),
            Map.entry("job.communicators", new Place(1.5, 1)), Map.entry("job.diagnosis", new Place(1, 2)),
            Map.entry("job.network", new Place(2, 2)), Map.entry("job.node", new Place(1.5, 3)),
            Map.entry("job.launch", new Place(1.5, 4)), Map.entry("choice", new Place(1.5, 5)),
            Map.entry(PackageDependencies.ALGORITHMS, new Place(1.5, 6)), Map.entry("job.requests", new Place(0, 7)),
            Map.entry("collective.stage", new Place(1, 7)), Map.entry("collective.blocks", new Place(2, 7)),
            Map.entry("collective", new Place(1.5, 8)), Map.entry("collective.communicator", new Place(1, 9)),
            Map.entry("collective.flow", new Place(2, 9)), Map.entry("collective.window", new Place(2, 10)),
            Map.entry("collective.operation", new Place(1.5, 11)),
            Map.entry("message", new Place(2.55, 11)), Map.entry("collective.machine", new Place(1.7, 12)),
            Map.entry("onesided", new Place(3.2, 12)),
            Map.entry("collective.kernel", new Place(1.3, 13)), Map.entry("collective.members", new Place(0.2, 13)),
            Map.entry("fabric.tcp", new Place(4.2, 13)), Map.entry("collective.layout", new Place(1.3, 14)),
            Map.entry("fabric", new Place(2.4, 14)), Map.entry("pattern", new Place(2, 15)),
            Map.entry("memory", new Place(0.4, 15)),
            Map.entry("collective.calls", new Place(0.7, 12)), Map.entry("events", new Place(0.4, 16)));

    private PackagePicture() {}

    /** Draws it as SVG. */
    static String draw(Map<String, Set<String>> packages) {
        assertThat(packages.keySet()).as("packages, and the places that %s has for their boxes", PackagePicture.class)
                .isEqualTo(PLACES.keySet());
        int width = (int) (2 * MARGIN + WIDTH + 4.2 * COLUMN);
        int height = 2 * MARGIN + HEIGHT + 16 * ROW;
        StringBuilder svg = new StringBuilder(String.format(Locale.ROOT, """
                <svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %1$d %2$d" \
                font-family="Helvetica, Arial, sans-serif" font-size="12">
                  <rect width="%1$d" height="%2$d" fill="#ffffff"/>
                  <g stroke="#7a8b99" stroke-width="1.2" fill="none">
                """, width, height));
        packages.forEach((from, used) -> used.forEach(to -> svg.append(arrow(from, to))));
        svg.append("  </g>\n  <g text-anchor=\"middle\" stroke-width=\"1.2\">\n");
        packages.keySet().forEach(name -> svg.append(box(name)));
        return svg.append("  </g>\n</svg>\n").toString();
    }

    private static String arrow(String from, String to) {
        Place start = PLACES.get(from);
        Place end = PLACES.get(to);
        assertThat(start.row()).as("the row of %s, which uses %s and stands above it", from, to)
                .isLessThan(end.row());
        boolean isFar = end.row() - start.row() > 3; // then along the row, and down a column that has no box
        String begin = isFar
                ? String.format(Locale.ROOT, "M%.0f %.0fH%.0f",
                        start.x() + Math.signum(end.x() - start.x()) * WIDTH / 2, start.top() + HEIGHT / 2.0, end.x())
                : String.format(Locale.ROOT, "M%.0f %.0fL%.0f %.0f", start.x(), start.top() + HEIGHT, end.x(),
                        end.top() - 6);
        return String.format(Locale.ROOT,
                "    <path d=\"%sV%.0f\"/><path d=\"M%.0f %.0fl-4 -7h8z\" fill=\"#7a8b99\"/>\n",
                begin, end.top() - 1, end.x(), end.top());
    }

    private static String box(String name) {
        Place place = PLACES.get(name);
        String colors = name.startsWith("job") ? "fill=\"#fbf7ee\" stroke=\"#8a7340\""
                : name.startsWith("collective") || name.equals("choice") || name.equals(PackageDependencies.ALGORITHMS)
                        ? "fill=\"#eaf4ea\" stroke=\"#4f7a4f\""
                        : "fill=\"#e8f0f7\" stroke=\"#33516b\"";
        return String.format(Locale.ROOT, "    <rect x=\"%.0f\" y=\"%.0f\" width=\"%d\" height=\"%d\" rx=\"5\" %s/>"
                + "<text x=\"%.0f\" y=\"%.0f\" fill=\"#1d2f3f\">%s</text>\n", place.x() - WIDTH / 2.0, place.top(),
                WIDTH,
                HEIGHT, colors, place.x(), place.top() + 18, name);
    }
}
