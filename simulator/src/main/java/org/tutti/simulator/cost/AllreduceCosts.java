/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator.cost;

import org.tutti.collective.Algorithm;
import org.tutti.collective.allreduce.ChengAllreduce;
import org.tutti.collective.allreduce.FlatAllreduce;
import org.tutti.collective.allreduce.IndexRadixAllreduce;
import org.tutti.collective.allreduce.IndexRangeAllreduce;
import org.tutti.collective.allreduce.RabenseifnerAllreduce;
import org.tutti.collective.allreduce.RankOrderAllreduce;
import org.tutti.collective.allreduce.RecursiveDoublingAllreduce;
import org.tutti.collective.allreduce.RingAllreduce;
import org.tutti.collective.allreduce.SrmAllreduce;
import org.tutti.collective.flow.Flow;
import org.tutti.collective.stage.ChengMasters;
import org.tutti.collective.stage.ChengSum;
import org.tutti.pattern.Folding;

/** The cost formulas of allreduce algorithms. */
final class AllreduceCosts {
    private AllreduceCosts() {}

    static Cost of(Algorithm algorithm, int nodes, int localRanks, long bytes) {
        return switch (algorithm) {
            case FlatAllreduce _ -> flat(nodes, localRanks, bytes);
            case SrmAllreduce srm -> srm(srm, nodes, localRanks, bytes);
            case ChengAllreduce cheng -> cheng(cheng.masters(), nodes, localRanks, bytes);
            case RecursiveDoublingAllreduce _ -> recursiveDoubling(nodes, localRanks, bytes);
            case RabenseifnerAllreduce _ -> rabenseifner(nodes, localRanks, bytes);
            case RingAllreduce _ -> ring(nodes, localRanks, bytes).withMessagesOfAllPairs(nodes);
            case IndexRangeAllreduce indexRange -> indexRange(indexRange.chunkBytes(), nodes, localRanks, bytes);
            case IndexRadixAllreduce _ -> indexRadix(nodes, localRanks, bytes);
            case RankOrderAllreduce _ -> Stages.rankOrder(nodes, localRanks, bytes, nodes - 1);
            default -> throw Costs.missing(algorithm);
        };
    }

    private static Cost flat(int nodes, int localRanks, long bytes) {
        return nodes > 1 ? recursiveDoubling(nodes, localRanks, bytes)
                : new Cost(Stages.chunks(bytes, FlatAllreduce.CHUNK_BYTES), bytes, (localRanks - 1.0) * bytes, 0, 0);
    }

    private static Cost srm(SrmAllreduce srm, int nodes, int localRanks, long bytes) {
        double depth = Stages.height(srm.inNode(), localRanks);
        double locals = srm.inNode().children(0, localRanks);
        if (nodes > 1 && bytes <= srm.doublingBytesMax()) {
            Pairs pairs = new Pairs(nodes);
            return new Cost(localRanks == 1 ? 0 : depth + 1, 2.0 * bytes, (locals + pairs.arrivals()) * bytes,
                    pairs.rounds(), (double) pairs.rounds() * bytes);
        }
        double buffer = srm.bufferBytes(nodes);
        double chunks = Stages.chunks(bytes, buffer);
        double first = Math.min(bytes, buffer); // it passes through the whole pipeline before the others follow
        double children = srm.betweenNodes().children(0, nodes);
        double levels = Stages.height(srm.betweenNodes(), nodes);
        return new Cost(localRanks == 1 ? 0 : depth + chunks, first + bytes,
                Math.max(0, depth + levels - 1) * first + (locals + children) * bytes,
                nodes == 1 ? 0 : 2 * levels + chunks - 1,
                nodes == 1 ? 0 : 2 * (levels - 1) * first + 2 * children * bytes);
    }

    private static Cost cheng(ChengMasters masters, int nodes, int localRanks, long bytes) {
        double chunks = Stages.chunks(bytes, ChengSum.CHUNK_BYTES);
        double locals = localRanks - 1;
        double others = nodes - 1;
        return new Cost(Stages.chengWaits(masters, nodes, localRanks, 2) * chunks, 2.0 * bytes,
                (locals + others) * bytes,
                nodes > 1 ? 2 * chunks : 0, 2 * others * bytes);
    }

    private static Cost recursiveDoubling(int nodes, int localRanks, long bytes) {
        Pairs pairs = new Pairs(nodes);
        return Stages.nodeStage(localRanks, bytes, Flow.PIECE_BYTES, pairs.rounds(), (double) pairs.rounds() * bytes,
                (double) pairs.arrivals() * bytes, (double) pairs.foldedMax() * bytes);
    }

    private static Cost rabenseifner(int nodes, int localRanks, long bytes) {
        Pairs pairs = new Pairs(nodes);
        int folds = 2 * pairs.foldedMax();
        double shared = (double) bytes * (pairs.positions() - 1) / pairs.positions();
        double combined = shared + (folds > 0 ? bytes : 0);
        return Stages.nodeStage(localRanks, bytes,
                localRanks == 1 ? RabenseifnerAllreduce.CHUNK_BYTES_ALONE : RabenseifnerAllreduce.CHUNK_BYTES,
                2.0 * pairs.steps() + folds, 2 * shared + (double) folds * bytes, combined, combined);
    }

    private static Cost ring(int nodes, int localRanks, long bytes) {
        double others = (nodes - 1) * ((double) bytes / nodes);
        return Stages.nodeStage(localRanks, bytes, RabenseifnerAllreduce.CHUNK_BYTES, 2.0 * (nodes - 1), 2 * others,
                others, others);
    }

    private static Cost indexRange(long chunk, int nodes, int localRanks, long bytes) {
        if (nodes == 1) {
            return Stages.indexRange(localRanks, bytes, chunk);
        }
        return bytes <= IndexRangeAllreduce.DOUBLING_BYTES_MAX ? recursiveDoubling(nodes, localRanks, bytes)
                : rabenseifner(nodes, localRanks, bytes);
    }

    private static Cost indexRadix(int nodes, int localRanks, long bytes) {
        if (nodes > 1) {
            return indexRange(IndexRangeAllreduce.CHUNK_BYTES, nodes, localRanks, bytes);
        }
        double radix = (int) Math.sqrt(localRanks);
        double groups = localRanks / (int) radix;
        return new Cost(4 * Stages.chunks(bytes, IndexRangeAllreduce.CHUNK_BYTES), bytes * (2 + 1 / radix),
                bytes * ((radix - 1) / radix + (groups - 1) / (groups * radix)), 0, 0);
    }

    /**
     * Nodes that exchange in pairs, in a step for each bit of their positions. If the number of nodes is no power of
     * two, some nodes are folded into others: they pass on their elements first, and receive the result at the end.
     */
    private record Pairs(int nodes) {
        int positions() {
            return Folding.positions(nodes);
        }

        int foldedMax() {
            return Folding.foldedMax(nodes);
        }

        int steps() {
            return (int) Stages.floorLog(nodes);
        }

        /** Returns the number of steps in a row: two more if some nodes are folded. */
        int rounds() {
            return steps() + 2 * foldedMax();
        }

        /** Returns how often a node receives and combines the elements of another one. */
        int arrivals() {
            return foldedMax() + steps();
        }
    }
}
