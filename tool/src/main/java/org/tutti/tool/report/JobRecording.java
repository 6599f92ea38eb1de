/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.report;

import java.util.List;
import java.util.stream.IntStream;

/**
 * The recordings of a job.
 *
 * @param job the name of the job
 * @param size the number of ranks of the job
 * @param nodes the number of nodes
 * @param ranks the ranks that have recorded something, in ascending order
 * @param calls their calls
 * @param sites the sites of the calls by number
 * @param callers a line of the program for each site, or an empty text
 * @param communicators the number of communicators
 * @param events failures of ranks and losses of connections, in words
 * @param pauses the pauses of the garbage collector in each recording
 */
record JobRecording(String job, int size, int nodes, List<RecordedRank> ranks, Calls calls, List<Site> sites,
        List<String> callers, int communicators, List<String> events, List<Pauses> pauses) {

    /** {@return the site of a call} */
    Site siteOf(int call) {
        return sites.get(calls.site(call));
    }

    /** {@return the number of recordings} */
    int clocks() {
        return pauses.size();
    }

    /** {@return the recording of each rank of the job; 0 for ranks that have recorded nothing} */
    int[] clockOfRank() {
        int[] clocks = new int[ranks.stream().mapToInt(RecordedRank::rank).max().orElse(-1) + 1];
        ranks.forEach(rank -> clocks[rank.rank()] = rank.clock());
        return clocks;
    }

    /** {@return the host of each recording} */
    List<String> hostOfClock() {
        return IntStream.range(0, clocks()).mapToObj(clock -> ranks.stream().filter(rank -> rank.clock() == clock)
                .findFirst().map(RecordedRank::host).orElse("")).toList();
    }

    /** {@return the time of the earliest begin of a rank} */
    long begin() {
        return ranks.stream().mapToLong(RecordedRank::begin).min().orElse(0);
    }

    /** {@return the time of the latest end of a rank} */
    long end() {
        return ranks.stream().mapToLong(RecordedRank::end).max().orElse(0);
    }

    /** Adds to all times of each recording the shift of its clock. {@return the recordings with these times} */
    JobRecording shifted(long[] shifts) {
        calls.shift(clockOfRank(), shifts);
        return new JobRecording(job, size, nodes,
                ranks.stream().map(rank -> rank.shifted(shifts[rank.clock()])).toList(), calls, sites, callers,
                communicators, events, pauses);
    }
}
