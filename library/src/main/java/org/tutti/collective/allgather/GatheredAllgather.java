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
 * An allgather in which each master, the first rank of its node, collects the blocks of all ranks in its window. A
 * window is memory that a rank shows to its node. First the ranks of a node copy their blocks to their master's window.
 * Then the masters exchange the contents of their windows. Finally every rank copies all blocks from its master's
 * window. The blocks of a node are adjacent in the window, so a master can send the blocks of several nodes in one put.
 * No rank copies out a block before all blocks have arrived, so the algorithm suits short blocks. A subclass chooses
 * the order of the nodes in the window, and the exchange between masters.
 *
 * <p><b>Why nothing is overwritten.</b> Each block is written to a window once. A rank of the node writes it between
 * the steps SHOWN and GATHERED, or another node's master puts it after an invitation. A short message arrives in the
 * eager buffer of a pair, and this node's master copies it to the window. Until the master has awaited a part of the
 * window, only the writer of the part accesses it. The other ranks access it after the master has posted COMPLETE.
 * Windows and eager buffers belong to the operation until all ranks of the node have left it.
 *
 * <p><b>Why it ends.</b> A master opens all flows to its node before it waits. It waits for the ranks of its node,
 * which wait only for its window. Then it waits for other masters in the exchange; the subclass argues why this wait
 * ends.
 */
abstract class GatheredAllgather extends EqualBlocksAlgorithm {
    private static final long GATHERED = 2;
    private static final long COMPLETE = 3;

    GatheredAllgather(Description description) {
        super(Collective.ALLGATHER, description);
    }

    // ---- for subclasses

    /**
     * Returns the node whose blocks follow the blocks of {@code node} in a window. The result for the last node does
     * not matter.
     */
    int next(int node, int nodes) {
        return node + 1;
    }

    /** Opens the flows from other nodes. Only masters call this method. */
    abstract void open(Team team, Area window, long bytes);

    /**
     * Exchanges blocks with other masters until the window holds the blocks of all nodes. At first it holds only the
     * blocks of this node. Only masters call this method.
     */
    abstract void exchange(Team team, Area window, long bytes);

    // ---- memory

    /**
     * Counts the blocks of all nodes, which are in the window, and the blocks of other nodes once more, because these
     * may first arrive in eager buffers.
     */
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

    /** Returns the offset in the window at which the blocks of a node begin. */
    final long at(Team team, int node, long bytes) {
        long ranks = 0;
        for (int each = 0; each != node; each = next(each, team.nodes())) {
            ranks += team.ranksOn(each);
        }
        return ranks * bytes;
    }

    /** Opens a flow that brings one piece from another node. The piece belongs at an offset in the master's window. */
    static void openInflow(Team team, int sender, Area window, long at, long length) {
        team.inflow(team.pair(sender)).openPair(sender, length, 1, window, at);
    }

    /**
     * Waits until the piece from another node has arrived. If it has arrived in an eager buffer, the method copies it
     * to its offset in the window.
     */
    static void arrive(Team team, int sender, Area window, long at, long length) {
        Inflow in = team.inflow(team.pair(sender));
        Area arrived = in.await();
        if (!team.exceedsPair(length)) {
            team.copy(arrived, 0, window, at, length);
        }
    }

    /** Sends another node one piece, from an offset in the window. */
    static void send(Team team, int receiver, Area window, long at, long length) {
        Outflow out = team.outflow(team.pair(receiver));
        out.openPair(receiver, length, 1);
        out.send(window, at, length);
    }
}
