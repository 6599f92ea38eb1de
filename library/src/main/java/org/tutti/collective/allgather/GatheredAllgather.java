/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allgather;

import org.tutti.Collective;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.blocks.EqualBlocksAlgorithm;
import org.tutti.collective.flow.Inflow;
import org.tutti.collective.flow.Outflow;
import org.tutti.collective.machine.Area;

/**
 * An allgather in which the blocks of all ranks lie in each master's window, the blocks of a node together. The ranks
 * of a node copy their blocks into their master's window, the masters exchange the contents of their windows, and then
 * every rank copies all blocks from its master's window. A master sends the blocks of several nodes in one put, because
 * they lie together. No rank copies out before all blocks have arrived, so this suits short blocks. Subclasses say in
 * which order the nodes' blocks lie, and how masters exchange them.
 *
 * <p><b>Why nothing is overwritten.</b> Each block is written to a window once: by its rank, between SHOWN and
 * GATHERED, or by another node's master, after an invitation. A short message arrives in the eager buffer of a pair,
 * and this node's master copies it to the window. Only the writer of a part of the window uses that part before the
 * master has awaited it; the other ranks use it after the master has said COMPLETE. Windows and eager buffers belong to
 * the operation until all ranks of the node have left it.
 *
 * <p><b>Why it ends.</b> A master opens all flows to its node before it waits. It waits for the ranks of its node,
 * which wait only for its window, and then as the subclass says.
 */
abstract class GatheredAllgather extends EqualBlocksAlgorithm {
    private static final long GATHERED = 2;
    private static final long COMPLETE = 3;

    GatheredAllgather(Description description) {
        super(Collective.ALLGATHER, description);
    }

    // ---- for subclasses

    /**
     * Returns the next node in the order in which the nodes' blocks lie; the result for the last node does not matter.
     */
    int next(int node, int nodes) {
        return node + 1;
    }

    /** Opens, at the master, the flows from other nodes. */
    abstract void open(Team team, Area window, long bytes);

    /** Brings, at the master, the blocks of all other nodes to the window, which has those of this node. */
    abstract void exchange(Team team, Area window, long bytes);

    // ---- memory

    /** Blocks of other nodes may arrive in eager buffers before they are copied to the window. */
    @Override
    protected final long blocksOnNode(int nodes, int ranks, int localRanks) {
        return 2L * ranks - localRanks;
    }

    // ---- the operation

    @Override
    public final void run(Team team, Call call) {
        long bytes = call.bytes();
        Area window;
        if (team.isMaster()) {
            window = team.show(team.size() * bytes);
            open(team, window, bytes);
            team.post(Team.READY, SHOWN);
        } else {
            team.await(Team.MASTER, Team.READY, SHOWN);
            window = team.shown(Team.MASTER, team.size() * bytes);
        }
        team.copy(call.source(), 0, window, at(team, team.node(), bytes) + team.localRank() * bytes, bytes);
        if (team.isMaster()) {
            team.awaitOthers(Team.READY, GATHERED);
            exchange(team, window, bytes);
            team.post(Team.READY, COMPLETE);
        } else {
            team.post(Team.READY, GATHERED);
            team.await(Team.MASTER, Team.READY, COMPLETE);
        }
        copyOut(team, call, window);
        team.noteAllAreHere(); // this rank has a block of every rank
    }

    private void copyOut(Team team, Call call, Area window) {
        long at = 0;
        int node = 0;
        for (int i = 0; i < team.nodes(); i++) {
            for (int localRank = 0; localRank < team.ranksOn(node); localRank++) {
                int rank = team.rankAt(node, localRank);
                if (rank != team.rank() || !call.isInPlace()) {
                    team.copy(window, at, call.target(), call.block(rank), call.bytes());
                }
                at += call.bytes();
            }
            node = next(node, team.nodes());
        }
    }

    /** Returns where the blocks of a node begin. */
    final long at(Team team, int node, long bytes) {
        long ranks = 0;
        for (int each = 0; each != node; each = next(each, team.nodes())) {
            ranks += team.ranksOn(each);
        }
        return ranks * bytes;
    }

    /** Opens a flow of one piece from another node, to its offset in the window. */
    static void openInflow(Team team, int sender, Area window, long at, long length) {
        team.inflow(team.pair(sender)).openPair(sender, length, 1, window, at);
    }

    /** Waits until such a piece is at its offset in the window. */
    static void arrive(Team team, int sender, Area window, long at, long length) {
        Inflow in = team.inflow(team.pair(sender));
        Area arrived = in.await();
        if (!team.exceedsPair(length)) {
            team.copy(arrived, 0, window, at, length);
        }
    }

    /** Sends such a piece. */
    static void send(Team team, int receiver, Area window, long at, long length) {
        Outflow out = team.outflow(team.pair(receiver));
        out.openPair(receiver, length, 1);
        out.send(window, at, length);
    }
}
