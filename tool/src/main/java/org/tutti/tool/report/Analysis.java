/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Where the time of a job went.
 *
 * @param recording the recordings, with aligned clocks
 * @param alignment the shifts of the clocks
 * @param ranks the ranks in ascending order
 * @param sites the sites, those with the most time first
 */
record Analysis(JobRecording recording, Alignment alignment, List<RankTimes> ranks, List<SiteTimes> sites) {
    /** {@return the analysis of recordings, whose times it aligns} */
    static Analysis of(JobRecording recorded) {
        Alignment alignment = Alignment.of(recorded);
        JobRecording recording = recorded.shifted(alignment.shifts());
        int ranks = recording.clockOfRank().length;
        Lateness[] lateness = Lateness.ofRanks(recording, ranks);
        int[][] blocking = blockingCalls(recording, ranks);
        List<RankTimes> times = recording.ranks().stream()
                .map(rank -> times(recording, rank, blocking[rank.rank()], lateness[rank.rank()])).toList();
        return new Analysis(recording, alignment, times, sites(recording, blocking));
    }

    /** {@return the calls of each rank that block it, in the order of their begins} */
    private static int[][] blockingCalls(JobRecording recording, int ranks) {
        Calls calls = recording.calls();
        int[] counts = new int[ranks];
        for (int call = 0; call < calls.size(); call++) {
            counts[calls.rank(call)] += recording.siteOf(call).isBlocking() ? 1 : 0;
        }
        int[][] found = new int[ranks][];
        Arrays.setAll(found, rank -> new int[counts[rank]]);
        Arrays.fill(counts, 0);
        for (int call = 0; call < calls.size(); call++) {
            int rank = calls.rank(call);
            if (recording.siteOf(call).isBlocking()) {
                found[rank][counts[rank]++] = call;
            }
        }
        for (int rank = 0; rank < ranks; rank++) {
            found[rank] = IntStream.of(found[rank]).boxed().sorted(Comparator.comparingLong(calls::begin))
                    .mapToInt(Integer::intValue).toArray();
        }
        return found;
    }

    private static RankTimes times(JobRecording recording, RecordedRank rank, int[] blocking, Lateness lateness) {
        Calls calls = recording.calls();
        long busy = 0;
        long waiting = 0;
        long until = Long.MIN_VALUE;
        for (int call : blocking) { // calls of several threads of a rank may overlap
            busy += Math.max(0, calls.end(call) - Math.max(until, calls.begin(call)));
            until = Math.max(until, calls.end(call));
            waiting += calls.waiting(call);
        }
        waiting = Math.min(waiting, busy);
        return new RankTimes(rank, rank.end() - rank.begin(), busy - waiting, waiting, lateness.joint(),
                lateness.last(), lateness.median(), lateness.awaitedNanos());
    }

    private static List<SiteTimes> sites(JobRecording recording, int[][] blocking) {
        Calls calls = recording.calls();
        int count = recording.sites().size();
        long[] least = new long[count];
        long[] most = new long[count];
        long[] counts = new long[count];
        long[] nanos = new long[count];
        long[] waiting = new long[count];
        Arrays.fill(least, Long.MAX_VALUE);
        for (int call = 0; call < calls.size(); call++) {
            int site = calls.site(call);
            least[site] = Math.min(least[site], calls.bytes(call));
            most[site] = Math.max(most[site], calls.bytes(call));
            counts[site]++;
            nanos[site] += calls.nanos(call);
            waiting[site] += calls.waiting(call);
        }
        long[] streaks = streaks(recording, blocking);
        List<SiteTimes> found = new ArrayList<>();
        for (int site = 0; site < count; site++) {
            if (counts[site] > 0) {
                found.add(new SiteTimes(recording.sites().get(site), recording.callers().get(site), least[site],
                        most[site], counts[site], nanos[site], waiting[site], streaks[site]));
            }
        }
        found.sort(Comparator.comparingLong(SiteTimes::nanos).reversed());
        return found;
    }

    private static long[] streaks(JobRecording recording, int[][] blocking) {
        Calls calls = recording.calls();
        long[] streaks = new long[recording.sites().size()];
        for (int[] ofRank : blocking) {
            for (int i = 1; i < ofRank.length; i++) {
                int before = ofRank[i - 1];
                int call = ofRank[i];
                if (calls.site(before) == calls.site(call) && calls.communicator(before) == calls.communicator(call)
                        && (recording.siteOf(call).kind() == Kind.COLLECTIVE || calls.peer(before) == calls.peer(call))
                        && calls.isDirectlyAfter(before, call)) {
                    streaks[calls.site(call)]++;
                }
            }
        }
        return streaks;
    }

    /** {@return the sum of the times of all ranks} */
    long nanos() {
        return ranks.stream().mapToLong(RankTimes::nanos).sum();
    }
}
