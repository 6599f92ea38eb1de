/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.report;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.tutti.tool.page.Histogram;
import org.tutti.tool.page.Matrix;
import org.tutti.tool.page.Page;
import org.tutti.tool.page.Scale;
import org.tutti.tool.page.Table;
import org.tutti.tool.page.Table.Cell;

/** Writes an analysis as a page. */
final class ReportPage {
    private static final int NAMES_MAX = 64;
    private static final double[] WAITING_EDGES = {0, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 2e6, 5e6, 1e7,
            2e7, 5e7, 1e8, 1e9, 1e10, 1e11};

    private final Analysis analysis;
    private final JobRecording recording;
    private final Page page;

    private ReportPage(Analysis analysis) {
        this.analysis = analysis;
        this.recording = analysis.recording();
        this.page = new Page("Job " + recording.job());
    }

    /**
     * Writes a page.
     *
     * @param analysis the analysis
     * @param file the file
     */
    static void write(Analysis analysis, Path file) {
        ReportPage report = new ReportPage(analysis);
        report.head();
        report.timeline();
        report.ranks();
        report.sites();
        report.waiting();
        report.bytes();
        report.page.write("the page", file);
    }

    private void head() {
        page.script(ReportPage.class, "timeline.js").style(ReportPage.class, "timeline.css");
        page.fact("ranks",
                recording.size() + " on " + recording.nodes() + (recording.nodes() == 1 ? " node" : " nodes"))
                .fact("hosts", recording.ranks().stream().map(RecordedRank::host).filter(host -> !host.isEmpty())
                        .distinct().limit(NAMES_MAX).collect(Collectors.joining(", ")))
                .fact("duration", Units.time(recording.end() - recording.begin()))
                .fact("calls", Units.count(recording.calls().size()))
                .fact("clocks", analysis.alignment().greatestNanos() == 0 ? "agree"
                        : "shifted by up to " + Units.time(analysis.alignment().greatestNanos()));
        recording.events().forEach(page::paragraph);
        page.heading("Advice");
        Advice.of(analysis).forEach(page::paragraph);
    }

    private void timeline() {
        Timeline.Packed packed = Timeline.of(analysis);
        page.heading("Timeline").paragraph("The height of a colour is its share of the time. Turn the wheel to zoom, "
                + "drag to move, double-click to see all; or press + and -, the arrow keys and 0.");
        if (recording.ranks().size() > Timeline.RANKS_MAX) {
            page.paragraph("The first " + Timeline.RANKS_MAX + " ranks are shown.");
        }
        page.legend().figure(packed.figure()).data(Timeline.CALLS, packed.calls())
                .data(Timeline.MESSAGES, packed.messages());
    }

    private void ranks() {
        page.heading("Ranks");
        Table table = new Table("", List.of("rank", "host", "computing", "calling", "waiting", "joint calls",
                "came last", "late by (median)", "others waited"));
        analysis.ranks().forEach(rank -> table.row((long) rank.rank().rank(), rank.rank().host(),
                percent(rank.computing(), rank.nanos()), percent(rank.calling(), rank.nanos()),
                percent(rank.waiting(), rank.nanos()), rank.joint(), percent(rank.last(), rank.joint()),
                time(rank.lateNanos()), time(rank.awaitedNanos())));
        page.table(table);
    }

    private void sites() {
        page.heading("Calls").paragraph("Times are sums over all ranks.");
        Table table = new Table("", List.of("communicator", "call", "line", "bytes", "calls", "time", "of all",
                "a call", "waiting", "algorithm"));
        analysis.sites().forEach(site -> table.row(site.site().communicator(), ReportText.name(site.site()),
                site.caller(), new Cell(ReportText.lengths(site), site.most()), site.calls(), time(site.nanos()),
                percent(site.nanos(), analysis.nanos()), time((double) site.nanos() / site.calls()),
                percent(site.waiting(), site.nanos()), site.site().algorithm()));
        page.table(table);
    }

    private static Cell time(double nanos) {
        return new Cell(Units.time(nanos), nanos);
    }

    private static Cell percent(double part, double whole) {
        return new Cell(Units.percent(part, whole), whole > 0 ? part / whole : 0);
    }

    private void waiting() {
        Calls calls = recording.calls();
        page.heading("Waiting").paragraph("How long ranks waited in a call.");
        for (Kind kind : List.of(Kind.COLLECTIVE, Kind.RECEIVE, Kind.AWAIT)) {
            long[] counts = new long[WAITING_EDGES.length - 1];
            for (int call = 0; call < calls.size(); call++) {
                if (recording.siteOf(call).kind() == kind) {
                    int found = Arrays.binarySearch(WAITING_EDGES, calls.waiting(call));
                    counts[Math.min(counts.length - 1, found >= 0 ? found : -found - 2)]++;
                }
            }
            int last = IntStream.range(0, counts.length).filter(i -> counts[i] > 0).max().orElse(-1);
            if (last >= 0) {
                page.figure(new Histogram(switch (kind) {
                    case COLLECTIVE -> "Collectives";
                    case RECEIVE -> "Receives";
                    default -> "Requests";
                }, "ns", Arrays.copyOf(WAITING_EDGES, last + 2), Scale.LOGARITHMIC, Arrays.copyOf(counts, last + 1)));
            }
        }
    }

    private void bytes() {
        Calls calls = recording.calls();
        int ranks = Math.max(1, recording.clockOfRank().length);
        int perName = Math.ceilDiv(ranks, NAMES_MAX);
        int names = Math.ceilDiv(ranks, perName);
        double[][] sent = new double[names][names];
        for (int call = 0; call < calls.size(); call++) {
            Kind kind = recording.siteOf(call).kind();
            int peer = calls.peer(call);
            if (peer >= 0 && peer < ranks && (kind == Kind.SEND || kind == Kind.ONE_SIDED)) {
                boolean isGet = recording.siteOf(call).name().startsWith("get");
                int from = isGet ? peer : calls.rank(call);
                int to = isGet ? calls.rank(call) : peer;
                sent[from / perName][to / perName] += calls.bytes(call);
            }
        }
        page.heading("Bytes between ranks");
        addMatrix("Messages and one-sided calls", "from rank", "to rank", sent, perName, ranks);
    }

    private void addMatrix(String title, String rows, String columns, double[][] values, int perName, int ranks) {
        if (Arrays.stream(values).flatMapToDouble(Arrays::stream).allMatch(value -> value == 0)) {
            page.paragraph(title + ": none.");
            return;
        }
        List<String> names = IntStream.range(0, values.length).map(name -> name * perName)
                .mapToObj(first -> perName == 1 ? String.valueOf(first)
                        : first + "-" + Math.min(ranks - 1, first + perName - 1))
                .toList();
        page.figure(new Matrix(title, "bytes", rows, columns, names, values, true));
    }
}
