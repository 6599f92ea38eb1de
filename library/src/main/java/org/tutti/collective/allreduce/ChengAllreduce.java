/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allreduce;

import org.tutti.collective.Call;
import org.tutti.collective.Chunk;
import org.tutti.collective.Team;
import org.tutti.collective.flow.Flow;
import org.tutti.collective.flow.Inflow;
import org.tutti.collective.flow.Outflow;
import org.tutti.collective.layout.Fingerprint;
import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.machine.Area;
import org.tutti.collective.stage.NodeTree;
import org.tutti.collective.stage.RankOrder;

/**
 * An allreduce by Cheng's two-level global sum (section 3). In each node a master combines the elements of the node's
 * ranks in shared memory. One of the masters is the cluster master. It waits for all other masters, combines their
 * results with its own, and puts the total into each node's shared memory. Every rank copies the total from there. A
 * chunk takes four steps. On n nodes, n − 1 messages come to the cluster master's node and n − 1 leave it.
 *
 * <pre>
 *  3 nodes of 3 ranks, cluster master on node 0:
 *     1, 2 → 0      4, 5 → 3      7, 8 → 6       each master adds up its node
 *     3 → 0   6 → 0                              the cluster master adds up the nodes
 *     0 → 3   0 → 6                              and hands out the sum, which all ranks copy
 * </pre>
 *
 * <p><b>Which ranks are masters.</b> The paper chooses each node's master at random, and the cluster master at random
 * among them. Here a node's master is always its first rank, because only that rank exchanges data with other nodes. In
 * {@code cheng} the cluster master is the master of node 0. In {@code cheng-random} it is the master of a pseudorandom
 * node, which each rank computes from the operation's number. All ranks therefore choose the same node without a
 * message.
 *
 * <p><b>How data reach the cluster master.</b> The paper's cluster master polls the memory of the other nodes. Here
 * every master puts its sum over its {@linkplain Team#pair pair}, the edge between every two nodes, to the cluster
 * master. A message that does not fit into the pair's eager buffer is sent in chunks. For the chunks the cluster master
 * invites one master after the other to two places, buffers for a chunk each, which are used in turn. The places are in
 * the eager buffer of the edge to a parent, which the cluster master does not use otherwise. Two places suffice for any
 * number of nodes.
 *
 * <p><b>Why nothing is overwritten.</b> A rank contributes to chunk k + 1 after it has copied the result of chunk k,
 * and a master sends chunk k + 1 after all its ranks have contributed. When the cluster master has the total of chunk k
 * + 1, all ranks have therefore copied the result of chunk k, and the place for the total is free on every node. A
 * place at the cluster master is offered again once the sum in it has been combined.
 */
public final class ChengAllreduce extends Allreduce {
    private static final long CHUNK_BYTES = Flow.PIECE_BYTES;
    private static final int READY_STEPS = 2;

    private final boolean random;

    /**
     * Creates the algorithm; one object serves all ranks.
     *
     * @param random true if the cluster master's node is drawn for each operation, false if it is node 0
     */
    public ChengAllreduce(boolean random) {
        super(new Description(random ? "cheng-random" : "cheng", Order.BLOCKS, "4·c, and n − 1 puts in a row",
                "(p−1)·b at a master", "(n−1)·b at the cluster master",
                "32 KiB a rank, 2 × 32 KiB an edge; n − 1 pairs",
                random ? "Cheng, section 3: cluster master drawn per operation" : "Cheng, section 3"));
        this.random = random;
    }

    @Override
    public long memoryBytes(int nodes, int localRanks, long bytes) {
        long inPairs = bytes <= RingLayout.pairEagerBytes(nodes) ? (nodes - 1) * bytes : 0;
        return windows(localRanks, bytes, CHUNK_BYTES) + eagerBuffers(nodes, 1, bytes) + inPairs;
    }

    @Override
    protected boolean usesPairs() {
        return true;
    }

    @Override
    public void run(Team team, Call call) {
        Area source = call.source();
        Area target = call.target();
        Chunk chunk = team.chunks(call.bytes(),
                call.kernel().wholeUnits(Math.min(CHUNK_BYTES, team.windowBytesMax())), 1);
        Area shown = team.show(chunk.window());
        int cluster = random ? draw(team) : 0;
        if (team.node() != cluster) {
            open(team, chunk, cluster);
        }
        while (chunk.next()) {
            long from = chunk.from();
            long length = chunk.length();
            int step = chunk.number();
            if (team.isMaster()) {
                sum(team, call, shown, chunk);
            } else {
                team.copy(source, from, shown, 0, length);
                team.post(Team.READY, (long) READY_STEPS * step - 1);
            }
            Area result = shown;
            if (team.node() != cluster) {
                if (team.isMaster()) {
                    team.outflow(team.pair(cluster)).send(shown, 0, length);
                }
                result = team.inflow(NodeTree.PARENT).await();
            } else if (team.isMaster()) {
                gather(team, call, shown, chunk);
                team.post(Team.READY, (long) READY_STEPS * step);
            } else {
                team.await(Team.MASTER, Team.READY, (long) READY_STEPS * step);
                result = team.shown(Team.MASTER, chunk.window());
            }
            team.copy(result, 0, target, from, length);
        }
        team.noteAllAreHere(); // the result has a contribution of every rank
    }

    /** Returns the cluster master's node, computed from the operation's number, which is the same at all ranks. */
    private static int draw(Team team) {
        return (int) Long.remainderUnsigned(Fingerprint.mix(team.operation(), 0), team.nodes());
    }

    /** Combines the elements of this node's ranks in the master's window. Only masters call this method. */
    private static void sum(Team team, Call call, Area shown, Chunk chunk) {
        team.awaitOthers(Team.READY, (long) READY_STEPS * chunk.number() - 1);
        if (team.localSize() == 1) {
            team.copy(call.source(), chunk.from(), shown, 0, chunk.length());
        } else {
            RankOrder.combineAround(team, call, chunk, 0, chunk.length(), shown, 0);
        }
    }

    /** Opens the flow that brings the result to this node, and at the master also the flow to the cluster master. */
    private static void open(Team team, Chunk chunk, int cluster) {
        team.inflow(NodeTree.PARENT).open(cluster, NodeTree.PARENT, chunk.longest(), 1, chunk.count());
        if (team.isMaster()) {
            team.outflow(team.pair(cluster)).openPair(cluster, chunk.longest(), chunk.count());
        }
    }

    /** Combines the sums of all nodes, and sends the total to each node. Only the cluster master calls this method. */
    private static void gather(Team team, Call call, Area shown, Chunk chunk) {
        int others = team.nodes() - 1;
        int step = chunk.number();
        long length = chunk.length();
        for (int index = 0; index < others; index++) {
            if (index == 0 && step == 1) {
                invite(team, chunk, 1, 0);
            }
            if (index + 1 < others) { // the place of that node is free, because the last sum in it is combined
                invite(team, chunk, step, index + 1);
            }
            int other = other(team, index);
            Area theirs = team.inflow(team.pair(other)).await();
            boolean above = other > team.node();
            team.combine(call.kernel(), above ? shown : theirs, 0, above ? theirs : shown, 0, shown, 0, length);
        }
        if (others > 0 && step < chunk.count()) { // before the result, because sending that takes long
            invite(team, chunk, step + 1, 0);
        }
        for (int distance = 1; distance < team.nodes(); distance++) {
            Outflow out = team.outflow(NodeTree.PARENT);
            out.openNext((team.node() + distance) % team.nodes(), NodeTree.PARENT, step - 1);
            out.send(shown, 0, length);
        }
    }

    /**
     * Returns the node from which the cluster master takes the sum with a given index. First come the nodes above this
     * node, in ascending order, and then the nodes below it, in descending order. The cluster master therefore always
     * holds the combination of consecutive nodes.
     */
    private static int other(Team team, int index) {
        int above = team.nodes() - 1 - team.node();
        return index < above ? team.node() + 1 + index : team.nodes() - 2 - index;
    }

    /**
     * Lets a node send its next chunk to this node. If the message does not fit into the pair's eager buffer, the node
     * is invited to one of two places, which all nodes use in turn.
     */
    private static void invite(Team team, Chunk chunk, int step, int index) {
        int other = other(team, index);
        Inflow in = team.inflow(team.pair(other));
        if (step == 1) {
            in.openPair(other, chunk.longest(), chunk.count(), team.eagerBuffer(NodeTree.PARENT),
                    index % Flow.PLACES * chunk.longest(), 1);
        } else {
            in.release();
        }
    }
}
