/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.reduce;

import org.tutti.collective.Call;
import org.tutti.collective.Chunk;
import org.tutti.collective.Team;
import org.tutti.collective.machine.Area;
import org.tutti.collective.stage.NodeStage;
import org.tutti.collective.stage.NodeTree;
import org.tutti.pattern.BinomialTree;
import org.tutti.pattern.LevelTree;

/**
 * A reduce in one step, the baseline for other algorithms. Every rank copies its elements to its window, the memory
 * that it shows to its node, and goes on. The root combines the elements of all ranks. With p ranks and b bytes, the
 * root reads (p − 1)·b bytes. If the message is a single chunk, only the root waits. In repeated reductions the other
 * ranks can therefore be ahead of the root by as many operations as there are slots. Longer messages go in chunks
 * through two parts of a rank's window in turn.
 *
 * <p>On several nodes the master, or first rank, of each node combines the elements of its node in this way. The
 * masters combine the results of their nodes over a binomial tree.
 */
public final class FlatReduce extends TwoLevelReduce {
    /** The length of a chunk on one node, in bytes. */
    public static final long CHUNK_BYTES = 256 << 10;

    /** Creates the algorithm; one object serves all ranks. */
    public FlatReduce() {
        super(new Description("flat", Order.BLOCKS, "c + 1; n > 1: 3·c + ⌊log₂ n⌋", "(p−1)·b at the root",
                "⌈log₂ n⌉·b", "min(b, 512 KiB); n > 1 as index-range", "Tutti: baseline"),
                new NodeTree(BinomialTree.INSTANCE));
    }

    @Override
    public long memoryBytes(int nodes, int localRanks, long bytes) {
        return nodes == 1 ? windows(localRanks, bytes, Chunk.HALVES * CHUNK_BYTES)
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
        int root = call.root();
        Chunk chunk =
                team.chunks(call.bytes(), call.kernel().wholeUnits(team.windowBytesMax() / Chunk.HALVES), Chunk.HALVES);
        int rank = team.localRank();
        boolean receives = rank == root;
        LevelTree tree = team.levelTree();
        int parent = receives ? root : tree.parent(rank, root, team.localSize());
        int children = tree.children(rank, root, team.localSize());
        Area shown = receives ? null : team.show(chunk.window());
        while (chunk.next()) {
            int step = chunk.number();
            if (receives) {
                NodeStage.combineChildren(team, call, tree, root, chunk, step, call.target(), chunk.from());
            } else {
                team.await(parent, Team.DONE, step - Chunk.HALVES);
                NodeStage.contribute(team, call, tree, root, chunk, step, shown);
            }
            if (children > 0) {
                team.post(Team.DONE, step);
            }
        }
    }
}
