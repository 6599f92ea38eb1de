/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator.cost;

import org.tutti.collective.Algorithm;
import org.tutti.collective.reducescatter.DirectReduceScatter;
import org.tutti.collective.reducescatter.HalvingReduceScatter;
import org.tutti.collective.reducescatter.PairwiseReduceScatter;
import org.tutti.collective.reducescatter.RankOrderReduceScatter;
import org.tutti.pattern.ExchangeRoute;

/** The cost formulas of reduce-scatter algorithms. */
final class ReduceScatterCosts {
    private ReduceScatterCosts() {}

    static Cost of(Algorithm algorithm, int nodes, int localRanks, long bytes) {
        return switch (algorithm) {
            case RankOrderReduceScatter _ -> Stages.rankOrder(nodes, localRanks, nodes * localRanks * bytes, 1);
            case DirectReduceScatter _ -> nodes == 1 ? onOneNode(localRanks, bytes)
                    : direct(nodes, localRanks, bytes).withMessagesOfAllPairs(nodes);
            case PairwiseReduceScatter _ -> nodes == 1 ? onOneNode(localRanks, bytes)
                    : byMasters(nodes, localRanks, bytes, nodes - 1, nodes - 1, nodes - 1)
                            .withMessagesOfAllPairs(nodes);
            case HalvingReduceScatter _ -> nodes == 1 ? onOneNode(localRanks, bytes)
                    : halving(new ExchangeRoute(Stages.ports(algorithm)), nodes, localRanks, bytes);
            default -> throw Costs.missing(algorithm);
        };
    }

    private static Cost onOneNode(int localRanks, long bytes) {
        return new Cost(1, (double) localRanks * bytes, (localRanks - 1.0) * bytes, 0, 0);
    }

    private static Cost direct(int nodes, int localRanks, long bytes) {
        double all = (double) bytes * nodes * localRanks;
        double pieces = (double) localRanks * (nodes - 1);
        return new Cost(localRanks == 1 ? 0 : 2, all, all * (localRanks - 1) / localRanks + (nodes - 1.0) * bytes, 1,
                pieces * bytes).withFurtherPuts(pieces - 1);
    }

    private static Cost halving(ExchangeRoute route, int nodes, int localRanks, long bytes) {
        int messages = 0;
        int rows = 0;
        for (int step = 0; step < route.steps(nodes); step++) {
            for (int port = 1; port <= route.ports(nodes); port++) {
                int receiver = route.receiver(0, nodes, step, port);
                if (receiver >= 0) {
                    messages++;
                    rows += route.rows(0, receiver, nodes, step);
                }
            }
        }
        return byMasters(nodes, localRanks, bytes, route.steps(nodes), messages, rows);
    }

    /** The masters exchange: each waits {@code steps} times for others, and sends some messages and rows of blocks. */
    private static Cost byMasters(int nodes, int localRanks, long bytes, int steps, int messages, int rows) {
        double all = (double) bytes * nodes * localRanks;
        double sent = (double) bytes * rows * localRanks;
        return new Cost(localRanks == 1 ? 0 : 3, all + bytes, all * (localRanks - 1) / localRanks + sent, steps, sent)
                .withFurtherPuts((double) messages - steps);
    }
}
