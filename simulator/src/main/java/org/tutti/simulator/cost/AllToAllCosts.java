/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator.cost;

import org.tutti.collective.Algorithm;
import org.tutti.collective.alltoall.AggregatedAllToAll;
import org.tutti.collective.alltoall.BruckAllToAll;
import org.tutti.collective.alltoall.DirectAllToAll;
import org.tutti.collective.alltoall.StandardExchangeAllToAll;
import org.tutti.collective.blocks.AnyBlocksAlgorithm;
import org.tutti.pattern.BruckRoute;
import org.tutti.pattern.ExchangeRoute;
import org.tutti.pattern.Route;

/** The cost formulas of all-to-all algorithms. */
final class AllToAllCosts {
    private AllToAllCosts() {}

    static Cost of(Algorithm algorithm, int nodes, int localRanks, long bytes) {
        return switch (algorithm) {
            case DirectAllToAll _ ->
                Stages.pieces(nodes, localRanks, bytes, localRanks).withMessagesOfAllPairs(nodes);
            case AnyBlocksAlgorithm _ ->
                Stages.pieces(nodes, localRanks, bytes, localRanks).withMessagesOfAllPairs(nodes);
            case BruckAllToAll _ -> routed(new BruckRoute(Stages.ports(algorithm)), nodes, localRanks, bytes);
            case StandardExchangeAllToAll _ ->
                routed(new ExchangeRoute(Stages.ports(algorithm)), nodes, localRanks, bytes);
            case AggregatedAllToAll _ -> routed(new BruckRoute(Route.ALL_PORTS), nodes, localRanks, bytes);
            default -> throw Costs.missing(algorithm);
        };
    }

    /**
     * The masters exchange along a route. An item is all data of the ranks of one node for the ranks of another one.
     */
    private static Cost routed(Route route, int nodes, int localRanks, long bytes) {
        double waits = localRanks == 1 ? 0 : 2;
        double copied = 2.0 * nodes * localRanks * bytes;
        if (nodes == 1) {
            return new Cost(waits, copied, 0, 0, 0);
        }
        int messages = 0;
        double items = 0;
        for (int step = 0; step < route.steps(nodes); step++) {
            for (int port = 1; port <= route.ports(nodes); port++) {
                messages += route.receiver(0, nodes, step, port) < 0 ? 0 : 1;
                items += route.blocksMax(nodes, step, port);
            }
        }
        double itemBytes = (double) localRanks * localRanks * bytes;
        return new Cost(waits, copied + (items - (nodes - 1)) * itemBytes, 0, route.steps(nodes), items * itemBytes)
                .withFurtherPuts(messages - route.steps(nodes));
    }
}
