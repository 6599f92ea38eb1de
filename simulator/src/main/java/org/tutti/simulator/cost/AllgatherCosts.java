/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator.cost;

import org.tutti.collective.Algorithm;
import org.tutti.collective.allgather.BruckAllgather;
import org.tutti.collective.allgather.DirectAllgather;
import org.tutti.collective.allgather.GatherBroadcastAllgather;
import org.tutti.collective.allgather.RingAllgather;
import org.tutti.collective.allgather.StandardExchangeAllgather;
import org.tutti.collective.blocks.AnyBlocksAlgorithm;
import org.tutti.pattern.ExchangeRoute;
import org.tutti.pattern.Tree;

/** The cost formulas of allgather algorithms. */
final class AllgatherCosts {
    /** The number of waits of a rank with a master that gathers all blocks in its window. */
    private static final int GATHERED_WAITS = 3;

    private static final int TOP = 0;

    private AllgatherCosts() {}

    static Cost of(Algorithm algorithm, int nodes, int localRanks, long bytes) {
        return switch (algorithm) {
            case DirectAllgather _ ->
                Stages.contributions(nodes, localRanks, bytes, false).withMessagesOfAllPairs(nodes);
            case RingAllgather _ -> Stages.relayed(nodes, localRanks, bytes, nodes - 1).withMessagesOfAllPairs(nodes);
            case BruckAllgather _ -> Stages.relayed(algorithm, nodes, localRanks, bytes);
            case StandardExchangeAllgather _ ->
                standardExchange(Stages.ports(algorithm), nodes, localRanks, bytes);
            case GatherBroadcastAllgather gather -> gatherAndBroadcast(gather.tree(), nodes, localRanks, bytes);
            case AnyBlocksAlgorithm _ -> Stages.pieces(nodes, localRanks, bytes, 1).withMessagesOfAllPairs(nodes);
            default -> throw Costs.missing(algorithm);
        };
    }

    private static Cost standardExchange(int ports, int nodes, int localRanks, long bytes) {
        ExchangeRoute route = new ExchangeRoute(ports);
        int messages = 0;
        long blocks = 0;
        for (int step = 0; step < route.steps(nodes); step++) {
            for (int arrival = 1; arrival <= route.arrivals(nodes); arrival++) {
                if (route.sender(0, nodes, step, arrival) >= 0) {
                    messages++;
                    blocks += (long) route.rows(0, 0, nodes, step) * localRanks;
                }
            }
        }
        return gathered(nodes, localRanks, bytes, route.steps(nodes), messages, (double) blocks * bytes);
    }

    private static Cost gatherAndBroadcast(Tree tree, int nodes, int localRanks, long bytes) {
        double others = (nodes - 1.0) * localRanks * bytes;
        int children = tree.children(TOP, nodes);
        double down = (double) children * nodes * localRanks * bytes - others; // a child has the blocks of its subtree
        int steps = 2 * height(tree, TOP, nodes);
        return gathered(nodes, localRanks, bytes, steps, Math.max(steps, 2 * children), others + down);
    }

    private static int height(Tree tree, int position, int nodes) {
        int height = 0;
        for (int index = 0; index < tree.children(position, nodes); index++) {
            height = Math.max(height, 1 + height(tree, tree.child(position, index, nodes), nodes));
        }
        return height;
    }

    /**
     * The masters gather all blocks in their windows, in some steps and messages, and the ranks copy the blocks from
     * there.
     */
    private static Cost gathered(int nodes, int localRanks, long bytes, int steps, int messages, double railBytes) {
        return new Cost(localRanks == 1 ? 0 : GATHERED_WAITS, (1.0 + (double) nodes * localRanks) * bytes, 0, steps,
                railBytes).withFurtherPuts(messages - steps);
    }
}
