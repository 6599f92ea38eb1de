/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator.cost;

import org.tutti.collective.Algorithm;
import org.tutti.collective.barrier.ChengBarrier;
import org.tutti.collective.barrier.FlatBarrier;
import org.tutti.collective.barrier.HalvingBarrier;
import org.tutti.collective.barrier.SrmBarrier;
import org.tutti.collective.barrier.TreeBarrier;
import org.tutti.collective.stage.ChengMasters;

/** The cost formulas of barrier algorithms. */
final class BarrierCosts {
    private static final int FAN_IN = 4;

    private BarrierCosts() {}

    static Cost of(Algorithm algorithm, int nodes, int localRanks) {
        return switch (algorithm) {
            case FlatBarrier _ -> flat(nodes, localRanks);
            case SrmBarrier _ -> srm(nodes, localRanks);
            case HalvingBarrier _ -> twoLevels(localRanks, 2 * Stages.floorLog(nodes));
            case ChengBarrier cheng -> cheng(cheng.masters(), nodes, localRanks);
            case TreeBarrier _ -> tree(nodes, localRanks);
            default -> throw Costs.missing(algorithm);
        };
    }

    private static Cost flat(int nodes, int localRanks) {
        return nodes == 1 ? new Cost(localRanks - 1, 0, 0, 0, 0) : srm(nodes, localRanks);
    }

    private static Cost srm(int nodes, int localRanks) {
        return twoLevels(localRanks, Stages.ceilingLog(nodes));
    }

    /** The master looks at p − 1 lines one after the other; then all ranks read one line. */
    private static Cost twoLevels(int localRanks, double steps) {
        return new Cost(localRanks == 1 ? 0 : localRanks, 0, 0, steps, 0);
    }

    /** As on two levels; the cluster master's node then puts to each other node. */
    private static Cost cheng(ChengMasters masters, int nodes, int localRanks) {
        return new Cost(Stages.chengWaits(masters, nodes, localRanks, localRanks), 0, 0, nodes == 1 ? 0 : 2, 0)
                .withFurtherPuts(Math.max(0, nodes - 2));
    }

    private static Cost tree(int nodes, int localRanks) {
        int steps = 0;
        for (long group = 1; group < localRanks; group *= FAN_IN) { // FAN_IN − 1 lines on the way up, and one down
            steps += FAN_IN;
        }
        return new Cost(steps, 0, 0, Stages.ceilingLog(nodes), 0);
    }
}
