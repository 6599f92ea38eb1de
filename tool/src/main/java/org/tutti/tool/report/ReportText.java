/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

import org.tutti.job.diagnosis.RankList;

/** Writes an analysis as a page of text: at most 50 lines of at most 80 columns. */
final class ReportText {
    private static final int COLUMNS = 80;
    private static final int RANKS_MAX = 12;
    private static final int SITES_MAX = 8;
    private static final int ADVICE_MAX = 4;
    private static final int EVENTS_MAX = 3;
    private static final int COMMUNICATOR_LENGTH_MAX = 10;
    private static final int CALL_LENGTH_MAX = 15;
    private static final int ALGORITHM_LENGTH_MAX = 11;
    private static final int CALLER_LENGTH_MAX = 15;
    private static final String RANK_FORM = "%6s %10s %9s %9s %14s %9s %13s";
    private static final String SITE_FORM = "%-10s %-15s %13s %9s %8s %8s %-11s";

    private final Analysis analysis;
    private final List<String> lines = new ArrayList<>();

    private ReportText(Analysis analysis) {
        this.analysis = analysis;
    }

    /** {@return the lines of the report} */
    static List<String> of(Analysis analysis) {
        ReportText text = new ReportText(analysis);
        text.head();
        text.ranks();
        text.sites();
        text.advice();
        return text.lines;
    }

    private void head() {
        JobRecording recording = analysis.recording();
        long omitted = recording.ranks().stream().mapToLong(RecordedRank::omitted).sum();
        wrap("job " + recording.job() + ": " + count(recording.size(), "rank") + " on "
                + count(recording.nodes(), "node") + ", " + Units.time(recording.end() - recording.begin()) + ", "
                + count(recording.calls().size(), "call"), "  ");
        if (recording.ranks().size() < recording.size()) {
            int[] missing = IntStream.range(0, recording.size())
                    .filter(rank -> recording.ranks().stream().noneMatch(each -> each.rank() == rank)).toArray();
            wrap("There is no recording of " + RankList.name(missing)
                    + ", so “came last” compares the other ranks.", "  ");
        }
        if (omitted > 0) {
            wrap(count(omitted, "later call") + " left out: a report has " + Units.count(RecordingReader.CALLS_MAX)
                    + " calls.", "  ");
        }
        if (analysis.alignment().greatestNanos() > 0) {
            wrap("Clocks were shifted by up to " + Units.time(analysis.alignment().greatestNanos()) + "."
                    + (analysis.alignment().contradictionNanos() > 0
                            ? " They still contradict each other by "
                                    + Units.time(analysis.alignment().contradictionNanos()) + "."
                            : ""),
                    "  ");
        }
        recording.events().stream().limit(EVENTS_MAX).forEach(event -> lines.add(cut(event, COLUMNS)));
    }

    private void ranks() {
        lines.add("");
        add(RANK_FORM, "rank", "computing", "calling", "waiting", "came last", "late by", "others waited");
        List<RankTimes> shown = analysis.ranks().stream()
                .sorted(Comparator.comparingLong(RankTimes::awaitedNanos).reversed()).limit(RANKS_MAX)
                .sorted(Comparator.comparingInt(rank -> rank.rank().rank())).toList();
        for (RankTimes rank : shown) {
            add(RANK_FORM, rank.rank().rank(), Units.percent(rank.computing(), rank.nanos()),
                    Units.percent(rank.calling(), rank.nanos()), Units.percent(rank.waiting(), rank.nanos()),
                    Units.percent(rank.last(), rank.joint()), rank.last() > 0 ? Units.time(rank.lateNanos()) : "-",
                    Units.time(rank.awaitedNanos()));
        }
        if (shown.size() < analysis.ranks().size()) {
            lines.add("The others waited less for the " + (analysis.ranks().size() - shown.size()) + " other ranks.");
        }
    }

    private void sites() {
        lines.add("");
        add(SITE_FORM, "group", "call", "bytes", "calls", "time", "waiting", "algorithm");
        for (SiteTimes site : analysis.sites().stream().limit(SITES_MAX).toList()) {
            add(SITE_FORM, cut(site.site().communicator(), COMMUNICATOR_LENGTH_MAX),
                    cut(name(site.site()), CALL_LENGTH_MAX),
                    lengths(site), Units.count(site.calls()), Units.time(site.nanos()),
                    Units.percent(site.waiting(), site.nanos()),
                    cut(site.site().algorithm(), ALGORITHM_LENGTH_MAX));
            if (!site.caller().isEmpty()) {
                lines.add("           in " + cut(site.caller(), COLUMNS - CALLER_LENGTH_MAX));
            }
        }
        if (analysis.sites().size() > SITES_MAX) {
            lines.add((analysis.sites().size() - SITES_MAX) + " more with less time are on the page.");
        }
    }

    private void advice() {
        lines.add("");
        Advice.of(analysis).stream().limit(ADVICE_MAX).forEach(sentence -> wrap("- " + sentence, "  "));
    }

    /** {@return the name of a site's calls, which tells whether they are non-blocking} */
    static String name(Site site) {
        return site.nonBlocking() ? "start " + site.name() : site.name();
    }

    /** {@return the lengths of a site's calls, such as "8 B" or "1 KiB to 2 KiB"} */
    static String lengths(SiteTimes site) {
        return site.least() == site.most() ? Units.bytes(site.most())
                : Units.bytes(site.least()).replace(" ", "") + "-" + Units.bytes(site.most()).replace(" ", "");
    }

    private static String count(long number, String noun) {
        return Units.count(number) + " " + noun + (number == 1 ? "" : "s");
    }

    private void add(String form, Object... cells) {
        lines.add(cut(String.format(Locale.ROOT, form, cells).stripTrailing(), COLUMNS));
    }

    /** Breaks a sentence at blanks. */
    private void wrap(String sentence, String indentation) {
        StringBuilder line = new StringBuilder();
        for (String word : sentence.split(" ")) {
            if (line.length() + 1 + word.length() > COLUMNS) {
                lines.add(cut(line.toString(), COLUMNS));
                line.setLength(0);
                line.append(indentation);
            } else if (!line.isEmpty() && line.charAt(line.length() - 1) != ' ') {
                line.append(' ');
            }
            line.append(word);
        }
        lines.add(cut(line.toString(), COLUMNS));
    }

    private static String cut(String text, int length) {
        return text.length() <= length ? text : text.substring(0, length - 1) + "…";
    }
}
