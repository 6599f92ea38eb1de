/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.stream.Stream;

import org.tutti.Communicator;
import org.tutti.tool.OutputFiles.LostException;
import org.tutti.tool.bench.MeasuredLoop.Repeat;

/** The figures of a benchmark, as a table on standard output and as lines of a CSV file; rank 0 writes them. */
final class BenchReport implements AutoCloseable {
    private final boolean writes;
    private final Path file;
    private final PrintWriter csv;
    private final String layout;
    private final int ranks;
    private final LastColumn last;
    private final boolean hasPercentiles;

    /** The last column of the table. */
    enum LastColumn {
        /** There is none. */
        NONE(""),
        /** The overlap of calls and computing; also in the file. */
        OVERLAP("   overlap %"),
        /** The bandwidth or the message rate that belongs to the first time. */
        RATE("          rate");

        private final String title;

        LastColumn(String title) {
            this.title = title;
        }
    }

    /**
     * @param writes whether this rank writes
     * @param csv the file, or empty
     * @param layout a description of the layout
     * @param ranks the number of ranks
     * @param last the last column of the table
     * @param hasPercentiles whether the figures are percentiles instead of means
     */
    BenchReport(boolean writes, String csv, String layout, int ranks, LastColumn last, boolean hasPercentiles)
            throws IOException {
        this.writes = writes;
        this.layout = layout;
        this.ranks = ranks;
        this.last = last;
        this.hasPercentiles = hasPercentiles;
        this.file = Path.of(csv);
        this.csv = writes && !csv.isEmpty() ? open(file) : null;
        if (writes) {
            System.out.printf("%d ranks, %s; microseconds a %s%n%n", ranks, layout,
                    last == LastColumn.RATE ? "message" : "call");
            System.out.printf("%-21s %-30s %10s %12s %12s %12s %12s%s%n", "operation", "algorithm", "bytes",
                    hasPercentiles ? Percentile.P50.label() : "median", hasPercentiles ? Percentile.P99.label() : "low",
                    hasPercentiles ? Percentile.P999.label() : "high", "rewriting", last.title);
        }
        if (this.csv != null) {
            this.csv.println((hasPercentiles ? BenchCommand.PERCENTILES_CSV_COLUMNS : BenchCommand.CSV_COLUMNS)
                    + (last == LastColumn.OVERLAP ? ",overlap" : ""));
        }
    }

    private static PrintWriter open(Path file) {
        try {
            return new PrintWriter(Files.newBufferedWriter(file));
        } catch (IOException e) {
            throw new LostException(file, e);
        }
    }

    /** {@return a description of the layout of a job of processes} */
    static String layout(Communicator world) {
        int nodes = world.topology().nodes();
        return nodes == 1 ? "one node" : nodes + " nodes";
    }

    /**
     * Reports a cell.
     *
     * @param operation the operation
     * @param algorithm the requested algorithm, or empty if Tutti chose
     * @param chosen the algorithm that Tutti chose, or empty if it had no choice
     * @param kind the kind of the calls
     * @param bytes the size of a message
     * @param repeats the figures
     * @param calls the number of calls of a repeat
     */
    void add(String operation, String algorithm, String chosen, CallKind kind, long bytes, List<Repeat> repeats,
            long calls) {
        if (!writes) {
            return;
        }
        double[] overlaps = repeats.stream().map(Repeat::overlap).flatMapToDouble(OptionalDouble::stream).toArray();
        String overlap = overlaps.length == 0 ? "" : String.format(Locale.ROOT, "%.1f", median(overlaps));
        String suffix = kind == CallKind.BLOCKING ? "" : " " + kind.label();
        double[] told = hasPercentiles ? percentiles(repeats) : medianAndExtremes(repeats);
        double rewriting = median(repeats.stream().mapToDouble(Repeat::rewriting).toArray());
        System.out.printf(Locale.ROOT, "%-21s %-30s %10d %12.3f %12.3f %12.3f %12.3f%s%n", operation,
                (algorithm.isEmpty() ? (chosen + " (chosen)").strip() : algorithm) + suffix, bytes, told[0], told[1],
                told[2], rewriting, switch (last) {
                    case NONE -> "";
                    case OVERLAP -> overlap.isEmpty() ? "" : " %11s".formatted(overlap);
                    case RATE -> " %13s".formatted(MessageOperation.rate(operation, bytes, told[0])).stripTrailing();
                });
        if (csv != null) {
            csv.printf(Locale.ROOT, "%s,%s,%s,%d,%d,%.4f,%.4f,%.4f,%d,%.4f%s%n",
                    (algorithm.isEmpty() ? "tutti" : "tutti " + algorithm) + suffix,
                    operation, layout.replace(",", ""), ranks, bytes, told[0], told[1], told[2],
                    calls, rewriting, last == LastColumn.OVERLAP ? "," + overlap : "");
            csv.flush(); // another program may wait for it
        }
    }

    private static double[] medianAndExtremes(List<Repeat> repeats) {
        double[] all = repeats.stream().mapToDouble(Repeat::microseconds).toArray();
        return new double[]{median(all), Arrays.stream(all).min().orElseThrow(),
                Arrays.stream(all).max().orElseThrow()};
    }

    /** The median over the repeats, for each percentile. */
    private static double[] percentiles(List<Repeat> repeats) {
        return Stream.of(Percentile.values()).mapToDouble(each -> median(repeats.stream()
                .mapToDouble(repeat -> repeat.percentiles().get(each.ordinal())).toArray())).toArray();
    }

    private static double median(double... values) {
        Arrays.sort(values);
        return values[values.length / 2];
    }

    @Override
    public void close() {
        if (csv != null) {
            csv.close();
            if (csv.checkError()) {
                throw new LostException(file, new IOException("its disk is full, or its directory is gone"));
            }
        }
    }
}
