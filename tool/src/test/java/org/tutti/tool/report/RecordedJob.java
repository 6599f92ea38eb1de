/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Recordings of a job that a test makes: a process for each rank. */
final class RecordedJob {
    private static final long MICRO = 1000;

    private final List<String> hosts;
    private final Calls calls = new Calls();
    private final Map<Site, Integer> sites = new LinkedHashMap<>();
    private final List<String> events = new ArrayList<>();
    private final long[] ends;
    private final List<Pauses> pauses = new ArrayList<>();

    /** @param hosts the host of each rank */
    RecordedJob(String... hosts) {
        this.hosts = List.of(hosts);
        this.ends = new long[hosts.length];
        this.hosts.forEach(_ -> pauses.add(Pauses.NONE));
    }

    /** {@return a job with so many ranks on one host} */
    static RecordedJob ofRanks(int ranks) {
        var hosts = new String[ranks];
        Arrays.fill(hosts, "a");
        return new RecordedJob(hosts);
    }

    /** Adds a call of a collective on the world; times are microseconds. */
    RecordedJob collective(int rank, String name, long operation, long begin, long end, long waiting) {
        return collective(rank, name, "flat", 8, operation, begin, end, waiting);
    }

    /** Adds a call of a collective on the world; times are microseconds. */
    RecordedJob collective(int rank, String name, String algorithm, long bytes, long operation, long begin, long end,
            long waiting) {
        return add(rank, new Site(Kind.COLLECTIVE, name, "world", algorithm, false, Site.bits(bytes)), -1, begin, end,
                waiting, operation, bytes);
    }

    /** Adds one end of a message; times are microseconds. */
    RecordedJob message(Kind kind, int rank, int peer, long tag, long begin, long end, long bytes) {
        String name = kind == Kind.SEND ? "send" : "receive";
        return add(rank, new Site(kind, name, "world", "", false, Site.bits(bytes)), peer, begin, end, 0, tag, bytes);
    }

    private RecordedJob add(int rank, Site site, int peer, long begin, long end, long waiting, long number,
            long bytes) {
        calls.add(rank, sites.computeIfAbsent(site, _ -> sites.size()), 0, peer, begin * MICRO, end * MICRO,
                waiting * MICRO, number, bytes);
        return end(rank, end);
    }

    /** The rank ends at this time, in microseconds, or later. */
    RecordedJob end(int rank, long end) {
        ends[rank] = Math.max(ends[rank], end * MICRO);
        return this;
    }

    RecordedJob event(String text) {
        events.add(text);
        return this;
    }

    /** The garbage collector has stopped the rank so often, for so many microseconds each time. */
    RecordedJob pauses(int rank, int count, long each) {
        pauses.set(rank, new Pauses(count, count * each * MICRO));
        return this;
    }

    JobRecording recording() {
        List<String> names = hosts.stream().distinct().toList();
        List<RecordedRank> ranks = IntStream.range(0, hosts.size()).mapToObj(rank -> new RecordedRank(rank,
                names.indexOf(hosts.get(rank)), hosts.get(rank), rank, rank, 0, ends[rank], 0)).toList();
        return new JobRecording("7-job", hosts.size(), names.size(), ranks, calls, List.copyOf(sites.keySet()),
                sites.keySet().stream().map(_ -> "").toList(), 1, events, pauses);
    }
}
