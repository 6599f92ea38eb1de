/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.page;

/**
 * Counts in intervals.
 *
 * @param title the text above the chart
 * @param unit the unit of the edges, such as {@code ns}
 * @param edges the ends of the intervals in ascending order, one more than there are intervals
 * @param scale the scale of the counts
 * @param counts the count of each interval
 */
public record Histogram(String title, String unit, double[] edges, Scale scale, long[] counts) implements Figure {
    /** Checks the number of edges. */
    public Histogram {
        if (edges.length != counts.length + 1) {
            throw new IllegalArgumentException(
                    counts.length + " intervals have " + (counts.length + 1) + " edges, not " + edges.length);
        }
    }

    @Override
    public String kind() {
        return "histogram";
    }
}
