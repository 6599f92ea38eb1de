/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.reducescatter;

import org.tutti.Collective;
import org.tutti.collective.Area;
import org.tutti.collective.BlockAlgorithm;
import org.tutti.collective.Call;
import org.tutti.collective.Cost;
import org.tutti.collective.Outflow;
import org.tutti.collective.Team;
import org.tutti.collective.kernel.Kernel;
import org.tutti.pattern.Partition;

/**
 * In a node by index range: every rank shows all its blocks, and combines a part of them of all ranks, in their order.
 * On one node that part is its own block, and goes to its target.
 *
 * <p>On several nodes the blocks lie node by node, each rank combines an equal part of them where it shows them, and
 * the masters exchange the node's combinations directly: a master puts to each other node the blocks of its ranks, a
 * piece each. Each rank then combines what its block has become at each node, in the order of the nodes. So operators
 * that do not commute need ranks in blocks.
 *
 * <p>Blocks may differ in length, as all ranks know all lengths: then each has room for the longest.
 *
 * <p>A part of a rank's window is read by no other rank until it has been combined there: each reads of others' windows
 * the part that it combines, and later, when READY says so, what others have combined in theirs.
 */
public final class DirectReduceScatter extends BlockAlgorithm {
    private static final int MASTER = 0;
    private static final long SHOWN = 1;
    private static final long COMBINED = 2;
    private static final int PARTS = 2;

    /** The only object that is needed. */
    public DirectReduceScatter() {
        super(Collective.REDUCE_SCATTER, PARTS,
                new Description("direct", Order.BLOCKS, "1, n > 1: 2 + n − 1", "b·p·n·(2 − 1/p)", "b·p·(n − 1)",
                        "p·n·b a rank, n·p·b more at masters",
                        "index range: this project; Direct: Qian, Afsahi 2008, 5.1.3"));
    }

    @Override
    public Cost cost(int nodes, int localRanks, long bytes) {
        double all = (double) bytes * nodes * localRanks;
        double others = (double) localRanks - 1;
        if (nodes == 1) {
            return new Cost(1, all, others * bytes, 0, 0);
        }
        double pieces = (double) localRanks * (nodes - 1);
        return new Cost(localRanks == 1 ? 0 : 2, all, all * others / localRanks + (nodes - 1.0) * bytes, 1,
                pieces * bytes).withFurtherPuts(pieces - 1);
    }

    @Override
    protected long blocksOnNode(int nodes, int ranks, int localRanks) {
        return ((long) ranks + nodes) * localRanks;
    }

    @Override
    public void run(Team team, Call call) {
        if (team.nodes() == 1) {
            combineInNode(team, call);
        } else {
            combineAcrossNodes(team, call);
        }
    }

    private static void combineInNode(Team team, Call call) {
        long bytes = call.bytes();
        Area own = team.show(team.size() * bytes);
        for (int place = 0; place < team.size(); place++) {
            if (place != team.localRank()) { // nobody else reads this rank's own one
                team.copy(call.source(), call.sourceAt(place), own, place * bytes, call.blockBytes(place));
            }
        }
        team.post(Team.READY, SHOWN);
        team.awaitOthers(Team.READY, SHOWN);
        combine(team, call, call.source(), call.sourceAt(team.rank()), team.localRank() * bytes,
                call.blockBytes(team.rank()), call.target(), 0);
    }

    /** Combines the same bytes of every rank's window around the own ones, with those of higher ranks first. */
    private static void combine(Team team, Call call, Area own, long from, long place, long bytes, Area target,
            long at) {
        long window = team.size() * call.bytes(); // a master's is longer, and a window just as well
        Area accumulated = own;
        long start = from;
        for (int other = team.localRank() + 1; other < team.localSize(); other++) {
            team.combine(call.kernel(), accumulated, start, team.shown(other, window), place, target, at, bytes);
            accumulated = target;
            start = at;
        }
        for (int other = team.localRank() - 1; other >= 0; other--) {
            team.combine(call.kernel(), team.shown(other, window), place, accumulated, start, target, at, bytes);
            accumulated = target;
            start = at;
        }
    }

    private static void combineAcrossNodes(Team team, Call call) {
        long bytes = call.bytes();
        Kernel kernel = call.kernel();
        long ownBytes = call.blockBytes(team.rank());
        int rank = team.localRank();
        Area own = team.show(shownBytes(team, rank, bytes));
        for (int node = 0; node < team.nodes(); node++) {
            for (int place = 0; place < team.ranksOn(node); place++) {
                int other = team.rankAt(node, place);
                team.copy(call.source(), call.sourceAt(other), own, at(team, node, place, bytes),
                        call.blockBytes(other));
            }
        }
        if (team.isMaster()) {
            for (int distance = 1; distance < team.nodes(); distance++) {
                openInflow(team, Math.floorMod(team.node() - distance, team.nodes()), own, bytes);
            }
        }
        team.post(Team.READY, SHOWN);
        team.awaitOthers(Team.READY, SHOWN);
        combineOwnPart(team, call, own);
        team.post(Team.READY, COMBINED);
        if (team.isMaster()) {
            for (int distance = 1; distance < team.nodes(); distance++) {
                send(team, call, (team.node() + distance) % team.nodes());
            }
        } else {
            for (int node = 0; node < team.nodes(); node++) {
                if (node != team.node()) {
                    openInflow(team, node, team.shown(MASTER, shownBytes(team, MASTER, bytes)), bytes);
                }
            }
        }
        for (int node = 0; node < team.nodes(); node++) {
            Area theirs;
            long at = 0;
            if (node == team.node()) {
                theirs = combined(team, team.position(node) + rank, bytes);
                at = at(team, node, rank, bytes);
            } else {
                theirs = team.inflow(team.pair(node)).await(rank + 1L);
            }
            if (node == 0) {
                team.copy(theirs, at, call.target(), 0, ownBytes);
            } else {
                team.combine(kernel, call.target(), 0, theirs, at, call.target(), 0, ownBytes);
            }
        }
        for (int node = 0; node < team.nodes() && team.isMaster(); node++) {
            if (node != team.node()) { // what the others of this node need comes to the master's process
                team.inflow(team.pair(node)).awaitAll();
            }
        }
    }

    /** Combines the part of all blocks that falls to this rank: whole blocks, at once if there are no holes. */
    private static void combineOwnPart(Team team, Call call, Area own) {
        long bytes = call.bytes();
        long from = start(team, bytes, team.localRank());
        long end = start(team, bytes, team.localRank() + 1);
        if (!call.isUnequal()) {
            combine(team, call, own, from, from, end - from, own, from);
            return;
        }
        for (int node = 0; node < team.nodes(); node++) {
            for (int place = 0; place < team.ranksOn(node); place++) {
                long at = at(team, node, place, bytes);
                if (at >= from && at < end) {
                    combine(team, call, own, at, at, call.blockBytes(team.rankAt(node, place)), own, at);
                }
            }
        }
    }

    /** Where a block lies in a window. */
    private static long at(Team team, int node, int place, long bytes) {
        return (team.position(node) + place) * bytes;
    }

    /** Where the part of the blocks begins that a rank combines: whole blocks. */
    private static long start(Team team, long bytes, int place) {
        return Partition.start(team.size(), 1, team.localSize(), place) * bytes;
    }

    /** What has become of a block of this node at the rank that combines it. */
    private static Area combined(Team team, int position, long bytes) {
        int place = Partition.index(team.size(), 1, team.localSize(), position);
        if (place != team.localRank()) {
            team.await(place, Team.READY, COMBINED);
        }
        return team.shown(place, shownBytes(team, place, bytes));
    }

    private static void openInflow(Team team, int sender, Area window, long bytes) {
        long at = (team.size() + (long) sender * team.localSize()) * bytes;
        team.inflow(team.pair(sender)).openPair(sender, bytes, team.localSize(), window, at);
    }

    private static void send(Team team, Call call, int receiver) {
        long bytes = call.bytes();
        Outflow out = team.outflow(team.pair(receiver));
        int pieces = team.ranksOn(receiver);
        out.openPair(receiver, bytes, pieces);
        for (int place = 0; place < pieces; place++) {
            out.send(combined(team, team.position(receiver) + place, bytes), at(team, receiver, place, bytes),
                    call.blockBytes(team.rankAt(receiver, place)));
        }
    }

    private static long shownBytes(Team team, int place, long bytes) {
        boolean isInvited = place == MASTER && team.exceedsPair(team.localSize() * bytes);
        return (team.size() + (isInvited ? (long) team.nodes() * team.localSize() : 0)) * bytes;
    }
}
