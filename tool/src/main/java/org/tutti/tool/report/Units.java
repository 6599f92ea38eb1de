/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.report;

import java.util.Locale;

/** Writes figures with units. */
public final class Units {
    private static final String[] TIMES = {"ns", "µs", "ms", "s"};
    private static final String[] BYTES = {"B", "KiB", "MiB", "GiB", "TiB"};
    private static final double THOUSAND = 1000;
    private static final double KIBI = 1024;
    private static final double THREE_DIGITS = 99.95;

    private Units() {}

    /** {@return a time with three digits, such as 1.2 ms} */
    static String time(double nanos) {
        return scaled(nanos, THOUSAND, TIMES);
    }

    /** {@return a number of bytes with three digits, such as 64 KiB} */
    public static String bytes(double bytes) {
        return scaled(bytes, KIBI, BYTES);
    }

    private static String scaled(double number, double step, String... units) {
        int unit = 0;
        double left = number;
        while (unit < units.length - 1 && Math.round(left) >= step) {
            left /= step;
            unit++;
        }
        boolean isWhole = unit == 0 || left >= THREE_DIGITS || left == Math.rint(left);
        return String.format(Locale.ROOT, isWhole ? "%,.0f %s" : "%.1f %s", left, units[unit]);
    }

    /** {@return a part of a whole in percent, such as 12.3 %} */
    static String percent(double part, double whole) {
        return String.format(Locale.ROOT, "%.1f %%", whole > 0 ? 100 * part / whole : 0);
    }

    /** {@return a count with separators} */
    public static String count(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }
}
