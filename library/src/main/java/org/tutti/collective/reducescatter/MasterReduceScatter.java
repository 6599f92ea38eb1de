/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.reducescatter;

import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.flow.Inflow;
import org.tutti.collective.flow.Outflow;
import org.tutti.collective.machine.Area;

/**
 * A reduce-scatter in which masters, the first ranks of their nodes, exchange rows of their windows. The ranks of a
 * node first combine their elements in the master's window. A row of the window has the blocks for the ranks of one
 * node. A master sends several consecutive rows in one message, and combines the rows that arrive with the same rows of
 * its own. Finally each master has the complete row of its own node, from which each rank copies its block.
 *
 * <p>A message is the only piece that is sent over the {@linkplain Team#pair pair} of its two nodes in that direction.
 * If it fits into the pair's eager buffer, it arrives there, otherwise in the receiving master's window.
 *
 * <p><b>Why nothing is overwritten.</b> Once a master has sent rows, it does not access them again, because it combines
 * only rows that it keeps. Messages arrive behind the rows in the window. Each of them arrives in a part that has not
 * been used before, or in which the earlier message has been combined. The other ranks of the node read the window
 * again only after the master has posted EXCHANGED.
 */
abstract class MasterReduceScatter extends TwoLevelReduceScatter {
    private static final long EXCHANGED = 3;

    MasterReduceScatter(Description description) {
        super(description);
    }

    /**
     * Exchanges the rows that the ranks of this node have combined with other masters. Only masters call this method.
     */
    abstract void exchangeRows(Team team, Call call, Area window);

    @Override
    final void exchange(Team team, Call call, Area window) {
        if (team.isMaster()) {
            team.awaitOthers(Team.READY, COMBINED);
            exchangeRows(team, call, window);
            team.post(Team.READY, EXCHANGED);
        } else {
            team.await(Team.MASTER, Team.READY, EXCHANGED);
        }
        team.copy(window, (position(team, team.node()) + team.localRank()) * call.bytes(), call.target(), 0,
                call.blockBytes(team.rank()));
    }

    /**
     * Opens the flow of a message of {@code blocks} blocks from another node. If the message does not fit into an eager
     * buffer, it arrives at an offset in the master's window.
     */
    static void openInflow(Team team, Call call, int sender, int blocks, Area window, long at) {
        Inflow in = team.inflow(team.pair(sender));
        in.openPair(sender, blocks * call.bytes(), 1, window, at);
        in.inParts(blocks / together(call, 0, blocks));
    }

    /** Sends another node the blocks {@code from} to {@code to} − 1 of the window. */
    final void send(Team team, Call call, Area window, int receiver, int from, int to) {
        int together = together(call, from, to);
        Outflow out = team.outflow(team.pair(receiver));
        out.openPair(receiver, (to - from) * call.bytes(), 1);
        out.inParts((to - from) / together);
        for (int block = from; block < to; block += together) {
            out.send(window, block * call.bytes(), (block - from) * call.bytes(), bytes(team, call, block, together));
        }
    }

    /**
     * Waits for a message from another node, and combines it with the blocks {@code from} to {@code to} − 1 of the
     * window.
     */
    final void combineArrived(Team team, Call call, Area window, int sender, int from, int to) {
        int together = together(call, from, to);
        Area arrived = team.inflow(team.pair(sender)).await((to - from) / together);
        for (int block = from; block < to; block += together) {
            long own = block * call.bytes();
            long theirs = (block - from) * call.bytes();
            long bytes = bytes(team, call, block, together);
            if (sender < team.node()) {
                team.combine(call.kernel(), arrived, theirs, window, own, window, own, bytes);
            } else {
                team.combine(call.kernel(), window, own, arrived, theirs, window, own, bytes);
            }
        }
    }
}
