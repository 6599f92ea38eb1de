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
    /** A rank that begins a call no later than this after the last but one does not come late. */
    static final long LATE_NANOS_MIN = 10_000;

    /** The times by which ranks came late to calls. */
    private static final class Lateness {
        private long joint;
        private long awaitedNanos;
        private int last;
        private long[] lateNanos = new long[16];

        void add(long nanos) {
            if (last == lateNanos.length) {
                lateNanos = Arrays.copyOf(lateNanos, 2 * last);
            }
            lateNanos[last++] = nanos;
        }

        long median() {
            long[] sorted = Arrays.copyOf(lateNanos, last);
            Arrays.sort(sorted);
            return last == 0 ? 0 : sorted[last / 2];
        }
    }

    /** {@return the analysis of recordings, whose times it aligns} */
    static Analysis of(JobRecording recorded) {
        Alignment alignment = Alignment.of(recorded);
        JobRecording recording = recorded.shifted(alignment.shifts());
        int ranks = recording.clockOfRank().length;
        Lateness[] lateness = lateness(recording, ranks);
        int[][] blocking = blockingCalls(recording, ranks);
        List<RankTimes> times = recording.ranks().stream()
                .map(rank -> times(recording, rank, blocking[rank.rank()], lateness[rank.rank()])).toList();
        return new Analysis(recording, alignment, times, sites(recording, blocking));
    }

    private static Lateness[] lateness(JobRecording recording, int ranks) {
        Lateness[] lateness = IntStream.range(0, ranks).mapToObj(_ -> new Lateness()).toArray(Lateness[]::new);
        Calls calls = recording.calls();
        Operations.forEachSynchronizing(recording, group -> {
            int last = group[0];
            long before = Long.MIN_VALUE; // the begin of the last but one
            for (int call : group) {
                lateness[calls.rank(call)].joint++;
                if (call != group[0] && calls.begin(call) > calls.begin(last)) {
                    before = calls.begin(last);
                    last = call;
                } else if (call != last) {
                    before = Math.max(before, calls.begin(call));
                }
            }
            if (calls.begin(last) - before > LATE_NANOS_MIN) {
                Lateness late = lateness[calls.rank(last)];
                late.add(calls.begin(last) - before);
                for (int call : group) {
                    late.awaitedNanos += calls.begin(last) - calls.begin(call);
                }
            }
        });
        return lateness;
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
        return new RankTimes(rank, rank.end() - rank.begin(), busy - waiting, waiting, lateness.joint, lateness.last,
                lateness.median(), lateness.awaitedNanos);
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
                        && calls.begin(call) - calls.end(before) <= calls.nanos(before)) {
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
