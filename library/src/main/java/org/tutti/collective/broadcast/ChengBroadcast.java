/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.broadcast;

import org.tutti.collective.Algorithm;
import org.tutti.collective.Call;
import org.tutti.collective.Chunk;
import org.tutti.collective.Team;
import org.tutti.collective.flow.Flow;
import org.tutti.collective.flow.Inflow;
import org.tutti.collective.layout.CallShape;
import org.tutti.collective.machine.Area;
import org.tutti.collective.stage.ChengMasters;
import org.tutti.collective.stage.NodeTree;

/**
 * A broadcast by Cheng's two-level scheme, which "works for any global collective operation" (section 3). It is the
 * second half of the global sum: the node of the cluster master ({@link ChengMasters}) puts the message into the shared
 * memory of each other node, and the ranks copy it from there. In {@code cheng} the cluster master is the root. In
 * {@code cheng-random} it is any rank, so the root's node first sends the message to the cluster master's node. A
 * broadcast has nothing to add up, so SMP masters have no work in it, and only the cluster master's node matters. On n
 * nodes, n − 1 messages take one step, or two, and a message then takes a step in each node.
 *
 * <pre>
 *  4 nodes, root on node 1:   cheng:  1 → 2   1 → 3   1 → 0       cheng-random, node 2 drawn:  1 → 2   2 → 3   2 → 0
 * </pre>
 *
 * <p><b>Memory.</b> On the root's node the message goes through the two halves of the root's window, the memory that
 * the root shows to its node. To another node it goes over the {@linkplain Team#pair pair}, the edge between every two
 * nodes. A message that does not fit into the pair's eager buffer is sent in chunks to two places, buffers for a chunk
 * each, to which the receiving node's first rank invites the sender. The places are in the eager buffer of the edge to
 * a parent, which is not used otherwise.
 *
 * <p><b>Why nothing is overwritten.</b> The root writes a half of its window again when all ranks of its node have
 * posted DONE for the chunk in it; a first rank does so after it has sent the chunk. A place is written again after a
 * credit. The first rank of the receiving node gives the credit when all ranks of its node have read the chunk, and
 * after it has sent the chunk on itself.
 *
 * <p><b>Why it ends.</b> The root's node waits only for its readers and for credits of nodes that it feeds, and these
 * nodes for credits of nodes that they feed. The last of these wait for data only.
 */
public final class ChengBroadcast extends Broadcast {
    private static final ChengBroadcast FIXED = new ChengBroadcast(ChengMasters.FIXED);
    private static final SlotRingBroadcast SLOT_RING = new SlotRingBroadcast();
    private static final ChainBroadcast CHAIN = new ChainBroadcast();

    private final ChengMasters masters;

    /**
     * Creates the algorithm; one object serves all ranks.
     *
     * @param masters determines the cluster master's node of each operation
     */
    public ChengBroadcast(ChengMasters masters) {
        super(new Description(masters.algorithm(), Order.ALWAYS, masters.isDrawn() ? "2 + c, and n − 2 puts in a row"
                : "1 + c, and n − 1 puts in a row", "b, b twice at the root", "(n−1)·b at the cluster master",
                "2 × 32 KiB at the root and an edge; n − 1 pairs", masters.source()));
        this.masters = masters;
    }

    /** {@return the masters of each operation} */
    public ChengMasters masters() {
        return masters;
    }

    @Override
    protected Algorithm runsAs(CallShape shape) {
        if (masters.isDrawn()) {
            return shape.nodes() <= 2 ? FIXED : this; // the message crosses between the same two nodes
        }
        if (SlotRingBroadcast.isCopiedWhole(shape)) {
            return SLOT_RING;
        }
        boolean isInHalves = shape.isOnOneNode() && ChainBroadcast.parts(shape.bytes()) == Chunk.HALVES;
        return isInHalves && shape.root() == 0 && !shape.topology().hasLevels() ? CHAIN : this;
    }

    @Override
    public long memoryBytes(int nodes, int localRanks, long bytes) {
        return windows(1, bytes, Chunk.HALVES * Flow.PIECE_BYTES) + eagerBuffers(nodes, 1, bytes);
    }

    @Override
    protected boolean usesPairs() {
        return true;
    }

    @Override
    public void run(Team team, Call call) {
        int top = team.nodeOf(call.root());
        int cluster = masters.clusterNode(team, call.root());
        Chunk chunk = team.chunks(call.bytes(), Math.min(Flow.PIECE_BYTES, team.windowBytesMax() / Chunk.HALVES),
                Chunk.HALVES);
        if (team.isMaster()) {
            for (int distance = 1; distance < team.nodes(); distance++) {
                int other = other(team, distance);
                if (feeds(team.node(), other, top, cluster)) {
                    team.outflow(team.pair(other)).openPair(other, chunk.longest(), chunk.count());
                }
            }
        }
        if (team.rank() == call.root()) {
            send(team, call, chunk, top, cluster);
        } else if (team.node() == top) {
            receive(team, call, chunk, top, cluster);
        } else {
            takeIn(team, call, chunk, top, cluster);
        }
    }

    /** Returns whether a node sends the message to another one. */
    private static boolean feeds(int node, int other, int top, int cluster) {
        return node == cluster ? other != top : node == top && other == cluster;
    }

    private static int other(Team team, int distance) {
        return (team.node() + distance) % team.nodes();
    }

    /** Sends a chunk to each node that this node feeds, if this rank is the first of its node. */
    private static void passOn(Team team, Area source, long at, long length, int top, int cluster) {
        if (team.isMaster()) {
            for (int distance = 1; distance < team.nodes(); distance++) {
                int other = other(team, distance);
                if (feeds(team.node(), other, top, cluster)) {
                    team.outflow(team.pair(other)).send(source, at, length);
                }
            }
        }
    }

    private static void send(Team team, Call call, Chunk chunk, int top, int cluster) {
        Area window = team.localSize() > 1 ? team.show(chunk.window()) : null;
        while (chunk.next()) {
            passOn(team, call.source(), chunk.from(), chunk.length(), top, cluster);
            if (window != null) {
                team.awaitOthers(Team.DONE, chunk.number() - Chunk.HALVES);
                team.copy(call.source(), chunk.from(), window, chunk.offset(), chunk.length());
                team.post(Team.READY, chunk.number());
            }
        }
    }

    /** Copies the message from the root's window. */
    private static void receive(Team team, Call call, Chunk chunk, int top, int cluster) {
        int root = team.localRankHere(call.root());
        while (chunk.next()) {
            team.await(root, Team.READY, chunk.number());
            Area window = team.shown(root, chunk.window());
            passOn(team, window, chunk.offset(), chunk.length(), top, cluster);
            team.copy(window, chunk.offset(), call.target(), chunk.from(), chunk.length());
            if (Flow.isAwaited(chunk.number(), Chunk.HALVES, chunk.count())) {
                team.post(Team.DONE, chunk.number());
            }
        }
    }

    /** Copies the message from the memory in which it arrives on this node. */
    private static void takeIn(Team team, Call call, Chunk chunk, int top, int cluster) {
        int from = team.node() == cluster ? top : cluster;
        Inflow in = team.inflow(team.pair(from));
        in.openPair(from, chunk.longest(), chunk.count(), team.eagerBuffer(NodeTree.PARENT), 0, Flow.PLACES);
        in.readByAll();
        while (chunk.next()) {
            Area arrived = in.await();
            passOn(team, arrived, 0, chunk.length(), top, cluster);
            team.copy(arrived, 0, call.target(), chunk.from(), chunk.length());
            in.release();
        }
    }
}
