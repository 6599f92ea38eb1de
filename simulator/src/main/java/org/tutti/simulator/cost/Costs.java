/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator.cost;

import org.tutti.collective.Algorithm;

/**
 * Finds the formula of an algorithm. Each collective has a class of formulas, with a method named after the algorithm.
 * The formulas take chunk lengths from the library's classes, so that they follow a change there.
 */
public final class Costs {
    private Costs() {}

    /**
     * Computes the cost of an algorithm on its critical path.
     *
     * @param algorithm the algorithm
     * @param nodes the number of nodes
     * @param localRanks the number of ranks of each node
     * @param bytes the length of the message
     * @return the cost
     * @throws IllegalArgumentException if the algorithm has no formula
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
