/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allreduce;

import org.tutti.collective.Call;
import org.tutti.collective.Cost;
import org.tutti.collective.Inflow;
import org.tutti.collective.NodeStage;
import org.tutti.collective.Team;

/**
 * Allreduce by several {@linkplain org.tutti.collective.Leaders leaders} of each node: its ranks combine by index range
 * in their master's window ({@link NodeStage}), and leader j exchanges the j-th part of that with the j-th leaders of
 * the other nodes: what is short by recursive doubling, what is long by recursive halving, as {@link
 * IndexRangeAllreduce} does with one. So as many cores send, receive and combine, each over connections of its own.
 *
 * <pre>
 *  4 nodes, 2 leaders, ranks 0 1 2 | 3 4 5 | 6 7 8 | 9 10 11:
 *             part 0:   0 ↔ 3   6 ↔ 9       0 ↔ 6   3 ↔ 9
 *             part 1:   1 ↔ 4   7 ↔ 10      1 ↔ 7   4 ↔ 10
 * </pre>
 *
 * <p>As many steps and bytes as with one leader, but k times as many messages, each a k-th as long. Nodes that have
 * fewer ranks than k let all nodes have as many leaders as they have ranks.
 *
 * <p><b>Why nothing is overwritten.</b> A leader begins when all ranks of its node have combined their parts, and works
 * in its own part of the master's window, which nobody else touches until it has announced the result. {@link
 * NodeStage} says when that half of the window is written again.
 *
 * <p><b>Why it ends.</b> A leader waits for ranks of its node, which have combined before they wait for any leader, and
 * for those at its place on other nodes, of which each waits for the others in the same order as with one leader.
 */
public final class MultiLeaderAllreduce extends TwoLevelAllreduce {
    private static final IndexRangeAllreduce SINGLE = new IndexRangeAllreduce();

    /**
     * @param leaders how many ranks of a node exchange with other nodes, 2 to 4
     */
    public MultiLeaderAllreduce(int leaders) {
        super(new Description("multi-leader", Order.BLOCKS, "2·c; n > 1: c·(2·⌈log₂ n⌉ + 3)", "2·b·(p−1)/p",
                "2·b·(n−1)/n, ⌈log₂ n⌉·b up to 16 KiB a leader",
                "min(2·b, 512 KiB), 64 KiB an edge and leader; > 64 KiB their inboxes",
                "Tutti, after Qian, Afsahi 2008").withLeaders(leaders));
    }

    @Override
    public Cost cost(int nodes, int localRanks, long bytes) {
        return SINGLE.cost(nodes, localRanks, bytes);
    }

    @Override
    public long memoryBytes(int nodes, int localRanks, long bytes) {
        return SINGLE.memoryBytes(nodes, localRanks, bytes)
                + (leadersMax() - 1) * Inflow.memoryBytes(nodes, RabenseifnerAllreduce.PARTNERS.edges(nodes), bytes);
    }

    @Override
    protected long roundBytesMax(Team team) {
        return SINGLE.roundBytesMax(team);
    }

    @Override
    Exchange exchange(long chunk) {
        return SINGLE.exchange(chunk);
    }

    @Override
    protected void runOnOneNode(Team team, Call call) {
        SINGLE.runOnOneNode(team, call);
    }
}
