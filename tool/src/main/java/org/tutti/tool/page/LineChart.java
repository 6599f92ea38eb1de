/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.page;

import java.util.List;

/**
 * Lines over places on a horizontal axis.
 *
 * @param title the text above the chart
 * @param xUnit the unit of the places, such as {@code bytes}
 * @param xScale the scale of the places; a place below 1 on a logarithmic scale is drawn at 1
 * @param xs the places, in ascending order
 * @param unit the unit of the figures: {@code ratio}, {@code bytes}, {@code ns}, another unit, or empty
 * @param scale the scale of the figures, which are above zero on a logarithmic scale
 * @param series the lines
 */
public record LineChart(String title, String xUnit, Scale xScale, List<Double> xs, String unit, Scale scale,
        List<Series> series) implements Figure {
    @Override
    public String kind() {
        return "lines";
    }
}
