/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.reducescatter;

import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.flow.Outflow;
import org.tutti.collective.machine.Area;

/**
 * A reduce-scatter that uses the Direct algorithm between nodes (Qian and Afsahi 2008, section 5.1.3). A master, the
 * first rank of its node, sends each other node the blocks for the ranks of that node. It sends a block as one piece,
 * as soon as the ranks of its own node have combined it. Each rank then combines the pieces of all nodes for its block,
 * in the order of the nodes. For non-commutative operators the ranks of each node must therefore be consecutive. There
 * are two steps in a node and n − 1 between n nodes. With p ranks on a node and b bytes a block, b·p·(n − 1) bytes
 * leave a node.
 */
public final class DirectReduceScatter extends TwoLevelReduceScatter {
    /** Creates the algorithm; one object serves all ranks. */
    public DirectReduceScatter() {
        super(new Description("direct", Order.BLOCKS, "1, n > 1: 2 + n − 1", "b·p·n·(2 − 1/p)", "b·p·(n − 1)",
                "p·n·b a rank, n·p·b more at masters",
                "index range: this project; Direct: Qian, Afsahi 2008, 5.1.3"));
    }

    /**
     * Returns the number of nodes, or 0 if there is one node. A window has room for one row, the blocks for this node's
     * ranks, from each node.
     */
    @Override
    int rowsMax(int nodes) {
        return nodes == 1 ? 0 : nodes;
    }

    @Override
    long arrivalBytes(Team team, long bytes) {
        long row = team.localSize() * bytes;
        return team.exceedsPair(row) ? team.nodes() * row : 0;
    }

    @Override
    void openInflows(Team team, Call call, Area window) {
        for (int distance = 1; distance < team.nodes(); distance++) {
            int sender = Math.floorMod(team.node() - distance, team.nodes());
            long at = (team.size() + (long) sender * team.localSize()) * call.bytes();
            team.inflow(team.pair(sender)).openPair(sender, call.bytes(), team.localSize(), window, at);
        }
    }

    @Override
    void exchange(Team team, Call call, Area window) {
        if (team.isMaster()) {
            for (int distance = 1; distance < team.nodes(); distance++) {
                send(team, call, (team.node() + distance) % team.nodes(), window);
            }
        } else {
            openInflows(team, call, window);
        }
        long ownBytes = call.blockBytes(team.rank());
        Area combined = window;
        long combinedAt = 0;
        for (int node = 0; node < team.nodes(); node++) {
            Area theirs = window;
            long at = 0;
            if (node == team.node()) {
                int block = team.position(node) + team.localRank();
                awaitCombined(team, block);
                at = block * call.bytes();
            } else {
                theirs = team.inflow(team.pair(node)).await(team.localRank() + 1L);
            }
            if (node == 0) { // is combined with the next piece, and not copied before
                combined = theirs;
                combinedAt = at;
            } else {
                team.combine(call.kernel(), combined, combinedAt, theirs, at, call.target(), 0, ownBytes);
                combined = call.target();
                combinedAt = 0;
            }
        }
        for (int node = 0; node < team.nodes() && team.isMaster(); node++) {
            if (node != team.node()) { // the pieces for the other ranks of this node arrive in the master's process
                team.inflow(team.pair(node)).awaitAll();
            }
        }
    }

    private static void send(Team team, Call call, int receiver, Area window) {
        Outflow out = team.outflow(team.pair(receiver));
        int pieces = team.ranksOn(receiver);
        out.openPair(receiver, call.bytes(), pieces);
        for (int localRank = 0; localRank < pieces; localRank++) {
            int block = team.position(receiver) + localRank;
            awaitCombined(team, block);
            out.send(window, block * call.bytes(), call.blockBytes(team.rankAt(receiver, localRank)));
        }
    }
}
