/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.report;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;

/** The lines of a program that make calls of one kind, with the time that the known calls of each line waited. */
final class CallerLines {
    private static final int LINES_MAX = 100;
    private static final double NEARLY_ALL = 0.9;

    private final Map<String, Long> waitingNanos = new HashMap<>();

    /** Adds a call whose line is known. Lines beyond a limit do not count. */
    void add(String line, long waiting) {
        if (waitingNanos.size() < LINES_MAX || waitingNanos.containsKey(line)) {
            waitingNanos.merge(line, 1 + Math.max(0, waiting), Long::sum); // without waits, the number of calls counts
        }
    }

    /** {@return the line whose calls waited longest, and the number of the others if they waited for long, too} */
    String describe() {
        var most = waitingNanos.entrySet().stream().max(Map.Entry.<String, Long>comparingByValue()
                .thenComparing(Map.Entry.comparingByKey(Comparator.reverseOrder()))).orElseThrow();
        long all = waitingNanos.values().stream().mapToLong(Long::longValue).sum();
        int others = most.getValue() >= NEARLY_ALL * all ? 0 : waitingNanos.size() - 1;
        return most.getKey() + (others == 0 ? "" : " and " + others + (others == 1 ? " other line" : " other lines"));
    }
}
