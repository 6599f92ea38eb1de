/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.gather;

import org.tutti.Collective;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.blocks.EqualBlocksAlgorithm;
import org.tutti.collective.flow.Inflow;
import org.tutti.collective.flow.Outflow;
import org.tutti.collective.flow.RendezvousSchedule;
import org.tutti.collective.machine.Area;
import org.tutti.collective.window.ZeroCopyLoans;

/**
 * A gather in which every rank shows its block and goes on. The root copies the blocks of its node from where they are
 * shown. The master of every other node puts the blocks of its node straight to the root's node, one piece for each
 * rank, and the root copies them from where they arrive (Qian and Afsahi 2008, section 5.1.1; Portals' rendezvous). One
 * step in a node and n − 1 between nodes; b·p·(n − 1) bytes come to the root's node.
 *
 * <p>On one node, ranks {@linkplain ZeroCopyLoans#lendBlocks lend} long blocks if that is possible, and wait for the
 * root.
 *
 * <p>The pieces of a node go to the eager buffer of its {@linkplain Team#pair pair} if they fit, so that the root's
 * master need not have entered. Else that master invites the node to one of two parts of its window, {@linkplain
 * RendezvousSchedule in turn}: one node sends while the next one is invited, however many nodes there are.
 *
 * <p><b>Why nothing is overwritten.</b> A part of the window is used again when the root has copied the pieces that
 * were there; a root that is not the master says DONE for each node. Eager buffers and windows belong to the operation
 * until all ranks of the node have left it. The master waits for all pieces before it leaves, because they come to its
 * process.
 *
 * <p><b>Why it ends.</b> A master that sends waits for the ranks of its node, which show their blocks and go on, and
 * for the root's node. That node waits only for its own ranks, and for nodes that have been invited or need no
 * invitation.
 */
public final class DirectGather extends EqualBlocksAlgorithm {
    private static final int PORTS = 1;
    private static final int PLACES = PORTS * RendezvousSchedule.PER_PORT;

    /** Creates the algorithm; one object serves all ranks. */
    public DirectGather() {
        super(Collective.GATHER,
                new Description("direct", Order.ALWAYS, "1, n − 1 more between nodes", "b·p·n at the root",
                        "b·p·(n − 1)", "2·p·b at the root's master, p·n·b if short; b at others",
                        "Qian, Afsahi 2008, section 5.1.1; Portals' rendezvous"));
    }

    @Override
    protected long blocksOnNode(int nodes, int ranks, int localRanks) {
        return ranks;
    }

    @Override
    protected long blockBytesMax(Team team) {
        return team.nodes() == 1 ? team.blockBytesMax()
                : team.windowBytesMax() / (1 + (long) places(team) * team.ranksMax());
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

    /** Tells whether the blocks of any node come to the window of the root's master. */
    private static boolean invitesAny(Team team, long bytes) {
        return team.nodes() > 1 && team.exceedsPair(team.ranksMax() * bytes);
    }

    private static int places(Team team) {
        return Math.min(PLACES, team.nodes() - 1);
    }

    /**
     * Returns the length of a window on the root's node: the rank's block, and at the master two parts for other nodes.
     */
    private static long shownBytes(Team team, int localRank, long bytes) {
        return localRank == Team.MASTER && invitesAny(team, bytes) ? (1 + (long) places(team) * team.ranksMax()) * bytes
                : bytes;
    }

    private static void show(Team team, Call call, boolean receives) {
        long bytes = call.bytes();
        if (team.loans().lendBlocks(bytes, call.source(), false)) {
            team.post(Team.READY, SHOWN);
            team.loans().takeBlocksBack(team.localRankOf(call.root()));
            return;
        }
        Area own = team.show(receives ? shownBytes(team, Team.MASTER, bytes) : bytes);
        team.copy(call.source(), 0, own, 0, bytes);
        if (receives) {
            openInflows(team, own, bytes);
        }
        team.post(Team.READY, SHOWN);
        if (receives) {
            int root = team.localRankOf(call.root());
            for (int distance = 1; distance < team.nodes(); distance++) {
                team.await(root, Team.DONE, invitesAny(team, bytes) ? distance - 1L : 0);
                inflow(team, distance).awaitAll();
            }
        }
    }

    private static int node(Team team, int distance) {
        return (team.node() + distance) % team.nodes();
    }

    private static Inflow inflow(Team team, int distance) {
        return team.inflow(team.pair(node(team, distance)));
    }

    private static void openInflows(Team team, Area window, long bytes) {
        team.rendezvousSchedule().begin(PORTS);
        for (int distance = 1; distance < team.nodes(); distance++) {
            int node = node(team, distance);
            long at = (1 + (long) team.rendezvousSchedule().place() * team.ranksMax()) * bytes;
            team.rendezvousSchedule().openPair(node, bytes, team.ranksOn(node), window, at);
        }
    }

    private static void gather(Team team, Call call) {
        long bytes = call.bytes();
        Area target = call.target();
        Area window = null;
        if (invitesAny(team, bytes)) {
            if (team.isMaster()) {
                window = team.show(shownBytes(team, Team.MASTER, bytes));
            } else {
                team.await(Team.MASTER, Team.READY, SHOWN);
                window = team.shown(Team.MASTER, shownBytes(team, Team.MASTER, bytes));
            }
        }
        openInflows(team, window, bytes);
        if (!call.isInPlace()) {
            team.copy(call.source(), 0, target, call.block(team.rank()), bytes);
        }
        for (int distance = 1; distance < team.localSize(); distance++) {
            int localRank = (team.localRank() + distance) % team.localSize();
            team.await(localRank, Team.READY, SHOWN);
            Area block =
                    team.loans().isLendingBlocks(localRank, bytes) ? team.loans().lent(localRank, ZeroCopyLoans.SOURCE)
                            : team.shown(localRank, shownBytes(team, localRank, bytes));
            team.copy(block, 0, target, call.block(team.rankAt(team.node(), localRank)), bytes);
        }
        team.loans().finishBlocks(bytes);
        for (int distance = 1; distance < team.nodes(); distance++) {
            int node = node(team, distance);
            for (int localRank = 0; localRank < team.ranksOn(node); localRank++) {
                team.copy(inflow(team, distance).await(), 0, target, call.block(team.rankAt(node, localRank)), bytes);
            }
            if (window != null && !team.isMaster() && distance < team.nodes() - 1) {
                team.post(Team.DONE, distance);
            }
        }
    }

    /** Sends the blocks that the ranks of this node show, and the master's own block from its source. */
    private static void send(Team team, Call call, int top) {
        long bytes = call.bytes();
        Outflow out = team.outflow(team.pair(top));
        out.openPair(top, bytes, team.localSize());
        out.send(call.source(), 0, bytes);
        for (int localRank = Team.MASTER + 1; localRank < team.localSize(); localRank++) {
            team.await(localRank, Team.READY, SHOWN);
            out.send(team.shown(localRank, bytes), 0, bytes);
        }
    }
}
