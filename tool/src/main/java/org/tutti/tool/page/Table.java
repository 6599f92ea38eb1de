/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.page;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import org.tutti.Nullable;

/** A table of a page, which readers sort by a click on the head of a column. */
public final class Table {
    /** The number of rows that a page shows; a note below the table says how many follow. */
    public static final int ROWS_MAX = 10_000;

    /**
     * A number that is shown as a text, and sorts as a number.
     *
     * @param text the text, such as 1.5 MiB
     * @param value the number
     */
    public record Cell(String text, double value) {}

    private final String title;
    private final List<String> columns;
    private final List<List<@Nullable Object>> rows = new ArrayList<>();

    /**
     * @param title the text above the table, or empty
     * @param columns the heads of the columns
     */
    public Table(String title, List<String> columns) {
        this.title = title;
        this.columns = List.copyOf(columns);
    }

    /**
     * Adds a row.
     *
     * @param cells a text, a number, a {@link Cell}, or null for no value, for each column
     * @return this table
     */
    public Table row(@Nullable Object... cells) {
        if (cells.length != columns.size()) {
            throw new IllegalArgumentException(cells.length + " cells for " + columns.size() + " columns");
        }
        rows.add(new ArrayList<>(List.of()));
        for (var cell : cells) {
            rows.getLast().add(cell);
        }
        return this;
    }

    /** {@return the table in HTML} */
    String html() {
        var html = new StringBuilder("<div class=\"scroll\"><table>");
        if (!title.isEmpty()) {
            html.append("<caption>").append(Page.escaped(title)).append("</caption>");
        }
        html.append("<thead><tr>");
        boolean[] hasNumbers = new boolean[columns.size()];
        for (int column = 0; column < columns.size(); column++) {
            hasNumbers[column] = hasNumbers(column);
            html.append(hasNumbers[column] ? "<th class=\"number\" scope=\"col\">" : "<th scope=\"col\">")
                    .append("<button type=\"button\">").append(Page.escaped(columns.get(column)))
                    .append("</button></th>");
        }
        html.append("</tr></thead>\n<tbody>");
        for (var row : rows.subList(0, Math.min(rows.size(), ROWS_MAX))) {
            html.append("<tr>");
            for (int column = 0; column < columns.size(); column++) {
                html.append(html(row.get(column), hasNumbers[column]));
            }
            html.append("</tr>\n");
        }
        html.append("</tbody></table></div>\n");
        if (rows.size() > ROWS_MAX) {
            html.append(String.format(Locale.ROOT, "<p>%,d more rows are not shown.</p>%n", rows.size() - ROWS_MAX));
        }
        return html.toString();
    }

    private boolean hasNumbers(int column) {
        return rows.stream().anyMatch(row -> row.get(column) instanceof Number || row.get(column) instanceof Cell);
    }

    private static String html(@Nullable Object cell, boolean isNumber) {
        return switch (cell) {
            case null -> isNumber ? "<td class=\"number\">–</td>" : "<td></td>";
            case Cell number -> number(number.text(), number.value());
            case Double number -> Double.isFinite(number)
                    ? number(String.format(Locale.ROOT, "%,.3f", number), number) : html(null, true);
            case Number number -> number(String.format(Locale.ROOT, "%,d", number.longValue()), number.doubleValue());
            default -> "<td>" + Page.escaped(cell.toString()) + "</td>";
        };
    }

    private static String number(String text, double value) {
        return "<td class=\"number\" data-value=\"" + value + "\">" + Page.escaped(text) + "</td>";
    }
}
