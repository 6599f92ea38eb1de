/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.util.Locale;

/** Formats numbers of bytes for messages. */
public final class Bytes {
    private static final String[] UNITS = {"KiB", "MiB", "GiB", "TiB"};
    private static final long STEP = 1 << 10;

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
}
