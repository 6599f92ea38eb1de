/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.report;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds a shift for the clock of each recording, so that causes come before their effects: no call of a collective that
 * synchronizes ends at a rank before every rank has begun it, and no message is received before its send has begun.
 * Each JVM has a clock of its own, because it reads the clock of its host only at the begin of a recording.
 *
 * <p>If a call ends at clock x and begins at clock y, then {@code shift(y) - shift(x) <= end(x) - begin(y)}. The least
 * of these differences for each two clocks are the weights of a graph, and its shortest paths are the bounds of all
 * differences of shifts. The clocks are then placed one after another. A clock gets the shift, within its bounds, that
 * is closest to the shift of its host's first clock, or closest to zero if it is the first. A later clock then still
 * has a place within its bounds, because the bounds obey the triangle inequality.
 *
 * @param shifts the shift of each clock, in nanoseconds
 * @param contradictionNanos the greatest time by which an effect still comes before its cause, because a clock has
 *            changed its pace; 0 if none does
 */
record Alignment(long[] shifts, long contradictionNanos) {
    private static final long UNBOUND = Long.MAX_VALUE / 4;

    /** The number of pairs of calls that are compared; more would take longer, and hardly tighten the bounds. */
    private static final long PAIRS_MAX = 500_000_000;

    /** {@return the shifts for the clocks of a job} */
    static Alignment of(JobRecording recording) {
        long[][] bounds = new long[recording.clocks()][recording.clocks()];
        for (int clock = 0; clock < bounds.length; clock++) {
            Arrays.fill(bounds[clock], UNBOUND);
            bounds[clock][clock] = 0;
        }
        if (bounds.length > 1) {
            boundByOperations(recording, bounds);
            boundByMessages(recording, bounds);
        }
        return of(bounds, recording.hostOfClock());
    }

    private static void boundByOperations(JobRecording recording, long[][] bounds) {
        Calls calls = recording.calls();
        int[] clockOfRank = recording.clockOfRank();
        long[] pairs = new long[1];
        Operations.forEachSynchronizing(recording, group -> {
            pairs[0] += (long) group.length * group.length;
            if (pairs[0] < PAIRS_MAX) {
                for (int ending : group) {
                    long[] row = bounds[clockOfRank[calls.rank(ending)]];
                    for (int beginning : group) {
                        int clock = clockOfRank[calls.rank(beginning)];
                        row[clock] = Math.min(row[clock], calls.end(ending) - calls.begin(beginning));
                    }
                }
            }
        });
    }

    private static void boundByMessages(JobRecording recording, long[][] bounds) {
        Calls calls = recording.calls();
        int[] clockOfRank = recording.clockOfRank();
        for (Messages.Pair pair : Messages.pairs(recording)) {
            if (!pair.isCertain()) {
                continue;
            }
            int sender = clockOfRank[calls.rank(pair.send())];
            long[] row = bounds[clockOfRank[calls.rank(pair.receive())]];
            row[sender] = Math.min(row[sender], calls.end(pair.receive()) - calls.begin(pair.send()));
        }
    }

    /**
     * Places clocks.
     *
     * @param bounds the greatest value of {@code shift(y) - shift(x)} in row x and column y; this method changes it
     * @param hosts the host of each clock
     * @return the shifts
     */
    static Alignment of(long[][] bounds, List<String> hosts) {
        close(bounds);
        long[] shifts = new long[bounds.length];
        long contradiction = 0;
        Map<String, Long> ofHost = new HashMap<>();
        for (int clock = 0; clock < bounds.length; clock++) {
            long least = -UNBOUND;
            long most = UNBOUND;
            for (int placed = 0; placed < clock; placed++) {
                least = Math.max(least, shifts[placed] - bounds[clock][placed]);
                most = Math.min(most, shifts[placed] + bounds[placed][clock]);
            }
            long wanted = ofHost.getOrDefault(hosts.get(clock), 0L);
            shifts[clock] = least > most ? least + (most - least) / 2 : Math.clamp(wanted, least, most);
            contradiction = clock == 0 ? 0 : Math.max(contradiction, least - most);
            ofHost.putIfAbsent(hosts.get(clock), shifts[clock]);
        }
        return new Alignment(shifts, contradiction);
    }

    /** Replaces each bound by the least sum of bounds on a way (Floyd, Warshall). */
    private static void close(long[][] bounds) {
        for (int by = 0; by < bounds.length; by++) {
            long[] onward = bounds[by];
            for (int from = 0; from < bounds.length; from++) {
                long[] direct = bounds[from];
                long first = direct[by];
                for (int to = 0; first < UNBOUND && to < bounds.length; to++) {
                    direct[to] = Math.max(-UNBOUND, Math.min(direct[to], first + onward[to]));
                }
                direct[from] = 0; // also if bounds contradict each other
            }
        }
    }

    /** {@return the greatest shift between two clocks} */
    long greatestNanos() {
        return Arrays.stream(shifts).max().orElse(0) - Arrays.stream(shifts).min().orElse(0);
    }
}
