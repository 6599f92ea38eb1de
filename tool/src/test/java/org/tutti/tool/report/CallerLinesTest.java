/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.report;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class CallerLinesTest {
    private final CallerLines lines = new CallerLines();

    @Test
    void shouldNameTheLineWhoseCallsWaitedLongest() {
        lines.add("Program:10", 500);
        assertThat(lines.describe()).isEqualTo("Program:10");
        lines.add("Program:50", 300);
        lines.add("Program:50", 300);
        assertThat(lines.describe()).isEqualTo("Program:50 and 1 other line");
        lines.add("Other:1", 100);
        assertThat(lines.describe()).isEqualTo("Program:50 and 2 other lines");
        lines.add("Program:50", 10_000);
        assertThat(lines.describe()).isEqualTo("Program:50");
    }

    @Test
    void shouldNameTheLineWithMostCallsIfNoneWaited() {
        lines.add("Program:10", 0);
        lines.add("Program:50", 0);
        lines.add("Program:50", -1);
        assertThat(lines.describe()).isEqualTo("Program:50 and 1 other line");
    }

    @Test
    void shouldKeepALimitedNumberOfLines() {
        for (int line = 1; line <= 1000; line++) {
            lines.add("Program:" + line, line);
        }
        assertThat(lines.describe()).isEqualTo("Program:100 and 99 other lines");
    }
}
