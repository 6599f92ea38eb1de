/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator.cost;

import org.tutti.collective.Algorithm;
import org.tutti.collective.flow.Flow;
import org.tutti.collective.machine.Machine;
import org.tutti.collective.reduce.ChainReduce;
import org.tutti.collective.reduce.ChengReduce;
import org.tutti.collective.reduce.FlatReduce;
import org.tutti.collective.reduce.IndexRangeReduce;
import org.tutti.collective.reduce.RankOrderReduce;
import org.tutti.collective.reduce.SrmReduce;
import org.tutti.collective.stage.ChengMasters;
import org.tutti.collective.stage.ChengSum;

/** The cost formulas of reduce algorithms. */
final class ReduceCosts {
    private ReduceCosts() {}

    static Cost of(Algorithm algorithm, int nodes, int localRanks, long bytes) {
        return switch (algorithm) {
            case FlatReduce _ -> flat(nodes, localRanks, bytes);
            case SrmReduce srm -> srm(srm, nodes, localRanks, bytes);
            case ChainReduce _ -> chain(nodes, localRanks, bytes);
            case IndexRangeReduce indexRange -> nodes == 1
                    ? Stages.indexRange(localRanks, bytes, indexRange.chunkBytes())
                    : binomial(nodes, localRanks, bytes);
            case ChengReduce cheng -> cheng(cheng.masters(), nodes, localRanks, bytes);
            case RankOrderReduce _ -> Stages.rankOrder(nodes, localRanks, bytes, 1);
            default -> throw Costs.missing(algorithm);
        };
    }

    private static Cost flat(int nodes, int localRanks, long bytes) {
        return nodes > 1 ? binomial(nodes, localRanks, bytes)
                : new Cost(Stages.chunks(bytes, FlatReduce.CHUNK_BYTES), bytes, (localRanks - 1.0) * bytes, 0, 0);
    }

    private static Cost srm(SrmReduce srm, int nodes, int localRanks, long bytes) {
        double buffer = srm.bufferBytes(nodes, Flow.shares(bytes, 1) > 0, Machine.PACKET_BYTES);
        double chunks = Stages.chunks(bytes, buffer);
        double first = Math.min(bytes, buffer); // it passes through all levels before the others follow
        double depth = Stages.height(srm.inNode(), localRanks);
        double nodeDepth = Stages.height(srm.betweenNodes(), nodes);
        double children = srm.inNode().children(0, localRanks);
        double nodeChildren = srm.betweenNodes().children(0, nodes);
        boolean alone = localRanks == 1;
        return new Cost(alone ? 0 : depth + chunks - 1, alone ? 0 : first, Math.max(0, depth + nodeDepth - 1) * first
                + (children + nodeChildren) * bytes, nodes == 1 ? 0 : nodeDepth + chunks - 1,
                nodes == 1 ? 0 : (nodeDepth - 1) * first + nodeChildren * bytes);
    }

    private static Cost chain(int nodes, int localRanks, long bytes) {
        return throughTree((double) nodes - 1, Math.min(1, nodes - 1), localRanks, bytes);
    }

    /** The first chunk needs no wait for the place; if the masters are drawn, the total goes to the root's node. */
    private static Cost cheng(ChengMasters masters, int nodes, int localRanks, long bytes) {
        double chunks = Stages.chunks(bytes, ChengSum.CHUNK_BYTES);
        double others = nodes - 1;
        double steps = nodes == 1 ? 0 : masters.isDrawn() ? 2 : 1;
        return new Cost(Stages.chengWaits(masters, nodes, localRanks, 2) * chunks - (localRanks == 1 ? 0 : 1),
                2.0 * bytes, (localRanks - 1 + others) * bytes, steps * chunks,
                nodes == 1 ? 0 : (others + steps - 1) * bytes);
    }

    private static Cost binomial(int nodes, int localRanks, long bytes) {
        return throughTree(Stages.floorLog(nodes), Stages.ceilingLog(nodes), localRanks, bytes);
    }

    /**
     * The masters combine up a tree.
     *
     * @param depth the number of nodes that wait for each other in a row
     * @param degree the number of nodes that put to the top
     * @param localRanks the number of ranks of each node
     * @param bytes the length of the message
     * @return the cost
     */
    private static Cost throughTree(double depth, double degree, int localRanks, long bytes) {
        long chunk = Flow.shares(bytes, 1) > 0 ? Machine.PACKET_BYTES : Flow.PIECE_BYTES;
        double chunks = Stages.chunks(bytes, chunk);
        double first = Math.min(bytes, chunk); // it passes through the whole tree before the others follow
        double steps = depth == 0 ? 0 : (depth + chunks - 1) / chunks;
        double crossing = depth == 0 ? 0 : (depth - 1) * first + degree * bytes;
        return Stages.nodeStage(localRanks, bytes, chunk, steps, crossing, crossing, bytes);
    }
}
