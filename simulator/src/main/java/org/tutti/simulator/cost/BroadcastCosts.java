/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator.cost;

import org.tutti.collective.Algorithm;
import org.tutti.collective.broadcast.ChainBroadcast;
import org.tutti.collective.broadcast.ChengBroadcast;
import org.tutti.collective.broadcast.ScatterAllgatherBroadcast;
import org.tutti.collective.broadcast.SlotRingBroadcast;
import org.tutti.collective.broadcast.SrmBroadcast;
import org.tutti.collective.flow.Flow;
import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.machine.Machine;
import org.tutti.collective.stage.ChengMasters;
import org.tutti.pattern.BinomialTree;
import org.tutti.pattern.ChainTree;
import org.tutti.pattern.Partition;
import org.tutti.pattern.StarTree;
import org.tutti.pattern.Tree;

/** The cost formulas of broadcast algorithms. */
final class BroadcastCosts {
    private static final Tree BINOMIAL = BinomialTree.INSTANCE;

    private BroadcastCosts() {}

    static Cost of(Algorithm algorithm, int nodes, int localRanks, long bytes) {
        return switch (algorithm) {
            case SrmBroadcast srm -> srm(srm, nodes, localRanks, bytes);
            case ChainBroadcast _ -> chain(nodes, localRanks, bytes);
            case SlotRingBroadcast slotRing -> Stages.pipeline(BINOMIAL, nodes, localRanks, bytes,
                    slotRing.chunkBytes(nodes, bytes), 0);
            case ChengBroadcast cheng -> cheng(cheng.masters(), nodes, localRanks, bytes);
            case ScatterAllgatherBroadcast _ -> scatterAllgather(nodes, localRanks, bytes);
            default -> throw Costs.missing(algorithm);
        };
    }

    private static Cost srm(SrmBroadcast srm, int nodes, int localRanks, long bytes) {
        return Stages.pipeline(srm.betweenNodes(), srm.inNode(), nodes, localRanks, bytes,
                srm.chunkBytes(nodes, bytes), SrmBroadcast.isStraight(nodes, bytes) ? 1 : 0);
    }

    private static Cost chain(int nodes, int localRanks, long bytes) {
        boolean straight = ChainBroadcast.isStraight(nodes, bytes);
        long chunk = straight ? Machine.PACKET_BYTES : RingLayout.EAGER_BUFFER_BYTES / ChainBroadcast.parts(bytes);
        return Stages.pipeline(ChainTree.INSTANCE, nodes, localRanks, bytes, chunk, straight ? 1 : 0);
    }

    /** A star of nodes; if the masters are drawn, its first chunk comes one step later from the root's node. */
    private static Cost cheng(ChengMasters masters, int nodes, int localRanks, long bytes) {
        return Stages.pipeline(StarTree.INSTANCE, nodes, localRanks, bytes, Flow.PIECE_BYTES,
                masters.isDrawn() ? 1 : 0);
    }

    private static Cost scatterAllgather(int nodes, int localRanks, long bytes) {
        long round = ScatterAllgatherBroadcast.roundBytes(bytes);
        int rounds = Partition.chunks(bytes, round);
        if (!ScatterAllgatherBroadcast.suffices(rounds, nodes)) {
            return Stages.pipeline(BINOMIAL, nodes, localRanks, bytes, Machine.PACKET_BYTES, 1);
        }
        if (nodes == 1) {
            return Stages.pipeline(BINOMIAL, 1, localRanks, bytes, round, 0);
        }
        double first = Math.min(bytes, round);
        double scatterSteps = Stages.ceilingLog(nodes);
        int waits = localRanks == 1 ? 0 : 1;
        // the invitation, then one round after the other: the ring of a round overlaps only with copying in the nodes
        return new Cost(waits, waits * 2 * first, 0, 1 + rounds * (scatterSteps + nodes - 1),
                2.0 * bytes * (nodes - 1) / nodes);
    }
}
