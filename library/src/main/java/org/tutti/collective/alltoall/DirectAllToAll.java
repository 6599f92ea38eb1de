/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.alltoall;

import org.tutti.Collective;
import org.tutti.collective.Algorithm;
import org.tutti.collective.Call;
import org.tutti.collective.Chunk;
import org.tutti.collective.Ported;
import org.tutti.collective.Team;
import org.tutti.collective.blocks.EqualBlocksAlgorithm;
import org.tutti.collective.blocks.Landing;
import org.tutti.collective.flow.Inflow;
import org.tutti.collective.flow.Outflow;
import org.tutti.collective.layout.CallShape;
import org.tutti.collective.machine.Area;
import org.tutti.collective.window.ZeroCopyLoans;

/**
 * An all-to-all in which every rank copies all its blocks to its window, memory that its node can read, and masters
 * send them directly to every other node, with k ports. In a window the blocks for the ranks of a node are adjacent.
 * The ranks of the same node copy their blocks from the window. Between nodes this is the Direct algorithm (Qian and
 * Afsahi 2008, section 5.1.3). In step i a master, the first rank of its node, exchanges with k partners: it sends to
 * the nodes at distances (i − 1)·k + 1 to i·k, modulo the number of nodes, and receives from the nodes at these
 * distances in the other direction. All ranks of the receiving node copy their blocks from the memory in which they
 * have arrived. There is one step in a node, and ⌈(n − 1)/k⌉ between n nodes. With p ranks on a node and b bytes a
 * block, b·p²·(n − 1) bytes leave a node.
 *
 * <p>On one node, ranks {@linkplain ZeroCopyLoans#lendBlocks lend} long blocks instead of copying them to windows, if
 * their memory permits it and the call is not in place. They then wait for each other at the end. With one rank on each
 * node, long blocks go from source to target ({@link Landing#exchange}).
 *
 * <p><b>Messages.</b> If all blocks for a node fit into the eager buffer of the {@linkplain Team#pair pair}, they are
 * one message. Otherwise there is a piece for each rank of the sending node, with all its blocks for the receiving
 * node. The receiving master invites the sender to a region of its window. The window has two sets of k regions, which
 * the steps use in turn. A set is free once all ranks of the node have read the pieces of the step before the last.
 * Ranks may therefore still read the pieces of one step while those of the next step arrive. If the pieces of a partner
 * do not all fit into a region, each place is reused once all ranks have read its piece.
 *
 * <p><b>Why it ends.</b> In a step a master first sends as many pieces to each partner as it may be {@linkplain
 * Outflow#ahead ahead} of all of them. From then on it takes one piece from each partner, and sends one to each. After
 * it has taken i pieces of each partner, its next sends need at most that its receivers have taken i pieces of each of
 * theirs. Therefore the least advanced master, by step and then by pieces, waits for no other master.
 *
 * <p>The <b>DONE</b> word of a rank counts the pieces that the rank has read in all steps, from the ranks of all
 * partners.
 */
public final class DirectAllToAll extends EqualBlocksAlgorithm implements Ported {
    private static final Description DESCRIPTION =
            new Description("direct", Order.ALWAYS, "1, ⌈(n − 1)/k⌉ more between nodes", "2·b·p·n", "b·p²·(n − 1)",
                    "p·n·b a rank, and the rest of a window at masters", "Qian, Afsahi 2008, section 5.1.3");

    /**
     * The number of pieces, for each node of the communicator, for which a region of a master's window is sure to have
     * room. A region therefore holds all pieces of a partner if no node has more ranks than this number times the
     * number of nodes.
     */
    private static final int PIECES_PER_NODE = 3;

    private static final DirectAllToAll ONE_PORT = new DirectAllToAll();

    private final int ports;

    /** Creates the algorithm with one port, and no number in its name; one object serves all ranks. */
    public DirectAllToAll() {
        this(1, DESCRIPTION);
    }

    /**
     * Creates the algorithm with a number of ports, which is in its name; one object serves all ranks.
     *
     * @param ports k, the number of nodes with which a node exchanges at the same time, 1 or more
     */
    public DirectAllToAll(int ports) {
        this(ports, DESCRIPTION.withPorts(ports));
    }

    private DirectAllToAll(int ports, Description description) {
        super(Collective.ALL_TO_ALL, description);
        this.ports = ports;
    }

    @Override
    public Algorithm withPorts(int count) {
        return new DirectAllToAll(count);
    }

    @Override
    protected Algorithm runsAs(CallShape shape) {
        return Ported.used(this, ports, ONE_PORT, shape.nodes());
    }

    @Override
    protected boolean landsLongBlocks() {
        return true;
    }

    @Override
    protected long blocksOnNode(int nodes, int ranks, int localRanks) {
        return 2L * ranks * localRanks;
    }

    @Override
    protected long blockBytesMax(Team team) {
        long pieces = team.nodes() == 1 ? 0 : Math.min(team.ranksMax(), (long) PIECES_PER_NODE * team.nodes());
        return team.windowBytesMax() / (team.ranksMax() * (team.nodes() + Chunk.HALVES * partners(team, 1) * pieces));
    }

    @Override
    public void run(Team team, Call call) {
        if (lands(team, call)) {
            Landing.of(team).exchange(call, false, ports);
            return;
        }
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
        for (int first = 1; first < team.nodes(); first += ports) {
            taken = exchange(team, call, first, taken);
        }
    }

    /** Returns the number of partners of a step whose first partner is at a distance. */
    private int partners(Team team, int first) {
        return Math.min(ports, team.nodes() - first);
    }

    private static int sender(Team team, int distance) {
        return Math.floorMod(team.node() - distance, team.nodes());
    }

    private static int receiver(Team team, int distance) {
        return (team.node() + distance) % team.nodes();
    }

    private void show(Team team, Call call) {
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

    /** Returns the length in bytes of each region, which the window of a master has behind its blocks. */
    private long regionBytes(Team team, long bytes) {
        long most = (team.windowBytesMax() - team.size() * bytes) / (Chunk.HALVES * partners(team, 1));
        long piece = Math.max(1, pieceBytes(team, team.node(), bytes));
        return Math.min(team.ranksMax(), most / piece) * piece;
    }

    private static boolean invitesAny(Team team, long bytes) {
        return team.nodes() > 1 && team.exceedsPair(team.ranksMax() * pieceBytes(team, team.node(), bytes));
    }

    private long shownBytes(Team team, int localRank, long bytes) {
        return team.size() * bytes + (localRank == Team.MASTER && invitesAny(team, bytes)
                ? Chunk.HALVES * partners(team, 1) * regionBytes(team, bytes)
                : 0);
    }

    /**
     * Runs a step. The master sends to the partners from a distance on, and all ranks take the pieces of the partners
     * from that distance on in the other direction.
     *
     * @param taken the number of pieces that this rank has taken in the steps before
     * @return the number of pieces that this rank has taken after the step
     */
    private long exchange(Team team, Call call, int first, long taken) {
        long bytes = call.bytes();
        int partners = partners(team, first);
        int mostPieces = 0;
        for (int port = 0; port < partners; port++) {
            openInflow(team, first, port, bytes, taken);
            mostPieces = Math.max(mostPieces, team.ranksOn(sender(team, first + port)));
        }
        int sends = team.isMaster() ? team.localSize() : 0;
        long ahead = team.isMaster() ? beginToSend(team, first, partners, bytes) : 0;
        int sent = Math.min(1, sends);
        for (; sent < Math.min(sends, ahead); sent++) {
            sendToAll(team, first, partners, sent, bytes);
        }
        long done = taken;
        for (int piece = 0; piece < mostPieces; piece++) {
            for (int port = 0; port < partners; port++) {
                if (piece < team.ranksOn(sender(team, first + port))) {
                    take(team, call, sender(team, first + port), piece, done);
                    done++;
                }
            }
            if (sent < sends) {
                sendToAll(team, first, partners, sent, bytes);
                sent++;
            }
        }
        for (; sent < sends; sent++) {
            sendToAll(team, first, partners, sent, bytes);
        }
        return done;
    }

    private static boolean isOneMessage(Team team, int from, int to, long bytes) {
        return !team.exceedsPair(team.ranksOn(from) * pieceBytes(team, to, bytes));
    }

    private void openInflow(Team team, int first, int port, long bytes, long taken) {
        int sender = sender(team, first + port);
        long piece = pieceBytes(team, team.node(), bytes);
        int pieces = team.ranksOn(sender);
        Inflow in = team.inflow(team.pair(sender));
        if (isOneMessage(team, sender, team.node(), bytes)) {
            in.openMessage(sender, piece, pieces * piece, null, 0);
            return;
        }
        long region = regionBytes(team, bytes);
        int step = (first - 1) / ports;
        Area window = team.shown(Team.MASTER, shownBytes(team, Team.MASTER, bytes));
        long at = team.size() * bytes + (step % Chunk.HALVES * (long) partners(team, 1) + port) * region;
        if (team.isMaster() && step >= Chunk.HALVES) { // the pieces of the step before the last must have been read
            team.awaitOthers(Team.DONE, taken - team.ranksOn(sender(team, first - 1), ports));
        }
        in.openPair(sender, piece, pieces, window, at, (int) Math.min(pieces, region / piece));
        in.readByAll();
    }

    /**
     * Waits for the blocks of a rank of a partner, and copies the block for this rank.
     *
     * @param piece the local rank of the sender, of which this is the piece
     * @param done the number of pieces that this rank has taken before
     */
    private static void take(Team team, Call call, int sender, int piece, long done) {
        long bytes = call.bytes();
        boolean isOneMessage = isOneMessage(team, sender, team.node(), bytes);
        Inflow in = team.inflow(team.pair(sender));
        long length = pieceBytes(team, team.node(), bytes);
        Area arrived = isOneMessage ? in.awaitBytes(piece * length, length) : in.await();
        team.copy(arrived, team.localRank() * bytes, call.target(), call.block(team.rankAt(sender, piece)), bytes);
        if (!isOneMessage) {
            in.release(done - piece);
        } else if (!team.isMaster()) {
            team.post(Team.DONE, done + 1);
        }
    }

    /**
     * Sends each partner of a step its message, or the first piece.
     *
     * @return the number of pieces by which the master may be ahead of all partners
     */
    private long beginToSend(Team team, int first, int partners, long bytes) {
        long ahead = Long.MAX_VALUE;
        for (int port = 0; port < partners; port++) {
            int receiver = receiver(team, first + port);
            long piece = pieceBytes(team, receiver, bytes);
            Outflow out = team.outflow(team.pair(receiver));
            if (isOneMessage(team, team.node(), receiver, bytes)) {
                out.openMessage(receiver, piece, team.localSize() * piece);
                for (int localRank = 0; localRank < team.localSize(); localRank++) {
                    out.add(shown(team, localRank, bytes), at(team, receiver, 0, bytes), piece);
                }
            } else {
                out.openPair(receiver, piece, team.localSize());
                send(team, receiver, 0, bytes);
                ahead = Math.min(ahead, out.ahead()); // known now, because the invitation has the number of places
            }
        }
        return ahead;
    }

    /** Sends each partner of a step that gets several pieces the piece of a rank of this node. */
    private void sendToAll(Team team, int first, int partners, int localRank, long bytes) {
        for (int port = 0; port < partners; port++) {
            int receiver = receiver(team, first + port);
            if (!isOneMessage(team, team.node(), receiver, bytes)) {
                send(team, receiver, localRank, bytes);
            }
        }
    }

    /** Sends another node the blocks that a rank of this node shows. The caller has awaited that rank's READY. */
    private void send(Team team, int receiver, int localRank, long bytes) {
        team.outflow(team.pair(receiver)).send(shown(team, localRank, bytes), at(team, receiver, 0, bytes),
                pieceBytes(team, receiver, bytes));
    }

    private Area shown(Team team, int localRank, long bytes) {
        return team.shown(localRank, shownBytes(team, localRank, bytes));
    }
}
