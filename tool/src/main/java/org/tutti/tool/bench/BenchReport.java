/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

import org.tutti.Communicator;
import org.tutti.tool.bench.MeasuredLoop.Repeat;

/** The figures of a benchmark, as a table on standard output and as lines of a CSV file; rank 0 writes them. */
final class BenchReport implements AutoCloseable {
    private final boolean writes;
    private final PrintWriter csv;
    private final String layout;
    private final int ranks;
    private final boolean hasOverlaps;

    /**
     * @param writes whether this rank writes
     * @param csv the file, or nothing
     * @param layout where the ranks are
     * @param ranks how many there are
     * @param hasOverlaps whether there are overlaps, which have a column
     */
    BenchReport(boolean writes, String csv, String layout, int ranks, boolean hasOverlaps) throws IOException {
        this.writes = writes;
        this.layout = layout;
        this.ranks = ranks;
        this.hasOverlaps = hasOverlaps;
        this.csv = writes && !csv.isEmpty() ? new PrintWriter(Files.newBufferedWriter(Path.of(csv))) : null;
        if (writes) {
            System.out.printf("%d ranks, %s; microseconds a call%n%n", ranks, layout);
            System.out.printf("%-21s %-24s %10s %12s %12s %12s%s%n", "operation", "algorithm", "bytes", "median", "low",
                    "high", hasOverlaps ? "   overlap %" : "");
        }
        if (this.csv != null) {
            this.csv.println(BenchCommand.CSV_COLUMNS + (hasOverlaps ? ",overlap" : ""));
        }
    }

    /** {@return where the ranks of a job of processes are} */
    static String layout(Communicator world) {
        int nodes = world.topology().nodes();
        return nodes == 1 ? "one node" : nodes + " nodes";
    }

    /**
     * Reports a cell.
     *
     * @param operation what was called
     * @param algorithm by which, or nothing if Tutti chose
     * @param chosen what it chose, or nothing if there was no choice
     * @param kind how
     * @param bytes of a message
     * @param repeats the figures
     * @param calls of a repeat
     */
    void add(String operation, String algorithm, String chosen, CallKind kind, long bytes, List<Repeat> repeats,
            long calls) {
        if (!writes) {
            return;
        }
        double[] sorted = repeats.stream().mapToDouble(Repeat::microseconds).sorted().toArray();
        double[] overlaps = repeats.stream().map(Repeat::overlap).flatMapToDouble(OptionalDouble::stream).sorted()
                .toArray();
        String overlap = overlaps.length == 0 ? "" : String.format(Locale.ROOT, "%.1f", overlaps[overlaps.length / 2]);
        String suffix = kind == CallKind.BLOCKING ? "" : " " + kind.label();
        double median = sorted[sorted.length / 2];
        double low = sorted[0];
        double high = sorted[sorted.length - 1];
        System.out.printf(Locale.ROOT, "%-21s %-24s %10d %12.3f %12.3f %12.3f%s%n", operation,
                (algorithm.isEmpty() ? (chosen + " (chosen)").strip() : algorithm) + suffix, bytes, median, low, high,
                overlap.isEmpty() ? "" : " %11s".formatted(overlap));
        if (csv != null) {
            csv.printf(Locale.ROOT, "%s,%s,%s,%d,%d,%.4f,%.4f,%.4f,%d%s%n",
                    (algorithm.isEmpty() ? "tutti" : "tutti " + algorithm) + suffix,
                    operation, layout.replace(",", ""), ranks, bytes, median, low, high, calls,
                    hasOverlaps ? "," + overlap : "");
            csv.flush(); // someone may wait for it
        }
    }

    @Override
    public void close() throws IOException {
        if (csv != null) {
            csv.close();
            if (csv.checkError()) {
                throw new IOException("the CSV file could not be written");
            }
        }
    }
}
