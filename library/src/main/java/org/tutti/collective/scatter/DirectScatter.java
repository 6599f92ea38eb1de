/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.scatter;

import org.tutti.Collective;
import org.tutti.collective.Algorithm;
import org.tutti.collective.Call;
import org.tutti.collective.Ported;
import org.tutti.collective.Team;
import org.tutti.collective.blocks.EqualBlocksAlgorithm;
import org.tutti.collective.blocks.Landing;
import org.tutti.collective.flow.Flows;
import org.tutti.collective.flow.Inflow;
import org.tutti.collective.flow.Outflow;
import org.tutti.collective.layout.CallShape;
import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.machine.Area;
import org.tutti.collective.machine.Machine;
import org.tutti.collective.window.ZeroCopyLoans;

/**
 * A scatter in which the root copies blocks to its window, memory that its node can read, and goes on. Each rank of the
 * root's node copies its own block from there. The master, or first rank, of the root's node puts the blocks of each
 * other node directly to that node, as one message. If the master is the root, it sends them from its source. Otherwise
 * it sends them from the root's window, which then holds the blocks of all ranks. On the other nodes each rank copies
 * its block from the memory in which the block has arrived. This is the reverse of the gather of Qian and Afsahi 2008,
 * section 5.1.1. With k ports, the messages for k nodes are under way at the same time: the master sends their pieces
 * in turn. There is one step in a node, and ⌈(n − 1)/k⌉ between n nodes. With p ranks on a node and b bytes a block,
 * b·p·(n − 1) bytes leave the root's node.
 *
 * <p>On one node the root {@linkplain ZeroCopyLoans#lendBlocks lends} long blocks if its memory permits it. It then
 * waits until the other ranks have read them. With one rank on each node, long blocks go from source to target ({@link
 * Landing}).
 *
 * <p><b>Why nothing is overwritten.</b> The blocks of a node go to the eager buffer of its {@linkplain Team#pair pair}
 * with the root's node if they fit. Otherwise the master of the node invites the root's node to its window. The master
 * waits for all blocks of its node before it leaves, because they arrive in its process. Eager buffers and windows
 * belong to the operation until all ranks of the node have left it.
 */
public final class DirectScatter extends EqualBlocksAlgorithm implements Ported {
    private static final Description DESCRIPTION =
            new Description("direct", Order.ALWAYS, "1, ⌈(n − 1)/k⌉ more between nodes", "b·p·n at the root",
                    "b·p·(n − 1)", "p·n·b at the root, p·b at other masters",
                    "Qian, Afsahi 2008, section 5.1.1, the other way");

    private static final DirectScatter ONE_PORT = new DirectScatter();

    private final int ports;

    /** Creates the algorithm with one port, and no number in its name; one object serves all ranks. */
    public DirectScatter() {
        this(1, DESCRIPTION);
    }

    /**
     * Creates the algorithm with a number of ports, which is in its name; one object serves all ranks.
     *
     * @param ports k, the number of nodes to which the root's node sends at the same time, 1 or more
     */
    public DirectScatter(int ports) {
        this(ports, DESCRIPTION.withPorts(ports));
    }

    private DirectScatter(int ports, Description description) {
        super(Collective.SCATTER, description);
        this.ports = ports;
    }

    @Override
    public Algorithm withPorts(int count) {
        return new DirectScatter(count);
    }

    @Override
    protected Algorithm runsAs(CallShape shape) {
        long message = shape.ranksMax() * shape.bytes();
        boolean isInPieces = shape.nodes() > 1 && Flows.messagePieceBytes(shape.bytes(), message,
                RingLayout.pairEagerBytes(shape.nodes()), Machine.PACKET_BYTES) < message;
        return isInPieces ? Ported.used(this, ports, ONE_PORT, shape.nodes()) : ONE_PORT; // nothing goes in turn
    }

    @Override
    protected boolean landsLongBlocks() {
        return true;
    }

    @Override
    protected long blocksOnNode(int nodes, int ranks, int localRanks) {
        return ranks;
    }

    @Override
    public void run(Team team, Call call) {
        int top = team.nodeOf(call.root());
        if (team.rank() == call.root()) {
            scatter(team, call);
        } else if (team.node() == top) {
            copyOut(team, call);
        } else {
            receive(team, call, top);
        }
    }

    private static boolean sendsItself(Team team, int root) {
        return team.localRankOf(root) == Team.MASTER;
    }

    /**
     * Returns the length of the root's window in bytes. The window holds the blocks of the root's node. If the root is
     * not the master of its node, the blocks that the master sends to other nodes follow.
     */
    private static long shownBytes(Team team, int root, long bytes) {
        return (sendsItself(team, root) ? team.localSize() : team.size()) * bytes;
    }

    /** Returns the offset in the root's window of the blocks of another node. */
    private static long start(Team team, int node, long bytes) {
        return (node < team.node() ? team.localSize() + team.position(node) : team.position(node)) * bytes;
    }

    private void scatter(Team team, Call call) {
        long bytes = call.bytes();
        Area source = call.source();
        boolean lends = team.loans().lendBlocks(bytes, source, false);
        if (lends) {
            team.post(Team.READY, SHOWN);
        } else if (team.localSize() > 1) {
            Area window = team.show(shownBytes(team, call.root(), bytes));
            for (int localRank = 0; localRank < team.localSize(); localRank++) {
                if (localRank != team.localRank()) {
                    team.copy(source, call.block(team.rankAt(team.node(), localRank)), window, localRank * bytes,
                            bytes);
                }
            }
            for (int node = 0; node < team.nodes() && !team.isMaster(); node++) {
                for (int localRank = 0; localRank < team.ranksOn(node) && node != team.node(); localRank++) {
                    team.copy(source, call.block(team.rankAt(node, localRank)), window,
                            start(team, node, bytes) + localRank * bytes, bytes);
                }
            }
            team.post(Team.READY, SHOWN);
        }
        if (!call.isInPlace()) {
            team.copy(source, call.block(team.rank()), call.target(), 0, bytes);
        }
        if (lends) {
            team.loans().takeBlocksBack(ZeroCopyLoans.ALL);
        }
        if (team.isMaster()) {
            sendToAll(team, call, null);
        }
    }

    /**
     * Sends every other node its blocks, k nodes at a time: from the root's window, or from the root's source if there
     * is no window.
     */
    private void sendToAll(Team team, Call call, Area window) {
        long bytes = call.bytes();
        for (int first = 1; first < team.nodes(); first += ports) {
            int end = Math.min(first + ports, team.nodes());
            for (int distance = first; distance < end; distance++) {
                int node = (team.node() + distance) % team.nodes();
                long length = team.ranksOn(node) * bytes;
                team.outflow(team.pair(node)).openMessage(node, bytes, length);
            }
            for (int localRank = 0; localRank < team.ranksMax(); localRank++) {
                for (long at = 0; at < bytes; at += Flows.BLOCK_PIECE_BYTES_MAX) {
                    for (int distance = first; distance < end; distance++) {
                        int node = (team.node() + distance) % team.nodes();
                        if (localRank < team.ranksOn(node)) {
                            send(team, call, window, node, localRank, at);
                        }
                    }
                }
            }
        }
    }

    private static void send(Team team, Call call, Area window, int node, int localRank, long at) {
        long bytes = call.bytes();
        long part = Math.min(bytes - at, Flows.BLOCK_PIECE_BYTES_MAX);
        Outflow out = team.outflow(team.pair(node));
        if (window != null) {
            out.add(window, start(team, node, bytes) + localRank * bytes + at, part);
        } else {
            out.add(call.source(), call.block(team.rankAt(node, localRank)) + at, part);
        }
    }

    private void copyOut(Team team, Call call) {
        long bytes = call.bytes();
        int root = team.localRankOf(call.root());
        team.await(root, Team.READY, SHOWN);
        if (team.loans().isLendingBlocks(root, bytes)) {
            team.copy(team.loans().lent(root, ZeroCopyLoans.SOURCE), call.block(team.rank()), call.target(), 0, bytes);
            team.loans().finishBlocks(bytes);
            return;
        }
        Area window = team.shown(root, shownBytes(team, call.root(), bytes));
        if (team.isMaster()) {
            sendToAll(team, call, window);
        }
        team.copy(window, team.localRank() * bytes, call.target(), 0, bytes);
    }

    private void receive(Team team, Call call, int top) {
        long bytes = call.bytes();
        Inflow in = team.inflow(team.pair(top));
        if (lands(team, call)) {
            Landing landing = Landing.of(team);
            in.openMessage(top, bytes, bytes, landing.begin(call.target(), bytes, false), 0);
            landing.await(top, call.target(), 0, bytes);
            landing.end();
            return;
        }
        long length = team.localSize() * bytes;
        boolean isInvited = team.exceedsPair(length);
        Area window = null;
        if (isInvited && team.isMaster()) {
            window = team.show(length);
        } else if (isInvited) {
            team.await(Team.MASTER, Team.READY, SHOWN);
            window = team.shown(Team.MASTER, length);
        }
        in.openMessage(top, bytes, length, window, 0);
        if (isInvited && team.isMaster()) {
            team.post(Team.READY, SHOWN);
        }
        team.copy(in.awaitBytes(team.localRank() * bytes, bytes), 0, call.target(), 0, bytes);
        if (team.isMaster()) {
            in.awaitAll();
        }
    }
}
