/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator.cost;

import org.tutti.collective.Algorithm;
import org.tutti.collective.blocks.AnyBlocksAlgorithm;
import org.tutti.collective.gather.DirectGather;
import org.tutti.collective.gather.TreeGather;
import org.tutti.collective.scatter.DirectScatter;
import org.tutti.collective.scatter.TreeScatter;

/** The cost formulas of gather algorithms, and of scatter algorithms, which are gathers backwards. */
final class GatherScatterCosts {
    private GatherScatterCosts() {}

    static Cost of(Algorithm algorithm, int nodes, int localRanks, long bytes) {
        return switch (algorithm) {
            case DirectGather _ -> Stages.contributions(nodes, localRanks, bytes, false);
            case DirectScatter _ -> Stages.contributions(nodes, localRanks, bytes, false);
            case TreeGather _ -> Stages.relayed(algorithm, nodes, localRanks, bytes);
            case TreeScatter _ -> Stages.relayed(algorithm, nodes, localRanks, bytes);
            case AnyBlocksAlgorithm _ -> Stages.pieces(nodes, localRanks, bytes, 1);
            default -> throw Costs.missing(algorithm);
        };
    }
}
