/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.gather;

import org.tutti.Collective;
import org.tutti.collective.Area;
import org.tutti.collective.BlockAlgorithm;
import org.tutti.collective.Call;
import org.tutti.collective.Contributions;
import org.tutti.collective.Cost;
import org.tutti.collective.Loans;
import org.tutti.collective.Outflow;
import org.tutti.collective.Team;

/**
 * Ranks show their blocks and go on. The root copies those of its node from where they are shown; the master of every
 * other node puts what its node's ranks show straight to the root's node, as a piece each, and the root copies them
 * from there.
 *
 * <p>On one node long blocks are {@linkplain Loans#lendBlocks lent} where that can be, and their owners wait for the
 * root.
 *
 * <p>A node's pieces go to the landing place of its {@linkplain Team#pair pair} if they have room, so that the root's
 * master need not have entered; else that master invites the node to a window with room for all nodes' blocks. It waits
 * for all of them before it leaves, as they come to its process. Landing places and windows belong to the operation
 * until all ranks of the node have left it.
 */
public final class DirectGather extends BlockAlgorithm {
    private static final int MASTER = 0;
    private static final long SHOWN = 1;

    /** The only object that is needed. */
    public DirectGather() {
        super(Collective.GATHER,
                new Description("direct", Order.ALWAYS, "1, n − 1 more between nodes", "b·p·n at the root",
                        "b·p·(n − 1)", "p·n·b at the root's master, b at others", "Qian, Afsahi 2008, section 5.1.1"));
    }

    @Override
    public Cost cost(int nodes, int localRanks, long bytes) {
        return Contributions.cost(nodes, localRanks, bytes, false);
    }

    @Override
    protected long blocksOnNode(int nodes, int ranks, int localRanks) {
        return ranks;
    }

    @Override
    public void run(Team team, Call call) {
        int top = team.nodeOf(call.root());
        if (team.node() == top) {
            if (team.rank() == call.root()) {
                gather(team, call);
            } else {
                show(team, call, team.isMaster());
            }
        } else {
            if (team.isMaster()) {
                send(team, call, top);
            } else {
                show(team, call, false);
            }
        }
    }

    /** Whether any node's blocks come to the window of the root's master. */
    private static boolean invitesAny(Team team, long bytes) {
        return team.nodes() > 1 && team.exceedsPair(team.ranksMax() * bytes);
    }

    /** What a rank of the root's node shows: its block, and behind it the master what others are invited to. */
    private static long shownBytes(Team team, int place, long bytes) {
        return place == MASTER && invitesAny(team, bytes) ? team.size() * bytes : bytes;
    }

    private static long arrivals(Team team, int sender, long bytes) { // this node's own ones lie in front
        return (sender < team.node() ? team.localSize() + team.position(sender) : team.position(sender)) * bytes;
    }

    private static void show(Team team, Call call, boolean receives) {
        long bytes = call.bytes();
        if (team.loans().lendBlocks(bytes, call.source(), false)) {
            team.post(Team.READY, SHOWN);
            team.loans().takeBlocksBack(team, team.placeOf(call.root()));
            return;
        }
        Area own = team.show(receives ? shownBytes(team, MASTER, bytes) : bytes);
        team.copy(call.source(), 0, own, 0, bytes);
        if (receives) {
            openInflows(team, own, bytes);
        }
        team.post(Team.READY, SHOWN);
        if (receives) {
            for (int node = 0; node < team.nodes(); node++) {
                if (node != team.node()) {
                    team.inflow(team.pair(node)).awaitAll();
                }
            }
        }
    }

    private static void openInflows(Team team, Area window, long bytes) {
        for (int node = 0; node < team.nodes(); node++) {
            if (node != team.node()) {
                team.inflow(team.pair(node)).openPair(node, bytes, team.ranksOn(node), window,
                        arrivals(team, node, bytes));
            }
        }
    }

    private static void gather(Team team, Call call) {
        long bytes = call.bytes();
        Area target = call.target();
        Area window = null;
        if (invitesAny(team, bytes)) {
            if (team.isMaster()) {
                window = team.show(shownBytes(team, MASTER, bytes));
            } else {
                team.await(MASTER, Team.READY, SHOWN);
                window = team.shown(MASTER, shownBytes(team, MASTER, bytes));
            }
        }
        openInflows(team, window, bytes);
        if (!call.isInPlace()) {
            team.copy(call.source(), 0, target, call.block(team.rank()), bytes);
        }
        for (int distance = 1; distance < team.localSize(); distance++) {
            int place = (team.localRank() + distance) % team.localSize();
            team.await(place, Team.READY, SHOWN);
            Area block = team.loans().isLendingBlocks(place, bytes) ? team.loans().lent(place, Loans.SOURCE)
                    : team.shown(place, shownBytes(team, place, bytes));
            team.copy(block, 0, target, call.block(team.rankAt(team.node(), place)), bytes);
        }
        team.loans().finishBlocks(team, bytes);
        for (int distance = 1; distance < team.nodes(); distance++) {
            int node = (team.node() + distance) % team.nodes();
            for (int place = 0; place < team.ranksOn(node); place++) {
                team.copy(team.inflow(team.pair(node)).await(), 0, target, call.block(team.rankAt(node, place)), bytes);
            }
        }
    }

    /** Sends what the ranks of this node show, and the master's own from where it is. */
    private static void send(Team team, Call call, int top) {
        long bytes = call.bytes();
        Outflow out = team.outflow(team.pair(top));
        out.openPair(top, bytes, team.localSize());
        out.send(call.source(), 0, bytes);
        for (int place = MASTER + 1; place < team.localSize(); place++) {
            team.await(place, Team.READY, SHOWN);
            out.send(team.shown(place, bytes), 0, bytes);
        }
    }
}
