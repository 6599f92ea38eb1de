/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.metrics;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Metrics read from a text of the text exposition format, version 0.0.4. The parser shares no code with the writer, and
 * refuses a text that is not well-formed.
 */
public final class ParsedMetrics {
    private final Map<String, String> help = new HashMap<>();
    private final Map<String, String> types = new HashMap<>();
    private final Map<String, Map<Map<String, String>, Double>> samples = new LinkedHashMap<>();
    private String line = "";
    private int at;

    /** {@return the metrics of a whole text} */
    public static ParsedMetrics of(String text) {
        assertThat(text).endsWith("\n");
        var parsed = new ParsedMetrics();
        for (var line : text.substring(0, text.length() - 1).split("\n", -1)) {
            parsed.line = line;
            parsed.at = 0;
            if (line.startsWith("#")) {
                parsed.comment();
            } else {
                parsed.sample();
            }
        }
        return parsed;
    }

    private void comment() {
        var words = line.split(" ", 4);
        assertThat(words).as(line).hasSize(4).startsWith("#");
        assertThat(samples).as("%s after samples", line).doesNotContainKey(words[2]);
        switch (words[1]) {
            case "HELP" -> assertThat(help.put(words[2], words[3])).as(line).isNull();
            case "TYPE" -> {
                assertThat(words[3]).isIn("counter", "gauge");
                assertThat(types.put(words[2], words[3])).as(line).isNull();
            }
            default -> throw new AssertionError(line);
        }
    }

    private void sample() {
        var name = word("[a-zA-Z0-9_:]");
        assertThat(types).as(line).containsKey(name);
        assertThat(help).as(line).containsKey(name);
        Map<String, String> labels = new TreeMap<>();
        if (peek() == '{') {
            do {
                at++;
                var label = word("[a-zA-Z0-9_]");
                expect('=');
                assertThat(labels.put(label, quoted())).as(line).isNull();
            } while (peek() == ',');
            expect('}');
        }
        expect(' ');
        double value = Double.parseDouble(line.substring(at));
        assertThat(samples.computeIfAbsent(name, _ -> new HashMap<>()).put(labels, value)).as(line).isNull();
    }

    private char peek() {
        assertThat(at).as("an early end of: %s", line).isLessThan(line.length());
        return line.charAt(at);
    }

    private void expect(char character) {
        assertThat(peek()).as("character %d of: %s", at, line).isEqualTo(character);
        at++;
    }

    private String word(String characters) {
        int from = at;
        while (at < line.length() && line.substring(at, at + 1).matches(characters)) {
            at++;
        }
        assertThat(at).as(line).isGreaterThan(from);
        return line.substring(from, at);
    }

    private String quoted() {
        var text = new StringBuilder();
        expect('"');
        while (peek() != '"') {
            char character = line.charAt(at++);
            if (character == '\\') {
                character = switch (peek()) {
                    case 'n' -> '\n';
                    case '\\', '"' -> line.charAt(at);
                    default -> throw new AssertionError(line);
                };
                at++;
            }
            text.append(character);
        }
        expect('"');
        return text.toString();
    }

    /** {@return the type of each metric by its name} */
    public Map<String, String> types() {
        return types;
    }

    /** {@return the values of a metric by their labels} */
    public Map<Map<String, String>, Double> all(String name) {
        return samples.getOrDefault(name, Map.of());
    }

    /**
     * Returns a value.
     *
     * @param name the name of the metric
     * @param labels names and values of all its labels in turns
     * @return the value, or NaN if there is none
     */
    public double value(String name, String... labels) {
        Map<String, String> map = new TreeMap<>();
        for (int i = 0; i < labels.length; i += 2) {
            map.put(labels[i], labels[i + 1]);
        }
        return all(name).getOrDefault(map, Double.NaN);
    }
}
