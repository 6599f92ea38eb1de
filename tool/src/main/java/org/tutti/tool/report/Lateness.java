/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.report;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * The times by which a rank came late to joint calls. A call that the last rank begins directly after its joint call
 * before, on the same communicator, does not count. The rank has done no work between the calls, so only the system has
 * delayed it.
 */
final class Lateness {
    /** A rank that begins a call no later than this after the last but one does not come late. */
    private static final long LATE_NANOS_MIN = 10_000;

    private static final int NONE = -1;
    private static final long NEVER = Long.MIN_VALUE / 2; // differences do not overflow

    private long joint;
    private long awaitedNanos;
    private int last;
    private long[] lateNanos = new long[16];

    private Lateness() {}

    /** {@return the lateness of each rank} */
    static Lateness[] ofRanks(JobRecording recording, int ranks) {
        Lateness[] found = IntStream.range(0, ranks).mapToObj(_ -> new Lateness()).toArray(Lateness[]::new);
        Calls calls = recording.calls();
        int[] before = new int[ranks]; // the joint call of each rank before
        int[] communicator = {-1};
        Operations.forEachSynchronizing(recording, group -> {
            if (calls.communicator(group[0]) != communicator[0]) {
                communicator[0] = calls.communicator(group[0]);
                Arrays.fill(before, NONE);
            }
            int last = last(calls, group);
            int beforeLast = before[calls.rank(last)];
            if (beforeLast == NONE || !calls.isDirectlyAfter(beforeLast, last)) {
                count(calls, group, last, found);
            }
            for (int call : group) {
                before[calls.rank(call)] = call;
            }
        });
        return found;
    }

    private static int last(Calls calls, int[] group) {
        int last = group[0];
        for (int call : group) {
            last = calls.begin(call) > calls.begin(last) ? call : last;
        }
        return last;
    }

    private static void count(Calls calls, int[] group, int last, Lateness[] found) {
        long before = NEVER; // the begin of the last but one
        for (int call : group) {
            found[calls.rank(call)].joint++;
            before = call == last ? before : Math.max(before, calls.begin(call));
        }
        if (calls.begin(last) - before > LATE_NANOS_MIN) {
            Lateness late = found[calls.rank(last)];
            late.add(calls.begin(last) - before);
            for (int call : group) {
                late.awaitedNanos += calls.begin(last) - calls.begin(call);
            }
        }
    }

    private void add(long nanos) {
        if (last == lateNanos.length) {
            lateNanos = Arrays.copyOf(lateNanos, 2 * last);
        }
        lateNanos[last++] = nanos;
    }

    /** {@return the number of joint calls that count} */
    long joint() {
        return joint;
    }

    /** {@return the number of these calls to which the rank came late} */
    int last() {
        return last;
    }

    /** {@return the sum of the times for which the other ranks waited in these calls until the rank came} */
    long awaitedNanos() {
        return awaitedNanos;
    }

    /** {@return the median of the times by which it came later than the last but one} */
    long median() {
        long[] sorted = Arrays.copyOf(lateNanos, last);
        Arrays.sort(sorted);
        return last == 0 ? 0 : sorted[last / 2];
    }
}
