/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.blocks;

import org.tutti.collective.Team;
import org.tutti.collective.TeamLocal;
import org.tutti.collective.flow.Outflow;
import org.tutti.collective.machine.Area;
import org.tutti.collective.window.ZeroCopyLoans;

/**
 * Lets every rank read the contributions of all ranks to an operation, a block of equal length from each rank. Each
 * rank of this node shows its block in its window, memory that the other ranks of the node read. If there is a single
 * node, ranks lend long blocks instead, and the others read the blocks in the callers' memory. The blocks of other
 * nodes are read where they have arrived. Each master, the rank of a node that talks to other nodes, sends the blocks
 * of its node to every other node, straight from the windows.
 *
 * <p>The blocks of a node are sent as one message. If it fits into the eager buffer of the {@linkplain Team#pair pair},
 * it arrives there. Otherwise the receiving master invites the sender to its window, which has room for the blocks of
 * all ranks, ordered by node.
 *
 * <p><b>Why nothing is overwritten.</b> Windows and eager buffers belong to the operation until all ranks of the node
 * have left it. A rank that lends its block waits for the other ranks before it leaves. A master waits before it leaves
 * until all blocks for its node have arrived ({@link #complete}).
 */
public final class Contributions {
    private static final TeamLocal<Contributions> LOCAL = new TeamLocal<>(Contributions::new);

    private final Team team;
    private final Area found = new Area();
    private final Area masters = new Area();
    private long bytes;
    private boolean invites;
    private boolean lends;

    private Contributions(Team team) {
        this.team = team;
    }

    /**
     * Returns the contributions to the current operation of a team.
     *
     * @param team the team of the calling rank
     * @return the contributions, the same object each time. They must be {@linkplain #open opened} once in each
     *         operation.
     */
    public static Contributions of(Team team) {
        return LOCAL.of(team);
    }

    /**
     * Shows or lends this rank's block. At a master, this method also sends the blocks of its node to the other nodes.
     * It must be called once in each operation, before the rank posts any other step with {@link Team#READY}, because
     * it posts step 1.
     *
     * @param source this rank's block
     * @param length the length of every block, in bytes
     * @param writes true if this rank writes to its block before it calls {@link #complete}
     * @param ports the number of nodes to which a master sends at the same time, k, 1 or more
     */
    public void open(Area source, long length, boolean writes, int ports) {
        bytes = length;
        lends = team.loans().lendBlocks(length, source, writes);
        invites = team.nodes() > 1 && team.exceedsPair(team.ranksMax() * length);
        if (lends) {
            team.post(Team.READY, EqualBlocksAlgorithm.SHOWN);
        } else if (team.isMaster()) {
            Area own = team.show(shownBytes(Team.MASTER));
            for (int distance = 1; distance < team.nodes(); distance++) {
                openInflow(node(-distance), own);
            }
            team.copy(source, 0, own, shownAt(Team.MASTER), length);
            team.post(Team.READY, EqualBlocksAlgorithm.SHOWN);
            for (int first = 1; first < team.nodes(); first += ports) {
                send(first, Math.min(first + ports, team.nodes()));
            }
        } else {
            team.copy(source, 0, team.show(length), 0, length);
            team.post(Team.READY, EqualBlocksAlgorithm.SHOWN);
            if (invites) {
                team.await(Team.MASTER, Team.READY, EqualBlocksAlgorithm.SHOWN);
                Area shown = team.shown(Team.MASTER, shownBytes(Team.MASTER));
                masters.set(shown.segment(), shown.start());
            }
            for (int distance = 1; distance < team.nodes(); distance++) {
                openInflow(node(-distance), masters);
            }
        }
    }

    private int node(int distance) {
        return Math.floorMod(team.node() + distance, team.nodes());
    }

    /**
     * Returns the length of a rank's window, in bytes. If other nodes are invited to the master's window, that window
     * has room for the blocks of all ranks.
     */
    private long shownBytes(int localRank) {
        return localRank == Team.MASTER && invites ? team.size() * bytes : bytes;
    }

    private long shownAt(int localRank) {
        return localRank == Team.MASTER && invites ? team.position(team.node()) * bytes : 0;
    }

    private void openInflow(int sender, Area window) {
        long length = team.ranksOn(sender) * bytes;
        team.inflow(team.pair(sender)).openMessage(sender, bytes, length, window, team.position(sender) * bytes);
    }

    /** Sends the blocks of this node to the nodes at consecutive distances, piece by piece to each in turn. */
    private void send(int firstDistance, int endDistance) {
        long length = team.localSize() * bytes;
        for (int distance = firstDistance; distance < endDistance; distance++) {
            outflow(distance).openMessage(node(distance), bytes, length);
        }
        for (int localRank = 0; localRank < team.localSize(); localRank++) {
            Area block = local(localRank);
            for (int distance = firstDistance; distance < endDistance; distance++) {
                outflow(distance).add(block, 0, bytes);
            }
        }
    }

    private Outflow outflow(int distance) {
        return team.outflow(team.pair(node(distance)));
    }

    /** Returns the block that a rank of this node shows or lends. */
    private Area local(int localRank) {
        if (localRank != team.localRank()) {
            team.await(localRank, Team.READY, EqualBlocksAlgorithm.SHOWN);
        }
        if (team.loans().isLendingBlocks(localRank, bytes)) {
            Area lent = team.loans().lent(localRank, ZeroCopyLoans.SOURCE);
            found.set(lent.segment(), lent.start());
        } else {
            Area shown = team.shown(localRank, shownBytes(localRank));
            found.set(shown.segment(), shown.start() + shownAt(localRank));
        }
        return found;
    }

    /**
     * Waits until the block of a rank can be read, and returns the memory in which it lies.
     *
     * @param rank the rank, which may be this one
     * @return the area of the block, valid until the next call of this method
     */
    public Area of(int rank) {
        int node = team.nodeOf(rank);
        int localRank = team.localRankOf(rank);
        return node == team.node() ? local(localRank)
                : team.inflow(team.pair(node)).awaitBytes(localRank * bytes, bytes);
    }

    /**
     * Ends this rank's use of the blocks. If the rank has lent its block, the method waits until the other ranks no
     * longer need it. A master also waits until all blocks for its node have arrived, because their senders must find
     * this node in the operation.
     */
    public void complete() {
        found.clear();
        team.loans().finishBlocks(bytes);
        if (lends) {
            team.loans().takeBlocksBack(ZeroCopyLoans.ALL);
        }
        if (team.isMaster()) {
            for (int node = 0; node < team.nodes(); node++) {
                if (node != team.node()) {
                    team.inflow(team.pair(node)).awaitAll();
                }
            }
        }
    }
}
