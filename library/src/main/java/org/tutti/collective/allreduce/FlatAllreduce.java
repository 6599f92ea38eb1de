/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allreduce;

import org.tutti.collective.Area;
import org.tutti.collective.Call;
import org.tutti.collective.Chunk;
import org.tutti.collective.Cost;
import org.tutti.collective.Flow;
import org.tutti.collective.NodeStage;
import org.tutti.collective.NodeTree;
import org.tutti.collective.RankOrder;
import org.tutti.collective.RingLayout;
import org.tutti.collective.Team;
import org.tutti.collective.kernel.Kernel;

/**
 * Allreduce, the flat baseline: every rank shows its elements, and every rank combines them all, in the order of the
 * ranks, so that all get the same bits. One step; for few ranks and few bytes nothing is faster.
 *
 * <p>Long messages alternate between two parts of a rank's window. No rank says when it has read a part: one that shows
 * chunk k has read chunk k − 1 of everybody, so whoever has seen everybody's chunk k may overwrite chunk k − 1.
 *
 * <p>Between nodes the same among masters, for messages that fit into the cells through which every node reaches every
 * other one; each combines all, in the order of the nodes. Longer ones by {@link RecursiveExchangeAllreduce}.
 */
public final class FlatAllreduce extends TwoLevelAllreduce implements Exchange {
    private static final int PARTS = 2;
    private static final RecursiveExchangeAllreduce DOUBLING = new RecursiveExchangeAllreduce(1);
    private static final long CHUNK_BYTES = 256 << 10;

    /** The only object that is needed. */
    public FlatAllreduce() {
        super(new Description("flat", Order.BLOCKS, "c; n > 1: 3 up to 112 bytes, else as recursive-doubling",
                "(p−1)·b", "(n−1)·b up to 112 bytes, else as recursive-doubling",
                "min(b, 512 KiB); n > 1: n cells of 128 bytes a node, else as recursive-doubling",
                "Tutti: baseline"));
    }

    @Override
    public Cost cost(int nodes, int localRanks, long bytes) {
        double others = localRanks - 1;
        if (nodes == 1) {
            double chunks = Math.max(1, Math.ceil((double) bytes / CHUNK_BYTES));
            return new Cost(chunks, bytes, others * bytes, 0, 0);
        }
        boolean star = bytes <= RingLayout.EDGE_PAYLOAD_BYTES;
        double rounds = star ? 1 : DOUBLING.rounds(nodes);
        double received = (star ? nodes - 1 : rounds) * bytes;
        return NodeStage.cost(localRanks, bytes, Flow.PIECE_BYTES, rounds, received, received,
                star ? 0 : DOUBLING.aloneBytes(nodes, bytes)).withFurtherPuts(star ? nodes - 2 : 0);
    }

    @Override
    public long memoryBytes(int nodes, int localRanks, long bytes) {
        return nodes == 1 ? windows(localRanks, bytes, PARTS * CHUNK_BYTES)
                : DOUBLING.memoryBytes(nodes, localRanks, bytes);
    }

    @Override
    protected long roundBytesMax(Team team) {
        return Math.min(Flow.PIECE_BYTES, team.windowBytesMax() / NodeStage.HALVES);
    }

    @Override
    Exchange exchange(long chunk) {
        return chunk <= RingLayout.EDGE_PAYLOAD_BYTES ? this : DOUBLING;
    }

    @Override
    public void open(Team team, Kernel kernel, long bytes, long chunk, int rounds) {
        // each of the flows has one piece
    }

    @Override
    public void exchange(Team team, Kernel kernel, Area own, Area work, long at, long length) {
        int node = team.node();
        int nodes = team.nodes();
        for (int distance = 1; distance < nodes; distance++) {
            int other = (node + distance) % nodes;
            team.outflow(NodeTree.PARENT).openNext(other, team.star(node), 0);
            team.outflow(NodeTree.PARENT).send(own, at, length);
            team.inflow(team.star(other)).openNext(other, 0);
        }
        Area left = Partners.combineLower(team, kernel, team.star(0), node, own, work, at, length);
        Partners.combineHigher(team, kernel, team.star(node) + 1, nodes - 1 - node, left, work, at, length);
    }

    @Override
    protected void runOnOneNode(Team team, Call call) {
        Chunk chunk = team.chunks(call.bytes(), call.kernel().wholeUnits(team.windowBytesMax() / PARTS), PARTS);
        Area shown = team.show(chunk.window());
        while (chunk.next()) {
            team.copy(call.source(), chunk.from(), shown, chunk.place(), chunk.length());
            team.post(Team.READY, chunk.number());
            team.awaitOthers(Team.READY, chunk.number());
            RankOrder.combineAll(team, call, shown, chunk);
        }
    }
}
