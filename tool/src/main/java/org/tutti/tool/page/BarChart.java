/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.page;

import java.util.List;

/**
 * Bars in groups. Bars of ratios begin at 1, others at 0.
 *
 * @param title the text above the chart
 * @param unit the unit of the figures: {@code ratio}, {@code bytes}, {@code ns}, another unit, or empty
 * @param scale the scale of the figures
 * @param groups the texts below the groups
 * @param series the bars of each group
 * @param isWide whether the chart is as wide as the page
 */
public record BarChart(String title, String unit, Scale scale, List<String> groups, List<Series> series,
        boolean isWide) implements Figure {

    /** {@return bars of ratios on a logarithmic scale, on which a half is as far from 1 as 2} */
    public static BarChart ofRatios(String title, List<String> groups, List<Series> series, boolean isWide) {
        return new BarChart(title, "ratio", Scale.LOGARITHMIC, groups, series, isWide);
    }

    @Override
    public String kind() {
        return "bars";
    }
}
