/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.util.Locale;

/** The percentiles that {@code --percentiles} reports for calls that are timed one by one. */
public enum Percentile {
    /** Half of the calls take longer. */
    P50("p50", 50),
    /** One call in a hundred takes longer. */
    P99("p99", 99),
    /** One call in a thousand takes longer. */
    P999("p99.9", 99.9);

    private final String label;
    private final double percent;

    Percentile(String label, double percent) {
        this.label = label;
        this.percent = percent;
    }

    /** {@return its name in tables} */
    public String label() {
        return label;
    }

    /** {@return its name in files} */
    public String column() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** {@return the percentage of the calls that take no longer} */
    double percent() {
        return percent;
    }
}
