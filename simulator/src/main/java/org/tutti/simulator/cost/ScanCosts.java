/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator.cost;

import org.tutti.collective.Algorithm;
import org.tutti.collective.scan.BinomialScan;
import org.tutti.collective.scan.DirectScan;
import org.tutti.collective.scan.DoublingScan;

/** The cost formulas of scan algorithms, inclusive and exclusive. */
final class ScanCosts {
    private ScanCosts() {}

    static Cost of(Algorithm algorithm, int nodes, int localRanks, long bytes) {
        return switch (algorithm) {
            case DirectScan _ -> Stages.contributions(nodes, localRanks, bytes, true);
            case DoublingScan _ -> twoLevels((int) Stages.floorLog(nodes), nodes, localRanks, bytes);
            case BinomialScan _ -> twoLevels(binomialMessages(nodes), nodes, localRanks, bytes);
            default -> throw Costs.missing(algorithm);
        };
    }

    /** The masters exchange the combinations of their nodes; some messages wait for each other, one after the other. */
    private static Cost twoLevels(int messages, int nodes, int localRanks, long bytes) {
        if (nodes == 1) {
            return Stages.contributions(nodes, localRanks, bytes, true);
        }
        double puts = Math.max(messages, Stages.ceilingLog(nodes)); // the first node sends ⌈log₂ nodes⌉ without waiting
        return new Cost(localRanks == 1 ? 0 : 2, localRanks == 1 ? 0 : 2.0 * bytes, (localRanks + puts) * bytes,
                messages, puts * bytes).withFurtherPuts(puts - messages);
    }

    /**
     * Returns the most messages in a row. The combination of the first m nodes has gone up once for each power of two
     * from 2 to m, and down once for each bit of m except the highest. The maximum is at m = n, or at an m that has the
     * bits of n down to one bit, then 0 in place of a 1, and then only ones.
     */
    private static int binomialMessages(int nodes) {
        int most = binomialMessagesFor(nodes);
        for (int rest = nodes; rest > 1; rest &= rest - 1) {
            most = Math.max(most, binomialMessagesFor(rest - 1));
        }
        return most;
    }

    private static int binomialMessagesFor(int nodes) {
        int up = (int) Stages.floorLog(nodes);
        int down = Integer.bitCount(nodes) - 1;
        return up + down;
    }
}
