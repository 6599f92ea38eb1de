/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.reduce;

import org.tutti.collective.Call;
import org.tutti.collective.Cost;
import org.tutti.collective.NodeTree;
import org.tutti.collective.Team;
import org.tutti.pattern.ChainTree;

/**
 * Reduce by several {@linkplain org.tutti.collective.Leaders leaders} of each node: its ranks combine by index range in
 * their master's window, and leader j combines the j-th part of each chunk along the pipelined chain of nodes, as
 * {@link ChainReduce} does with one, with the j-th leaders of the other nodes. The root's node is the first, so
 * operators must commute.
 *
 * <pre>
 *  3 nodes of 2 ranks, root on 0, chunks a b, parts 0 and 1:     4 –a0→ 2   4 –b0→ 2         2 –a0→ 0   2 –b0→ 0
 *                                                                5 –a1→ 3   5 –b1→ 3         3 –a1→ 1   3 –b1→ 1
 * </pre>
 *
 * <p><b>Why it ends.</b> A leader waits for those at its place on the nodes behind, and for credits of those before;
 * ranks of its node wait for its announcement of the chunk before the last one, and it for what they contribute. So all
 * wait for earlier chunks, or for the same one on nodes farther behind.
 */
public final class MultiLeaderReduce extends TwoLevelReduce {
    private static final IndexRangeReduce ON_ONE_NODE = new IndexRangeReduce();
    private static final ChainReduce SINGLE = new ChainReduce();

    /**
     * @param leaders how many ranks of a node exchange with other nodes, 2 to 4
     */
    public MultiLeaderReduce(int leaders) {
        super(new Description("multi-leader", Order.ONE_NODE, "2·c; n > 1: 3·c + n − 1", "2·b·(p−1)/p + b", "b",
                "2 × 32 KiB, 64 KiB an edge, of each leader; > 64 KiB 2 × 60 KiB, the inbox",
                "Tutti, after Qian, Afsahi 2008").withLeaders(leaders), new NodeTree(ChainTree.INSTANCE));
    }

    @Override
    public Cost cost(int nodes, int localRanks, long bytes) {
        return nodes == 1 ? ON_ONE_NODE.cost(nodes, localRanks, bytes) : SINGLE.cost(nodes, localRanks, bytes);
    }

    @Override
    public long memoryBytes(int nodes, int localRanks, long bytes) {
        return nodes == 1 ? ON_ONE_NODE.memoryBytes(nodes, localRanks, bytes)
                : leadersMax() * SINGLE.memoryBytes(nodes, localRanks, bytes);
    }

    @Override
    public void run(Team team, Call call) {
        if (team.nodes() == 1) {
            ON_ONE_NODE.run(team, call);
        } else {
            super.run(team, call);
        }
    }
}
