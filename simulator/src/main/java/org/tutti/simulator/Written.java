/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.Map;
import java.util.TreeMap;

/**
 * Which rank has written which bytes last: so a prediction knows how far they are from who reads them.
 */
final class Written {
    private record Range(long end, int writer) {}

    /** What is done with a part of a range. */
    @FunctionalInterface
    interface Part {
        /**
         * Takes a part that one rank has written last.
         *
         * @param bytes how many
         * @param writer the rank
         */
        void take(long bytes, int writer);
    }

    private final TreeMap<Long, Range> ranges = new TreeMap<>();

    /** Says that a rank has written a range. */
    void write(long start, long bytes, int writer) {
        long end = start + bytes;
        cut(start);
        cut(end);
        ranges.subMap(start, end).clear();
        ranges.put(start, new Range(end, writer));
    }

    private void cut(long at) {
        Map.Entry<Long, Range> entry = ranges.lowerEntry(at);
        if (entry != null && entry.getValue().end() > at) {
            ranges.put(at, entry.getValue());
            ranges.put(entry.getKey(), new Range(at, entry.getValue().writer()));
        }
    }

    /** Lists the parts of a range that somebody has written. */
    void parts(long start, long bytes, Part part) {
        long end = start + bytes;
        Map.Entry<Long, Range> before = ranges.lowerEntry(start);
        if (before != null && before.getValue().end() > start) {
            part.take(Math.min(end, before.getValue().end()) - start, before.getValue().writer());
        }
        ranges.subMap(start, end)
                .forEach((from, range) -> part.take(Math.min(end, range.end()) - from, range.writer()));
    }
}
