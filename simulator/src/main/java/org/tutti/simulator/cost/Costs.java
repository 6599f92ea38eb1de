/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator.cost;

import org.tutti.collective.Algorithm;

/**
 * Finds the formula of an algorithm. The formulas stand in a class for each collective, in a method named after the
 * algorithm. They take their chunk lengths from the library's classes, so that a change there reaches them.
 */
public final class Costs {
    private Costs() {}

    /**
     * Says what an algorithm costs on its critical path.
     *
     * @param algorithm the algorithm
     * @param nodes how many nodes there are
     * @param localRanks how many ranks each of them has
     * @param bytes the length of the message
     * @return the cost
     * @throws IllegalArgumentException when the algorithm has no formula
     */
    public static Cost of(Algorithm algorithm, int nodes, int localRanks, long bytes) {
        return switch (algorithm.collective()) {
            case BARRIER -> BarrierCosts.of(algorithm, nodes, localRanks);
            case BROADCAST -> BroadcastCosts.of(algorithm, nodes, localRanks, bytes);
            case REDUCE -> ReduceCosts.of(algorithm, nodes, localRanks, bytes);
            case ALLREDUCE -> AllreduceCosts.of(algorithm, nodes, localRanks, bytes);
            case GATHER, SCATTER -> GatherScatterCosts.of(algorithm, nodes, localRanks, bytes);
            case ALLGATHER -> AllgatherCosts.of(algorithm, nodes, localRanks, bytes);
            case ALL_TO_ALL -> AllToAllCosts.of(algorithm, nodes, localRanks, bytes);
            case REDUCE_SCATTER -> ReduceScatterCosts.of(algorithm, nodes, localRanks, bytes);
            case SCAN, EXCLUSIVE_SCAN -> ScanCosts.of(algorithm, nodes, localRanks, bytes);
        };
    }

    static IllegalArgumentException missing(Algorithm algorithm) {
        return new IllegalArgumentException("there is no formula of " + algorithm.collective().label() + " by "
                + algorithm.description().name() + " in org.tutti.simulator.cost; add one");
    }
}
