/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.gather;

import org.tutti.Collective;
import org.tutti.collective.Algorithm;
import org.tutti.collective.Call;
import org.tutti.collective.Ported;
import org.tutti.collective.Team;
import org.tutti.collective.blocks.EqualBlocksAlgorithm;
import org.tutti.collective.blocks.Landing;
import org.tutti.collective.flow.Inflow;
import org.tutti.collective.flow.Outflow;
import org.tutti.collective.flow.RendezvousSchedule;
import org.tutti.collective.layout.CallShape;
import org.tutti.collective.machine.Area;
import org.tutti.collective.window.ZeroCopyLoans;

/**
 * A gather in which every rank copies its block to its window, memory that its node can read, and goes on. The root
 * copies the blocks of its node from these windows. The master, or first rank, of every other node puts the blocks of
 * its node directly to the root's node, as one message. The root copies them from there (Qian and Afsahi 2008, section
 * 5.1.1; Portals' rendezvous). With k ports, the root's node receives from k nodes at the same time. There is one step
 * in a node, and ⌈(n − 1)/k⌉ between n nodes (equation 2). With p ranks on a node and b bytes a rank, b·p·(n − 1) bytes
 * come to the root's node.
 *
 * <p>On one node, ranks {@linkplain ZeroCopyLoans#lendBlocks lend} long blocks if their memory permits it. They then
 * wait until the root has read the blocks.
 *
 * <p>If the message of a node fits into the eager buffer of its {@linkplain Team#pair pair} with the root's node, it
 * arrives there. It can then be sent before the root's master has entered the operation. Otherwise that master invites
 * the nodes {@linkplain RendezvousSchedule in turn} to 2·k parts of its window. While k nodes send, the next k nodes
 * are invited, and 2·k parts suffice for any number of nodes. With one rank on each node, long blocks go
 * from source to target ({@link Landing}).
 *
 * <p><b>Why nothing is overwritten.</b> A part of the window is reused once the root has copied the pieces in it. A
 * root that is not the master posts DONE for each node, so that the master knows this. Eager buffers and windows belong
 * to the operation until all ranks of the node have left it. The root's master waits for all pieces before it leaves,
 * because they arrive in its process.
 *
 * <p><b>Why it ends.</b> A master that sends waits for the ranks of its node, which do not wait before they show their
 * blocks, and for the root's node. The root's node waits only for its own ranks, and for nodes that have been invited
 * or need no invitation.
 */
public final class DirectGather extends EqualBlocksAlgorithm implements Ported {
    private static final Description DESCRIPTION =
            new Description("direct", Order.ALWAYS, "1, ⌈(n − 1)/k⌉ more between nodes",
                    "b·p·n at the root", "b·p·(n − 1)",
                    "2·k·p·b at the root's master, p·n·b if short; b at others",
                    "Qian, Afsahi 2008, section 5.1.1; Portals' rendezvous");

    private static final DirectGather ONE_PORT = new DirectGather();

    private final int ports;

    /** Creates the algorithm with one port, and no number in its name; one object serves all ranks. */
    public DirectGather() {
        this(1, DESCRIPTION);
    }

    /**
     * Creates the algorithm with a number of ports, which is in its name; one object serves all ranks.
     *
     * @param ports k, the number of nodes that send to the root's node at the same time, 1 or more
     */
    public DirectGather(int ports) {
        this(ports, DESCRIPTION.withPorts(ports));
    }

    private DirectGather(int ports, Description description) {
        super(Collective.GATHER, description);
        this.ports = ports;
    }

    @Override
    public Algorithm withPorts(int count) {
        return new DirectGather(count);
    }

    @Override
    protected Algorithm runsAs(CallShape shape) {
        return shape.exceedsPair(shape.ranksMax() * shape.bytes()) ? Ported.used(this, ports, ONE_PORT, shape.nodes())
                : ONE_PORT; // without an invitation, nodes have no turns
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

    /**
     * Returns whether any node is invited to the window of the root's master, because its blocks do not fit into an
     * eager buffer.
     */
    private static boolean invitesAny(Team team, long bytes) {
        return team.nodes() > 1 && team.exceedsPair(team.ranksMax() * bytes);
    }

    private int places(Team team) {
        return Math.min(ports * RendezvousSchedule.PER_PORT, team.nodes() - 1);
    }

    /**
     * Returns the length in bytes of a rank's window on the root's node. The window has room for one block. If any node
     * is invited, the master's window also has two parts for the blocks of other nodes.
     */
    private long shownBytes(Team team, int localRank, long bytes) {
        return localRank == Team.MASTER && invitesAny(team, bytes) ? (1 + (long) places(team) * team.ranksMax()) * bytes
                : bytes;
    }

    private void show(Team team, Call call, boolean receives) {
        long bytes = call.bytes();
        if (team.loans().lendBlocks(bytes, call.source(), false)) {
            team.post(Team.READY, SHOWN);
            team.loans().takeBlocksBack(team.localRankOf(call.root()));
            return;
        }
        Area own = team.show(receives ? shownBytes(team, Team.MASTER, bytes) : bytes);
        team.copy(call.source(), 0, own, 0, bytes);
        if (receives) {
            openInflows(team, call, own, null);
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

    private void openInflows(Team team, Call call, Area window, Area landing) {
        long bytes = call.bytes();
        RendezvousSchedule schedule = team.rendezvousSchedule();
        schedule.begin(ports);
        for (int distance = 1; distance < team.nodes(); distance++) {
            int node = node(team, distance);
            long length = team.ranksOn(node) * bytes;
            if (landing != null) {
                schedule.openMessage(node, bytes, length, landing, call.block(team.rankAt(node, Team.MASTER)));
            } else {
                long at = (1 + (long) schedule.place() * team.ranksMax()) * bytes;
                schedule.openMessage(node, bytes, length, window, at);
            }
        }
    }

    private void gather(Team team, Call call) {
        long bytes = call.bytes();
        Area target = call.target();
        boolean lands = lands(team, call);
        Area window = null;
        if (invitesAny(team, bytes) && !lands) {
            if (team.isMaster()) {
                window = team.show(shownBytes(team, Team.MASTER, bytes));
            } else {
                team.await(Team.MASTER, Team.READY, SHOWN);
                window = team.shown(Team.MASTER, shownBytes(team, Team.MASTER, bytes));
            }
        }
        openInflows(team, call, window,
                lands ? Landing.of(team).begin(target, team.size() * bytes, false) : null);
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
                long at = call.block(team.rankAt(node, localRank));
                if (lands) {
                    Landing.of(team).await(node, target, at, bytes);
                } else {
                    team.copy(inflow(team, distance).awaitBytes(localRank * bytes, bytes), 0, target, at, bytes);
                }
            }
            if (window != null && !team.isMaster() && distance < team.nodes() - 1) {
                team.post(Team.DONE, distance);
            }
        }
        if (lands) {
            Landing.of(team).end();
        }
    }

    /**
     * Sends the blocks of this node to the root's node. The master's own block is sent from its source, and the others
     * from the windows.
     */
    private static void send(Team team, Call call, int top) {
        long bytes = call.bytes();
        Outflow out = team.outflow(team.pair(top));
        long length = team.localSize() * bytes;
        out.openMessage(top, bytes, length);
        out.add(call.source(), 0, bytes);
        for (int localRank = Team.MASTER + 1; localRank < team.localSize(); localRank++) {
            team.await(localRank, Team.READY, SHOWN);
            out.add(team.shown(localRank, bytes), 0, bytes);
        }
    }
}
