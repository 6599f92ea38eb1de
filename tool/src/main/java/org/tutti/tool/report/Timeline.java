/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import org.tutti.tool.page.Figure;

/**
 * The calls of all ranks over time, a row for each rank. The calls themselves are packed, because a page with an object
 * for each of a million calls would not open.
 *
 * @param title the text above the figure
 * @param ranks the ranks of the rows
 * @param counts the number of packed calls of each row
 * @param nanos the duration of the job
 * @param sites the texts about the sites of the calls
 * @param series the names that have a colour: waiting, and then each call
 * @param messages the number of packed messages
 */
record Timeline(String title, List<Integer> ranks, List<Integer> counts, double nanos, List<Place> sites,
        List<Name> series, int messages) implements Figure {
    /** The name of the packed calls among the data of the page. */
    static final String CALLS = "calls";

    /** The name of the packed messages among the data of the page. */
    static final String MESSAGES = "messages";

    /** The number of rows of a page. */
    static final int RANKS_MAX = 256;

    private static final String WAITING = "waiting";

    /** A name with a colour. */
    record Name(String name) {}

    /**
     * A site.
     *
     * @param series the number of the series of its calls
     * @param name the call and its algorithm
     * @param where the communicator and the line of the program
     * @param peer the meaning of the peer of its calls
     * @param blocks whether the rank does nothing else during the call
     */
    record Place(int series, String name, String where, String peer, boolean blocks) {}

    /**
     * A timeline, and the calls in it.
     *
     * @param figure the figure
     * @param calls the packed calls
     * @param messages the packed messages
     */
    record Packed(Timeline figure, byte[] calls, byte[] messages) {}

    @Override
    public String kind() {
        return "timeline";
    }

    @Override
    public boolean isWide() {
        return true;
    }

    /** {@return the timeline of a job} */
    static Packed of(Analysis analysis) {
        JobRecording recording = analysis.recording();
        List<RecordedRank> shown = recording.ranks().stream().limit(RANKS_MAX).toList();
        List<int[]> rows = rows(recording, shown);
        Map<String, Integer> series = series(analysis);
        Timeline figure = new Timeline("Calls of each rank", shown.stream().map(RecordedRank::rank).toList(),
                rows.stream().map(row -> row.length).toList(), (double) recording.end() - recording.begin(),
                places(recording, series), series.keySet().stream().map(Name::new).toList(), 0);
        List<Messages.Pair> pairs = Messages.pairs(recording);
        int[] places = placesOfCalls(recording, rows);
        List<Messages.Pair> drawn = pairs.stream()
                .filter(pair -> places[pair.send()] >= 0 && places[pair.receive()] >= 0)
                .sorted(Comparator.comparingLong(pair -> recording.calls().begin(pair.send()))).toList();
        return new Packed(figure.withMessages(drawn.size()), packCalls(recording, rows), packMessages(drawn, places));
    }

    private Timeline withMessages(int count) {
        return new Timeline(title, ranks, counts, nanos, sites, series, count);
    }

    /** {@return the calls of each row in the order of their begins} */
    private static List<int[]> rows(JobRecording recording, List<RecordedRank> shown) {
        Calls calls = recording.calls();
        int[] rowOfRank = new int[recording.clockOfRank().length];
        Arrays.fill(rowOfRank, -1);
        IntStream.range(0, shown.size()).forEach(row -> rowOfRank[shown.get(row).rank()] = row);
        int[] counts = new int[shown.size()];
        IntStream.range(0, calls.size()).map(call -> rowOfRank[calls.rank(call)]).filter(row -> row >= 0)
                .forEach(row -> counts[row]++);
        List<int[]> rows = new ArrayList<>();
        for (int count : counts) {
            rows.add(new int[count]);
        }
        Arrays.fill(counts, 0);
        for (int call = 0; call < calls.size(); call++) {
            int row = rowOfRank[calls.rank(call)];
            if (row >= 0) {
                rows.get(row)[counts[row]++] = call;
            }
        }
        rows.replaceAll(row -> IntStream.of(row).boxed().sorted(Comparator.comparingLong(calls::begin))
                .mapToInt(Integer::intValue).toArray());
        return rows;
    }

    /** {@return the place of each call among the packed ones, or −1} */
    private static int[] placesOfCalls(JobRecording recording, List<int[]> rows) {
        int[] places = new int[recording.calls().size()];
        Arrays.fill(places, -1);
        int place = 0;
        for (int[] row : rows) {
            for (int call : row) {
                places[call] = place++;
            }
        }
        return places;
    }

    /** {@return the number of each series by its name; calls with the most time have the first colours} */
    private static Map<String, Integer> series(Analysis analysis) {
        Map<String, Integer> series = new LinkedHashMap<>(Map.of(WAITING, 0));
        analysis.sites().forEach(site -> series.putIfAbsent(site.site().name(), series.size()));
        return series;
    }

    private static List<Place> places(JobRecording recording, Map<String, Integer> series) {
        List<Place> places = new ArrayList<>();
        for (int number = 0; number < recording.sites().size(); number++) {
            Site site = recording.sites().get(number);
            String name = ReportText.name(site) + (site.algorithm().isEmpty() ? "" : ", " + site.algorithm());
            String caller = recording.callers().get(number);
            places.add(new Place(series.getOrDefault(site.name(), 0), name,
                    site.communicator() + (caller.isEmpty() ? "" : ", " + caller), peer(site.kind()),
                    site.isBlocking()));
        }
        return places;
    }

    private static String peer(Kind kind) {
        return switch (kind) {
            case COLLECTIVE -> "waited longest for rank";
            case SEND -> "to rank";
            case RECEIVE -> "from rank";
            case ONE_SIDED -> "memory of rank";
            case AWAIT -> "";
        };
    }

    /**
     * Packs calls, row by row: the begin after the begin of the call before, the duration, the time of waiting, the
     * site, the peer plus one, the length.
     */
    private static byte[] packCalls(JobRecording recording, List<int[]> rows) {
        Calls calls = recording.calls();
        Packing packing = new Packing();
        for (int[] row : rows) {
            long before = recording.begin();
            for (int call : row) {
                long begin = Math.max(before, calls.begin(call));
                packing.add(begin - before).add(Math.max(0, calls.end(call) - begin)).add(calls.waiting(call))
                        .add(calls.site(call)).add(calls.peer(call) + 1L).add(calls.bytes(call));
                before = begin;
            }
        }
        return packing.bytes();
    }

    private static byte[] packMessages(List<Messages.Pair> pairs, int[] places) {
        Packing packing = new Packing();
        pairs.forEach(pair -> packing.add(places[pair.send()]).add(places[pair.receive()]));
        return packing.bytes();
    }
}
