/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.page;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;

/** The data in the file of a page, read as its scripts read them. */
public final class WrittenPage {
    private static final Pattern DATA = Pattern.compile("<script type=\"application/json\">(.*?)</script>");
    private static final Pattern ROW = Pattern.compile("<tr><td.*</tr>");

    private final String html;
    private final List<JsonObject> figures;

    /** Reads a file. */
    public WrittenPage(Path file) throws IOException {
        this.html = Files.readString(file);
        this.figures = DATA.matcher(html).results()
                .map(found -> JsonParser.parseString(found.group(1)).getAsJsonObject()).toList();
    }

    /** {@return the titles of the figures} */
    public List<String> titles() {
        return figures.stream().map(figure -> figure.get("title").getAsString()).toList();
    }

    /** {@return the names of the series of a figure} */
    public List<String> series(String title) {
        return elements(figure(title), "series").stream().map(each -> each.getAsJsonObject().get("name").getAsString())
                .toList();
    }

    /** {@return the values of a series of a figure; an absent value is NaN} */
    public List<Double> values(String title, String series) {
        var found = elements(figure(title), "series").stream().map(JsonElement::getAsJsonObject)
                .filter(each -> each.get("name").getAsString().equals(series)).findFirst().orElseThrow();
        return elements(found, "values").stream().map(each -> each.isJsonNull() ? Double.NaN : each.getAsDouble())
                .toList();
    }

    /** {@return the texts below the groups of a figure} */
    public List<String> groups(String title) {
        return elements(figure(title), "groups").stream().map(JsonElement::getAsString).toList();
    }

    /** {@return the texts of the cells of each row of its tables} */
    public List<List<String>> rows() {
        return ROW.matcher(html).results().map(row -> List.of(row.group().replaceAll("^<tr><td[^>]*>|</td></tr>$", "")
                .split("</td><td[^>]*>", -1))).toList();
    }

    private JsonObject figure(String title) {
        return figures.stream().filter(each -> each.get("title").getAsString().equals(title)).findFirst()
                .orElseThrow(() -> new AssertionError("no figure is named " + title + ", only " + titles()));
    }

    private static List<JsonElement> elements(JsonObject of, String name) {
        return StreamSupport.stream(of.getAsJsonArray(name).spliterator(), false).toList();
    }
}
