/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.reducescatter;

import org.tutti.collective.Algorithm;
import org.tutti.collective.Call;
import org.tutti.collective.Chunk;
import org.tutti.collective.Team;
import org.tutti.collective.layout.CallShape;
import org.tutti.collective.machine.Area;

/**
 * A reduce-scatter that uses pairwise exchange between nodes (Thakur, Rabenseifner and Gropp 2005, section 4.4). A row
 * has the blocks for the ranks of one node. In step i of n − 1, a master sends the row of the node at distance i,
 * modulo the number n of nodes, to that node. In the same step it combines its own row with the row that arrives from
 * the node at distance i in the other direction. Then it begins the next step. A node's link therefore carries one
 * message in each direction at a time, and no node receives many messages at the same time. A master is the first rank
 * of its node. With p ranks on a node and b bytes a block, each node sends b·p·(n − 1) bytes, which is the least
 * possible. A node combines the rows of its neighbours first, and distances wrap around, so operators must be
 * commutative.
 *
 * <p><b>Why nothing is overwritten.</b> A message that does not fit into a pair's eager buffer goes to one of two parts
 * of the master's window, which are used in turn. The sender of step i + 2 is invited once the message of step i has
 * been combined. Until then only the message of step i + 1 may arrive, in the other part.
 *
 * <p><b>Why it ends.</b> In step i a master waits for an invitation, which its receiver sends when it has combined the
 * message of step i − 2. The master also waits for a message, which its sender sends when it has been invited and has
 * combined the message of step i − 1. Every wait is therefore for an earlier step of another master.
 */
public final class PairwiseReduceScatter extends MasterReduceScatter {
    private static final HalvingReduceScatter HALVING = new HalvingReduceScatter();

    /** Creates the algorithm; one object serves all ranks. */
    public PairwiseReduceScatter() {
        super(new Description("pairwise", Order.ONE_NODE, "1, n > 1: 3 + n − 1",
                "b·p·n·(2 − 1/p) + b·p·(n − 1)", "b·p·(n − 1)", "p·n·b a rank, 2·p·b more at masters",
                "Thakur, Rabenseifner, Gropp 2005, section 4.4"));
    }

    @Override
    protected Algorithm runsAs(CallShape shape) {
        return shape.nodes() <= 2 && shape.isEven() ? HALVING : this;
    }

    @Override
    int rowsMax(int nodes) {
        return Math.min(Chunk.HALVES, nodes - 1);
    }

    /**
     * Returns a bound that counts one row, the blocks for the ranks of this node, from each other node. Short rows
     * arrive in the eager buffers of pairs, one for each node. Of long rows, at most two at a time are in the window.
     */
    @Override
    protected long blocksOnNode(int nodes, int ranks, int localRanks) {
        return ((long) ranks + nodes - 1) * localRanks;
    }

    @Override
    long arrivalBytes(Team team, long bytes) {
        long row = team.localSize() * bytes;
        return team.exceedsPair(row) ? rowsMax(team.nodes()) * row : 0;
    }

    @Override
    void openInflows(Team team, Call call, Area window) {
        for (int step = 1; step <= rowsMax(team.nodes()); step++) {
            openInflow(team, call, window, step);
        }
    }

    private static void openInflow(Team team, Call call, Area window, int step) {
        long at = (team.size() + (step - 1L) % Chunk.HALVES * team.localSize()) * call.bytes();
        openInflow(team, call, sender(team, step), team.localSize(), window, at);
    }

    private static int sender(Team team, int step) {
        return Math.floorMod(team.node() - step, team.nodes());
    }

    @Override
    void exchangeRows(Team team, Call call, Area window) {
        for (int step = 1; step < team.nodes(); step++) {
            int receiver = (team.node() + step) % team.nodes();
            int row = team.position(receiver);
            int own = team.position(team.node());
            send(team, call, window, receiver, row, row + team.ranksOn(receiver));
            combineArrived(team, call, window, sender(team, step), own, own + team.localSize());
            if (step + Chunk.HALVES < team.nodes()) {
                openInflow(team, call, window, step + Chunk.HALVES);
            }
        }
    }
}
