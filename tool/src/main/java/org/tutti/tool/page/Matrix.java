/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.page;

import java.util.List;

/**
 * A square of figures, each drawn as a shade on a logarithmic scale.
 *
 * @param title the text above the chart
 * @param unit the unit of the figures, such as {@code bytes}
 * @param rows the meaning of a row, such as {@code from rank}
 * @param columns the meaning of a column, such as {@code to rank}
 * @param names the names of the rows, which are those of the columns
 * @param values the figures of each row; zero is blank
 * @param isWide whether the chart is as wide as the page
 */
public record Matrix(String title, String unit, String rows, String columns, List<String> names, double[][] values,
        boolean isWide) implements Figure {
    @Override
    public String kind() {
        return "matrix";
    }
}
