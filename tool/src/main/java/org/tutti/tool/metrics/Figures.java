/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.metrics;

import java.util.List;
import java.util.Map;

import org.tutti.Collective;

/**
 * The figures of a job at one moment. All figures of ranks are sums since the start of the job.
 *
 * @param job the name of the job
 * @param rankStates the number of ranks in each state, by the name of the state
 * @param failedRanks the number of ranks that have failed
 * @param hostsWithoutAnswer the number of hosts that have not told the figures of their ranks in time
 * @param ranks the figures of the ranks that have joined
 * @param waitedForNanos the time in nanoseconds that other ranks have waited for a rank, by the number of the rank
 */
public record Figures(String job, Map<String, Integer> rankStates, int failedRanks, int hostsWithoutAnswer,
        List<OfRank> ranks, List<Long> waitedForNanos) {
    /**
     * The figures of a rank.
     *
     * @param rank the rank
     * @param calls the calls of each collective that the rank has called
     * @param waitingNanos the time in nanoseconds that the rank has waited for other ranks
     * @param railsLost the number of connections that the process of the rank has lost; 0 unless the rank is its first
     * @param railsRestored the number of these connections that have been restored
     */
    public record OfRank(int rank, Map<Collective, Calls> calls, long waitingNanos, long railsLost,
            long railsRestored) {}

    /**
     * The calls of one collective by one rank.
     *
     * @param calls the number of calls that have begun
     * @param bytes the sum of the lengths of the calls' vectors or blocks in bytes
     */
    public record Calls(long calls, long bytes) {}
}
