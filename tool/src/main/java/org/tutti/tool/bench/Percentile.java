/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.util.Locale;

/** What {@code --percentiles} tells of calls that are timed one by one. */
public enum Percentile {
    /** Half of the calls take longer. */
    P50("p50", 50),
    /** One of a hundred takes longer. */
    P99("p99", 99),
    /** One of a thousand takes longer. */
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

    /** {@return how many percent of the calls take no longer} */
    double percent() {
        return percent;
    }
}
