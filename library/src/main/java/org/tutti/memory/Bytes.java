/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Formats numbers of bytes for messages, and reads and writes those of options. */
public final class Bytes {
    private static final String[] UNITS = {"KiB", "MiB", "GiB", "TiB"};
    private static final long STEP = 1 << 10;
    private static final Pattern OPTION = Pattern.compile("(\\d{1,12})([km]?)", Pattern.CASE_INSENSITIVE);

    private Bytes() {}

    /**
     * Returns a text for messages that states a number of bytes, such as {@code 12 bytes} or {@code 1.5 GiB}.
     *
     * @param bytes the number of bytes, 0 or more
     * @return the number with its unit, with one decimal if it is 1 KiB or more
     */
    public static String text(long bytes) {
        if (bytes < STEP) {
            return bytes + " bytes";
        }
        int unit = 0;
        double number = (double) bytes / STEP;
        while (number >= STEP && unit < UNITS.length - 1) {
            number /= STEP;
            unit++;
        }
        return String.format(Locale.ROOT, "%.1f %s", number, UNITS[unit]);
    }

    /**
     * Reads a number of bytes of an option, such as {@code 512}, {@code 64k} or {@code 1m}.
     *
     * @param text 1 to 12 digits; the unit {@code k} (KiB) or {@code m} (MiB) may follow, in lower or upper case
     * @return the number of bytes, 0 or more
     * @throws NumberFormatException if the text is no such number
     */
    public static long parse(String text) {
        Matcher matcher = OPTION.matcher(text);
        if (!matcher.matches()) {
            throw new NumberFormatException("\"" + text + "\" is no number of bytes such as 512, 64k or 1m");
        }
        return Long.parseLong(matcher.group(1)) * switch (matcher.group(2)) {
            case "" -> 1;
            case "k", "K" -> STEP;
            default -> STEP * STEP;
        };
    }

    /**
     * Returns a number of bytes as {@link #parse} reads it.
     *
     * @param bytes the number of bytes, 0 or more
     * @return the number with the largest unit that divides it
     */
    public static String option(long bytes) {
        if (bytes == 0 || bytes % STEP != 0) {
            return String.valueOf(bytes);
        }
        return bytes % (STEP * STEP) == 0 ? bytes / (STEP * STEP) + "m" : bytes / STEP + "k";
    }
}
