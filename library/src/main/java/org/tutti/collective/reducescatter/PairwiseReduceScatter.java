/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.reducescatter;

import org.tutti.collective.Call;
import org.tutti.collective.Chunk;
import org.tutti.collective.Team;
import org.tutti.collective.machine.Area;

/**
 * Between nodes pairwise exchange (Thakur, Rabenseifner and Gropp, section 4.4): in step i of n − 1 a master sends the
 * node at distance i, wrapping around, that node's row, and combines its own row with what comes from the node at the
 * same distance the other way. The next message leaves when that has been combined. So a node's wire carries one
 * message each way at a time, no node gets many at once, and each sends b·p·(n − 1) bytes: none can send fewer. As it
 * begins with the nodes beside it and wraps around, operators must commute.
 *
 * <p><b>Two places.</b> Messages that have no room in a pair go to two places in the master's window in turn. The
 * sender of step i + 2 is invited when what came in step i has been combined: so the next message may come meanwhile,
 * and no more.
 *
 * <p><b>Why it ends.</b> In step i a master waits for an invitation, which its receiver gives when it has combined what
 * came in step i − 2, and for a message, which its sender sends when it is invited and has combined what came in step
 * i − 1. So all wait for earlier steps only.
 */
public final class PairwiseReduceScatter extends MasterReduceScatter {
    /** Creates the algorithm; one object serves all ranks. */
    public PairwiseReduceScatter() {
        super(new Description("pairwise", Order.ONE_NODE, "1, n > 1: 3 + n − 1",
                "b·p·n·(2 − 1/p) + b·p·(n − 1)", "b·p·(n − 1)", "p·n·b a rank, 2·p·b more at masters",
                "Thakur, Rabenseifner, Gropp 2005, section 4.4"));
    }

    @Override
    int rowsMax(int nodes) {
        return Math.min(Chunk.HALVES, nodes - 1);
    }

    /** In a window come two rows at most; but short ones go to the pairs, all of them. */
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
