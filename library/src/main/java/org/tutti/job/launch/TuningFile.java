/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.launch;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.StringJoiner;

import org.tutti.choice.Choice;

/**
 * Reads a tuning file. Each line of it has rules, in the format of {@link Choice#parse}. Comments begin with a
 * {@code #}. Later lines take precedence over earlier ones.
 */
public final class TuningFile {
    /** The greatest length of a tuning file, in bytes: half of the length that Linux allows a variable. */
    public static final int BYTES_MAX = 64 << 10;

    /** The greatest number of rules of a tuning file. */
    public static final int RULES_MAX = 1000;

    private TuningFile() {}

    /**
     * Reads and checks a file.
     *
     * @param name the path of the file
     * @return its rules in one text, in the format of {@link Choice#parse}
     * @throws IllegalArgumentException if the file cannot be read, is too long, or has a line that cannot be used; the
     *             message begins with the name of the file, and names the line
     */
    public static String read(String name) {
        StringJoiner rules = new StringJoiner(",");
        List<String> lines = text(name).lines().toList();
        int count = 0;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).split("#", 2)[0].strip();
            try {
                Choice.parse(line);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(name + ", line " + (i + 1) + ": " + e.getMessage(), e);
            }
            if (!line.isEmpty()) {
                count += line.split(",").length;
                rules.add(line);
            }
            if (count > RULES_MAX) {
                throw new IllegalArgumentException(name + ", line " + (i + 1) + ": this is more than " + RULES_MAX
                        + " rules; remove some");
            }
        }
        return rules.toString();
    }

    private static String text(String name) {
        Path file = Path.of(name);
        if (!Files.isRegularFile(file)) { // for example a pipe, which could keep this process waiting
            throw new IllegalArgumentException(name + " is no file; name a text file of rules");
        }
        try (InputStream input = Files.newInputStream(file)) {
            byte[] bytes = input.readNBytes(BYTES_MAX + 1);
            if (bytes.length > BYTES_MAX) {
                throw new IllegalArgumentException(name + " is longer than " + BYTES_MAX + " bytes; remove some rules");
            }
            return new String(bytes, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalArgumentException(name + " cannot be read (" + e + "); name a text file of rules", e);
        }
    }
}
