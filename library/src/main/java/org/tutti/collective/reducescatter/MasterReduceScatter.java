/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.reducescatter;

import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.flow.Inflow;
import org.tutti.collective.flow.Outflow;
import org.tutti.collective.machine.Area;

/**
 * Reduce-scatter on two levels in which masters send each other consecutive rows of their windows, all in one message,
 * and combine the rows that arrive with the same rows of their own. In the end a master has its own node's row, from
 * which each rank copies its block.
 *
 * <p>A message is one piece over the {@linkplain Team#pair pair} of its two nodes, and the only one there. It goes to
 * the pair's eager buffer if it fits, else to the receiving master's window.
 *
 * <p><b>Why nothing is overwritten.</b> A master does not touch again the rows that it has sent: it combines only rows
 * that it keeps. Messages arrive behind its rows, in parts of the window that were not used before, or after the
 * message there has been combined. The ranks of its node read its window again when it says EXCHANGED.
 */
abstract class MasterReduceScatter extends TwoLevelReduceScatter {
    private static final long EXCHANGED = 3;

    MasterReduceScatter(Description description) {
        super(description);
    }

    /** Exchanges, at the master, the rows that the ranks of its node have combined. */
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

    /** Opens the flow of some blocks from another node, which may come to a part of the master's window. */
    static void openInflow(Team team, Call call, int sender, int blocks, Area window, long at) {
        Inflow in = team.inflow(team.pair(sender));
        in.openPair(sender, blocks * call.bytes(), 1, window, at);
        in.inParts(blocks / together(call, 0, blocks));
    }

    /** Sends another node the blocks {@code from} to {@code to} − 1. */
    final void send(Team team, Call call, Area window, int receiver, int from, int to) {
        int together = together(call, from, to);
        Outflow out = team.outflow(team.pair(receiver));
        out.openPair(receiver, (to - from) * call.bytes(), 1);
        out.inParts((to - from) / together);
        for (int block = from; block < to; block += together) {
            out.send(window, block * call.bytes(), (block - from) * call.bytes(), bytes(team, call, block, together));
        }
    }

    /** Waits for a message of another node, and combines it with the blocks {@code from} to {@code to} − 1. */
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
