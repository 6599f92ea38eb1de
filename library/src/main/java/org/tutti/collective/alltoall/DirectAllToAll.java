/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.alltoall;

import org.tutti.Collective;
import org.tutti.collective.Call;
import org.tutti.collective.Chunk;
import org.tutti.collective.Team;
import org.tutti.collective.blocks.EqualBlocksAlgorithm;
import org.tutti.collective.flow.Inflow;
import org.tutti.collective.flow.Outflow;
import org.tutti.collective.machine.Area;
import org.tutti.collective.window.ZeroCopyLoans;

/**
 * An all-to-all in which every rank copies all its blocks to its window, memory that its node can read, and masters
 * send them directly to every other node. In a window the blocks for the ranks of a node are adjacent. The ranks of the
 * same node copy their blocks from the window. Between nodes this is the Direct algorithm (Qian and Afsahi 2008,
 * section 5.1.3). In step i a master, the first rank of its node, sends blocks to the node at distance i, modulo the
 * number of nodes. It sends one piece for each rank of its own node, with all blocks of this rank for the receiving
 * node, in the order of the ranks. All ranks of the receiving node copy their blocks from the memory in which a piece
 * has arrived. There is one step in a node, and n − 1 between n nodes. With p ranks on a node and b bytes a block,
 * b·p²·(n − 1) bytes leave a node.
 *
 * <p>On one node, ranks {@linkplain ZeroCopyLoans#lendBlocks lend} long blocks instead of copying them to windows, if
 * their memory permits it and the call is not in place. They then wait for each other at the end.
 *
 * <p><b>Location of the pieces.</b> If all pieces of a step fit into the eager buffer of the {@linkplain Team#pair
 * pair}, they go there. Otherwise the receiving master invites the sender to one of two parts of its window, called
 * halves, which are used in turn. A half is free once all ranks of the node have read the pieces of the step before the
 * last. Ranks may therefore still read the pieces of one step while those of the next step arrive. If the pieces of a
 * step do not all fit into a half, each place is reused once all ranks have read its piece.
 *
 * <p><b>Why it ends.</b> A master first sends as many pieces as it may be {@linkplain Outflow#ahead ahead} of its
 * receiver. From then on it takes one piece and sends one in turn. After it has taken i pieces, its next send needs at
 * most that its receiver has taken i pieces. The receiver takes its piece i before it sends more. Therefore there is no
 * cycle of masters that wait for each other.
 *
 * <p>The <b>DONE</b> word of a rank counts the pieces that the rank has read in all steps.
 */
public final class DirectAllToAll extends EqualBlocksAlgorithm {
    /**
     * The number of pieces, for each node of the communicator, for which a half of a master's window is sure to have
     * room. A half therefore holds all pieces of a step if no node has more ranks than this number times the number of
     * nodes.
     */
    private static final int PIECES_PER_NODE = 3;

    /** Creates the algorithm; one object serves all ranks. */
    public DirectAllToAll() {
        super(Collective.ALL_TO_ALL,
                new Description("direct", Order.ALWAYS, "1, n − 1 more between nodes", "2·b·p·n", "b·p²·(n − 1)",
                        "p·n·b a rank, and the rest of a window at masters", "Qian, Afsahi 2008, section 5.1.3"));
    }

    @Override
    protected long blocksOnNode(int nodes, int ranks, int localRanks) {
        return 2L * ranks * localRanks;
    }

    @Override
    protected long blockBytesMax(Team team) {
        long pieces = team.nodes() == 1 ? 0 : Math.min(team.ranksMax(), (long) PIECES_PER_NODE * team.nodes());
        return team.windowBytesMax() / (team.ranksMax() * (team.nodes() + Chunk.HALVES * pieces));
    }

    @Override
    public void run(Team team, Call call) {
        long bytes = call.bytes();
        Area target = call.target();
        boolean lends = team.loans().lendBlocks(bytes, call.source(), call.isInPlace());
        if (!lends) {
            show(team, call);
        }
        team.post(Team.READY, SHOWN);
        if (!call.isInPlace()) {
            team.copy(call.source(), call.block(team.rank()), target, call.block(team.rank()), bytes);
        }
        for (int distance = 1; distance < team.localSize(); distance++) {
            int localRank = (team.localRank() + distance) % team.localSize();
            team.await(localRank, Team.READY, SHOWN);
            long to = call.block(team.rankAt(team.node(), localRank));
            if (team.loans().isLendingBlocks(localRank, bytes)) {
                team.copy(team.loans().lent(localRank, ZeroCopyLoans.SOURCE), call.block(team.rank()), target, to,
                        bytes);
            } else {
                team.copy(team.shown(localRank, shownBytes(team, localRank, bytes)),
                        at(team, team.node(), team.localRank(), bytes), target, to, bytes);
            }
        }
        team.loans().finishBlocks(bytes);
        if (lends) {
            team.loans().takeBlocksBack(ZeroCopyLoans.ALL);
        }
        long taken = 0;
        for (int step = 1; step < team.nodes(); step++) {
            exchange(team, call, step, taken);
            taken += team.ranksOn(Math.floorMod(team.node() - step, team.nodes()));
        }
    }

    private static void show(Team team, Call call) {
        long bytes = call.bytes();
        Area own = team.show(shownBytes(team, team.localRank(), bytes));
        for (int node = 0; node < team.nodes(); node++) {
            for (int localRank = 0; localRank < team.ranksOn(node); localRank++) {
                if (node != team.node() || localRank != team.localRank()) { // no rank reads this rank's own block there
                    team.copy(call.source(), call.block(team.rankAt(node, localRank)), own,
                            at(team, node, localRank, bytes), bytes);
                }
            }
        }
    }

    /** Returns the offset, in the window of a rank, of its block for the rank with a given node and local rank. */
    private static long at(Team team, int node, int localRank, long bytes) {
        return (team.position(node) + localRank) * bytes;
    }

    private static long pieceBytes(Team team, int receiver, long bytes) {
        return team.ranksOn(receiver) * bytes;
    }

    /** Returns the length in bytes of each of the two halves, which follow the blocks in a master's window. */
    private static long halfBytes(Team team, long bytes) {
        long most = (team.windowBytesMax() - team.size() * bytes) / Chunk.HALVES;
        long piece = Math.max(1, pieceBytes(team, team.node(), bytes));
        return Math.min(team.ranksMax(), most / piece) * piece;
    }

    private static boolean invitesAny(Team team, long bytes) {
        return team.nodes() > 1 && team.exceedsPair(team.ranksMax() * pieceBytes(team, team.node(), bytes));
    }

    private static long shownBytes(Team team, int localRank, long bytes) {
        return team.size() * bytes
                + (localRank == Team.MASTER && invitesAny(team, bytes) ? Chunk.HALVES * halfBytes(team, bytes) : 0);
    }

    /**
     * Runs one step between nodes. The master sends pieces to the node at distance {@code step}, and all ranks take the
     * pieces that come from the node at that distance in the other direction.
     */
    private static void exchange(Team team, Call call, int step, long taken) {
        long bytes = call.bytes();
        int sender = Math.floorMod(team.node() - step, team.nodes());
        int pieces = team.ranksOn(sender);
        Inflow in = openInflow(team, sender, bytes, step, taken);
        Outflow out = null;
        int sends = 0;
        int sent = 0;
        if (team.isMaster()) {
            int receiver = (team.node() + step) % team.nodes();
            out = openOutflow(team, receiver, bytes);
            sends = team.localSize();
            do { // the first send awaits the invitation, which has the number of places
                send(team, out, receiver, sent, bytes);
                sent++;
            } while (sent < Math.min(sends, out.ahead()));
        }
        for (int piece = 0; piece < pieces; piece++) {
            team.copy(in.await(), team.localRank() * bytes, call.target(), call.block(team.rankAt(sender, piece)),
                    bytes);
            in.release(taken);
            if (sent < sends) {
                send(team, out, (team.node() + step) % team.nodes(), sent, bytes);
                sent++;
            }
        }
        while (sent < sends) {
            send(team, out, (team.node() + step) % team.nodes(), sent, bytes);
            sent++;
        }
    }

    private static Inflow openInflow(Team team, int sender, long bytes, int step, long taken) {
        long piece = pieceBytes(team, team.node(), bytes);
        int pieces = team.ranksOn(sender);
        Area window = null;
        long at = 0;
        int room = 0;
        if (team.exceedsPair(pieces * piece)) {
            long half = halfBytes(team, bytes);
            window = team.shown(Team.MASTER, shownBytes(team, Team.MASTER, bytes));
            at = team.size() * bytes + step % Chunk.HALVES * half;
            room = (int) Math.min(pieces, half / piece);
            if (team.isMaster() && step > Chunk.HALVES) { // the pieces of the step before the last must have been read
                team.awaitOthers(Team.DONE, taken - team.ranksOn(Math.floorMod(sender + 1, team.nodes())));
            }
        }
        Inflow in = team.inflow(team.pair(sender));
        in.openPair(sender, piece, pieces, window, at, room);
        in.readByAll();
        return in;
    }

    private static Outflow openOutflow(Team team, int receiver, long bytes) {
        Outflow out = team.outflow(team.pair(receiver));
        out.openPair(receiver, pieceBytes(team, receiver, bytes), team.localSize());
        return out;
    }

    /** Sends another node the blocks that a rank of this node shows. The caller has awaited that rank's READY. */
    private static void send(Team team, Outflow out, int receiver, int localRank, long bytes) {
        out.send(team.shown(localRank, shownBytes(team, localRank, bytes)), at(team, receiver, 0, bytes),
                pieceBytes(team, receiver, bytes));
    }
}
