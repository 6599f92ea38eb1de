/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.page;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.zip.GZIPOutputStream;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonNull;
import com.google.gson.JsonPrimitive;
import com.google.gson.JsonSerializer;
import org.tutti.TuttiException;
import org.tutti.tool.OutputFiles;

/**
 * A page: one HTML file with texts, tables and figures. The file contains its scripts, styles and data, so that a
 * browser loads nothing else, and its security policy forbids every request. The policy names each script and style by
 * a hash of its text, so that no other script runs.
 *
 * <p>Methods add parts from top to bottom. All texts are escaped.
 */
public final class Page {
    /** Escapes the characters with a meaning in HTML, so that JSON can stand in a script; no number is no value. */
    private static final Gson JSON = new GsonBuilder().serializeNulls()
            .registerTypeAdapter(Double.class, finite()).registerTypeAdapter(double.class, finite()).create();

    private final String title;
    private final Map<String, String> facts = new LinkedHashMap<>();
    private final StringBuilder body = new StringBuilder();
    private final List<String> styles = new ArrayList<>();
    private final List<String> scripts = new ArrayList<>();
    private final Map<String, byte[]> data = new LinkedHashMap<>();
    private boolean isInGrid;

    /** @param title the title of the page */
    public Page(String title) {
        this.title = title;
        style(Page.class, "uPlot.min.css").style(Page.class, "page.css");
        script(Page.class, "uPlot.iife.min.js").script(Page.class, "page.js").script(Page.class, "charts.js");
    }

    private static JsonSerializer<Double> finite() {
        return (value, _, _) -> Double.isFinite(value) ? new JsonPrimitive(value) : JsonNull.INSTANCE;
    }

    /** Adds a line to the head of the page, such as the machine. */
    public Page fact(String name, String text) {
        facts.put(name, text);
        return this;
    }

    /** Adds a heading of a section. */
    public Page heading(String text) {
        return add("<h2>" + escaped(text) + "</h2>\n");
    }

    /** Adds a heading inside a section. */
    public Page subheading(String text) {
        return add("<h3>" + escaped(text) + "</h3>\n");
    }

    /** Adds a paragraph. */
    public Page paragraph(String text) {
        return add("<p>" + escaped(text) + "</p>\n");
    }

    /** Adds the legend: the names of the series of all charts of the page, if there are several. */
    public Page legend() {
        return add("<div class=\"legend\"></div>\n");
    }

    /** Adds a table. */
    public Page table(Table table) {
        return add(table.html());
    }

    /** Adds a figure. Figures that are not wide stand beside each other. */
    public Page figure(Figure figure) {
        if (figure.isWide() == isInGrid) {
            body.append(isInGrid ? "</div>\n" : "<div class=\"grid\">\n");
            isInGrid = !isInGrid;
        }
        body.append("<figure data-kind=\"").append(escaped(figure.kind())).append("\"><figcaption>")
                .append(escaped(figure.title())).append("</figcaption><div class=\"plot\"></div>")
                .append("<script type=\"application/json\">").append(JSON.toJson(figure))
                .append("</script></figure>\n");
        return this;
    }

    /**
     * Adds data that a script reads by {@code await tutti.bytes(name)}. The file has them compressed.
     *
     * @param name letters, digits and hyphens
     * @param bytes the data, which are not copied
     * @return this page
     */
    public Page data(String name, byte[] bytes) {
        data.put(name, bytes);
        return this;
    }

    /**
     * Adds a script, which runs after those of the page.
     *
     * @param owner a class of the package that has the script as a resource
     * @param name the name of the resource
     * @return this page
     */
    public Page script(Class<?> owner, String name) {
        scripts.add(resource(owner, name));
        return this;
    }

    /**
     * Adds a style sheet.
     *
     * @param owner a class of the package that has the style sheet as a resource
     * @param name the name of the resource
     * @return this page
     */
    public Page style(Class<?> owner, String name) {
        styles.add(resource(owner, name));
        return this;
    }

    private Page add(String html) {
        if (isInGrid) {
            body.append("</div>\n");
            isInGrid = false;
        }
        body.append(html);
        return this;
    }

    /**
     * Writes the page to a file beside the named one, and moves it there, so that no half page is left. A file that is
     * not a regular one, such as a pipe, is written directly.
     *
     * @param option the option of the command line that names the file, for the message of an exception
     * @param file the file
     * @throws TuttiException if the file cannot be written
     */
    public void write(String option, Path file) {
        try {
            if (Files.exists(file) && !Files.isRegularFile(file)) {
                try (var out = Files.newOutputStream(file)) {
                    writeTo(out);
                }
                return;
            }
            var target = Files.exists(file) ? file.toRealPath() : file.toAbsolutePath();
            var beside = target.resolveSibling(target.getFileName() + "." + ProcessHandle.current().pid() + ".part");
            OutputFiles.replace(target, beside, this::writeTo);
        } catch (IOException e) {
            throw new TuttiException(option + " " + file + " cannot be written (" + reason(e)
                    + "); name a file on a disk with room, in a directory that can be written to", e);
        }
    }

    private static String reason(IOException e) {
        var reason = e instanceof FileSystemException broken ? broken.getReason() : e.getMessage();
        return reason == null ? e.getClass().getSimpleName() : reason;
    }

    private void writeTo(OutputStream out) throws IOException {
        try (var writer = new OutputStreamWriter(new BufferedOutputStream(out), StandardCharsets.UTF_8)) {
            write(writer);
        }
    }

    private void write(Writer out) throws IOException {
        out.write("""
                <!DOCTYPE html>
                <html lang="en">
                <head>
                <meta charset="utf-8">
                <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src %s; script-src %s; \
                base-uri 'none'; form-action 'none'">
                <meta name="viewport" content="width=device-width, initial-scale=1">
                <title>%s</title>
                """.formatted(hashes(styles), hashes(scripts), escaped(title)));
        for (var style : styles) {
            out.write("<style>" + style + "</style>\n");
        }
        out.write("</head>\n<body>\n<header><h1>" + escaped(title) + "</h1>\n"
                + "<button id=\"scheme\" type=\"button\" title=\"Change between dark and light\"></button>\n"
                + "<dl class=\"facts\">\n");
        for (var fact : facts.entrySet()) {
            out.write("<dt>" + escaped(fact.getKey()) + "</dt><dd"
                    + (fact.getKey().equals(Origin.COMMAND) ? " class=\"command\">" : ">") + escaped(fact.getValue())
                    + "</dd>\n");
        }
        out.write("</dl></header>\n<main>\n");
        out.append(body).append(isInGrid ? "</div>\n" : "").append("</main>\n");
        for (var each : data.entrySet()) {
            out.write("<script type=\"application/octet-stream\" id=\"data-" + escaped(each.getKey()) + "\">");
            out.write(Base64.getEncoder().encodeToString(compressed(each.getValue())));
            out.write("</script>\n");
        }
        for (var script : scripts) {
            out.write("<script>" + script + "</script>\n");
        }
        out.write("</body>\n</html>\n");
    }

    private static byte[] compressed(byte[] bytes) throws IOException {
        var packed = new ByteArrayOutputStream();
        try (var zip = new GZIPOutputStream(packed)) {
            zip.write(bytes);
        }
        return packed.toByteArray();
    }

    private static String hashes(List<String> texts) {
        return texts.stream().map(text -> "'sha256-" + hash(text) + "'").collect(Collectors.joining(" "));
    }

    private static String hash(String text) {
        try {
            return Base64.getEncoder().encodeToString(
                    MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    private static String resource(Class<?> owner, String name) {
        try (InputStream in = owner.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalArgumentException("there is no " + name + " beside " + owner);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@return a text as HTML, which also may stand between quotation marks} */
    static String escaped(String text) {
        var html = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char character = text.charAt(i);
            switch (character) {
                case '&' -> html.append("&amp;");
                case '<' -> html.append("&lt;");
                case '>' -> html.append("&gt;");
                case '"' -> html.append("&quot;");
                case '\'' -> html.append("&#39;");
                case '\0' -> html.append('\ufffd');
                default -> html.append(character);
            }
        }
        return html.toString();
    }
}
