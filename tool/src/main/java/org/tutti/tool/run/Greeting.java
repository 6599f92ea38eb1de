/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

import org.tutti.tool.Main;

/**
 * The line of text that the process on another host sends before any frame. The launcher sends nothing, least of all
 * the secret, before it has read this line.
 *
 * @param protocol the version of the protocol between launcher and host
 * @param java the feature version of the host's JDK
 * @param version the version of Tutti on the host
 */
record Greeting(int protocol, int java, String version) {
    /** The greeting of this Tutti. */
    static final Greeting OWN = new Greeting(5, Runtime.version().feature(), Main.VERSION);

    private static final String START = "tutti-host ";
    private static final Pattern FORM = Pattern.compile(START + "(\\d{1,6}) (\\d{1,6}) ([A-Za-z0-9.+-]{1,64})");
    private static final int LINE_MAX = 128;
    private static final int EXCERPT_MAX = 40;

    /** {@return the line} */
    byte[] line() {
        return (START + protocol + " " + java + " " + version + "\n").getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Reads the line.
     *
     * @return the greeting, or null if the stream ended before the first byte
     * @throws IOException if something else came; the message quotes its beginning
     */
    static Greeting read(InputStream in) throws IOException {
        var line = new StringBuilder();
        for (int next; (next = in.read()) != '\n';) {
            if (next < 0) {
                if (line.isEmpty()) {
                    return null;
                }
                throw new IOException(excerpt(line));
            }
            line.append((char) next);
            boolean stranger = line.length() <= START.length() && !START.startsWith(line.toString());
            if (stranger || line.length() > LINE_MAX) {
                readAvailable(in, line);
                throw new IOException(excerpt(line));
            }
        }
        var parts = FORM.matcher(line);
        if (!parts.matches()) {
            throw new IOException(excerpt(line));
        }
        return new Greeting(Integer.parseInt(parts.group(1)), Integer.parseInt(parts.group(2)), parts.group(3));
    }

    private static void readAvailable(InputStream in, StringBuilder line) throws IOException {
        while (line.length() < EXCERPT_MAX && in.available() > 0) {
            line.append((char) in.read());
        }
    }

    private static String excerpt(StringBuilder line) {
        var text = line.substring(0, Math.min(line.length(), EXCERPT_MAX));
        return text.replaceFirst("(?s)\\R.*", "").replaceAll("[^ -~]", "?");
    }
}
