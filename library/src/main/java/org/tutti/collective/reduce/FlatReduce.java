/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.reduce;

import org.tutti.collective.Area;
import org.tutti.collective.Call;
import org.tutti.collective.Cost;
import org.tutti.collective.NodeStage;
import org.tutti.collective.NodeTree;
import org.tutti.collective.Team;
import org.tutti.collective.kernel.Kernel;
import org.tutti.pattern.BinomialTree;
import org.tutti.pattern.Partition;

/**
 * Reduce, the flat baseline: every rank shows its elements and goes on, the root combines them all. Nobody but the root
 * waits when the message is a single chunk, so repeated reductions run ahead of the root by as many operations as there
 * are slots. Longer messages alternate between two parts of a rank's window.
 *
 * <p>On several nodes each master does that for its node, and the masters combine by a binomial tree.
 */
public final class FlatReduce extends TwoLevelReduce {
    private static final int PARTS = 2;
    private static final long CHUNK_BYTES = 256 << 10;

    /** The only object that is needed. */
    public FlatReduce() {
        super(new Description("flat", Order.BLOCKS, "c + 1; n > 1: 3·c + ⌊log₂ n⌋", "(p−1)·b at the root",
                "⌈log₂ n⌉·b", "min(b, 512 KiB); n > 1 as index-range", "Tutti: baseline"),
                new NodeTree(BinomialTree.INSTANCE));
    }

    @Override
    public Cost cost(int nodes, int localRanks, long bytes) {
        if (nodes == 1) {
            double chunks = Math.max(1, Math.ceil((double) bytes / CHUNK_BYTES));
            return new Cost(chunks, bytes, (localRanks - 1.0) * bytes, 0, 0);
        }
        double depth = Math.floor(Math.log(nodes) / Math.log(2) + 1e-9);
        return cost(depth, Math.ceil(Math.log(nodes) / Math.log(2) - 1e-9), localRanks, bytes);
    }

    @Override
    public long memoryBytes(int nodes, int localRanks, long bytes) {
        return nodes == 1 ? windows(localRanks, bytes, PARTS * CHUNK_BYTES)
                : memoryBytes(BinomialTree.INSTANCE.children(0, nodes), nodes, localRanks, bytes);
    }

    @Override
    public void run(Team team, Call call) {
        if (team.nodes() == 1) {
            runOnOneNode(team, call);
        } else {
            super.run(team, call);
        }
    }

    private static void runOnOneNode(Team team, Call call) {
        Area source = call.source();
        Area target = call.target();
        long bytes = call.bytes();
        Kernel kernel = call.kernel();
        int root = call.root();
        long chunk = kernel.wholeUnits(team.windowBytesMax() / PARTS);
        long window = Math.min(bytes, PARTS * chunk);
        int chunks = Partition.chunks(bytes, chunk);
        int rank = team.localRank();
        boolean receives = rank == root;
        int parent = receives ? root : team.levelTree().parent(rank, root);
        int children = team.levelTree().children(rank, root, team.localSize());
        Area parts = receives ? null : team.show(window);
        for (int step = 1; step <= chunks; step++) {
            long from = (step - 1) * chunk;
            long length = Math.min(chunk, bytes - from);
            long place = (step - 1) % PARTS * chunk;
            if (receives) {
                NodeStage.combineChildren(team, kernel, root, source, from, window, place, target, from, length, step);
            } else {
                team.await(parent, Team.DONE, step - PARTS);
                NodeStage.combineChildren(team, kernel, root, source, from, window, place, parts, place, length, step);
                team.post(Team.READY, step);
            }
            if (children > 0) {
                team.post(Team.DONE, step);
            }
        }
    }
}
