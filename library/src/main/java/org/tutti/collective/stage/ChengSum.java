/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.stage;

import org.tutti.Collective;
import org.tutti.collective.Call;
import org.tutti.collective.Chunk;
import org.tutti.collective.Team;
import org.tutti.collective.flow.Flow;
import org.tutti.collective.flow.Inflow;
import org.tutti.collective.flow.Outflow;
import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.machine.Area;

/**
 * Combines elements by Cheng's two-level global sum (section 3), for an allreduce or a reduce. In each node the SMP
 * master combines the elements of the node's ranks in shared memory. The cluster master, one of the SMP masters ({@link
 * ChengMasters}), waits for the sums of all nodes and combines them with its own. The total is then put into the shared
 * memory of each node that needs it, and the ranks copy it from there. On n nodes, n − 1 messages come to the cluster
 * master's node. An allreduce sends n − 1 messages from there, and a reduce at most one.
 *
 * <pre>
 *  3 nodes of 3 ranks, SMP masters 1, 3 and 8, cluster master 3:
 *     0, 2 → 1      4, 5 → 3      6, 7 → 8       each SMP master adds up its node
 *     1 → 3   8 → 3                              the cluster master adds up the nodes
 *     3 → node 0    3 → node 2                   and the sum is handed out, which all ranks copy
 * </pre>
 *
 * <p><b>How data reach the cluster master.</b> The paper's cluster master polls the memory of the other nodes. Here the
 * first rank of every node puts the node's sum over the {@linkplain Team#pair pair}, the edge between every two nodes,
 * into the cluster master's node, and the cluster master polls there. A message that does not fit into the pair's eager
 * buffer is sent in chunks. For the chunks, one node after the other is invited to two places, buffers for a chunk
 * each, which are used in turn. The places are in the eager buffer of the edge to a parent, which the cluster master's
 * node does not use otherwise. Two places suffice for any number of nodes. If the cluster master is not the first rank
 * of its node, the first rank invites the nodes when the cluster master has posted DONE for the sum that was in the
 * place before.
 *
 * <p><b>Why nothing is overwritten.</b> A rank writes its elements of chunk k + 1 after its SMP master has posted READY
 * for the sum of chunk k, so the SMP master has read the elements of chunk k. A rank contributes to chunk k + 1 only
 * after it has finished with chunk k: it has copied the total, if it needs it, and has sent the sum or the total, if it
 * is a first rank. An SMP master writes the sum of chunk k + 1 over that of chunk k when all ranks of its node have
 * contributed, so no rank reads the sum of chunk k any more. When the cluster master has the total of chunk k + 1, all
 * ranks have contributed to that chunk, so the place for a total is free on every node. A place at the cluster master's
 * node is offered again once the sum in it has been combined.
 *
 * <p><b>Why it ends.</b> Data of a chunk go from ranks to SMP masters, from there to the cluster master and from there
 * to the ranks. No step of a chunk waits for a later chunk. The cluster master takes the sums in the order in which the
 * nodes are invited.
 */
public final class ChengSum {
    /** The greatest length of a chunk, in bytes. */
    public static final long CHUNK_BYTES = Flow.PIECE_BYTES;

    private static final int READY_STEPS = 2;

    private ChengSum() {}

    /**
     * Returns an upper bound on the shared memory that a call of this algorithm uses on one node.
     *
     * @param nodes the number of nodes
     * @param localRanks the number of ranks on the node
     * @param bytes the length of the message, in bytes
     * @return the bound, in bytes
     */
    public static long memoryBytes(int nodes, int localRanks, long bytes) {
        long windows = localRanks * Math.min(bytes, CHUNK_BYTES);
        long places = nodes == 1 ? 0 : Math.min(Flow.PLACES * bytes, RingLayout.EAGER_BUFFER_BYTES);
        long inPairs = bytes <= RingLayout.pairLongBytes(nodes) ? (nodes - 1) * bytes : 0;
        return windows + places + inPairs;
    }

    /**
     * Combines the elements of all ranks, and gives the total to the ranks that the collective of the call names: to
     * all ranks for an allreduce, to the root for a reduce.
     *
     * @param team the team of the calling rank, inside an operation
     * @param call the call
     * @param masters determines the masters
     */
    public static void run(Team team, Call call, ChengMasters masters) {
        int cluster = masters.clusterNode(team, call.root());
        int smpMaster = masters.smpMaster(team, call.root());
        boolean isSmpMaster = team.localRank() == smpMaster;
        boolean isAtCluster = team.node() == cluster;
        boolean receives = call.collective().receives(team.rank(), call.root());
        Chunk chunk = team.chunks(call.bytes(),
                call.kernel().wholeUnits(Math.min(CHUNK_BYTES, team.windowBytesMax())), 1);
        Area shown = team.show(chunk.window());
        if (!isAtCluster) {
            open(team, call, chunk, cluster);
        }
        while (chunk.next()) {
            if (isSmpMaster) {
                sum(team, call, shown, chunk);
            } else {
                contribute(team, call, shown, chunk, smpMaster);
            }
            if (isAtCluster && (isSmpMaster || team.isMaster())) {
                gather(team, call, shown, chunk, smpMaster);
            }
            if (isSmpMaster) {
                team.post(Team.READY, summed(chunk));
            }
            if (team.isMaster()) {
                forward(team, call, isSmpMaster ? shown : awaitSum(team, chunk, smpMaster), chunk, cluster);
            }
            if (isAtCluster) {
                if (receives) {
                    take(team, call, chunk, isSmpMaster ? shown : awaitSum(team, chunk, smpMaster));
                }
            } else if (receives || team.isMaster() && receives(call, team, team.node())) {
                Area total = team.inflow(NodeTree.PARENT).await(); // a first rank that receives for the root waits, too
                if (receives) {
                    take(team, call, chunk, total);
                }
            }
        }
        if (receives) {
            team.noteAllAreHere(); // the total has a contribution of every rank
        }
    }

    private static long contributed(Chunk chunk) {
        return (long) READY_STEPS * chunk.number() - 1;
    }

    private static long summed(Chunk chunk) {
        return (long) READY_STEPS * chunk.number();
    }

    /** Returns whether any rank of a node needs the total. */
    private static boolean receives(Call call, Team team, int node) {
        return call.collective() == Collective.ALLREDUCE || node == team.nodeOf(call.root());
    }

    /** Opens the flow that brings the total to this node, and at the first rank also the flow of the node's sums. */
    private static void open(Team team, Call call, Chunk chunk, int cluster) {
        if (receives(call, team, team.node())) {
            team.inflow(NodeTree.PARENT).open(cluster, NodeTree.PARENT, chunk.longest(), 1, chunk.count());
        }
        if (team.isMaster()) {
            team.outflow(team.pair(cluster)).openPair(cluster, chunk.longest(), chunk.count());
        }
    }

    /** Shows this rank's elements to the SMP master, once the SMP master has read those of the chunk before. */
    private static void contribute(Team team, Call call, Area shown, Chunk chunk, int smpMaster) {
        team.await(smpMaster, Team.READY, summed(chunk) - READY_STEPS);
        team.copy(call.source(), chunk.from(), shown, 0, chunk.length());
        team.post(Team.READY, contributed(chunk));
    }

    /** Combines the elements of this node's ranks in the SMP master's window. Only SMP masters call this method. */
    private static void sum(Team team, Call call, Area shown, Chunk chunk) {
        team.awaitOthers(Team.READY, contributed(chunk));
        if (team.localSize() == 1) {
            team.copy(call.source(), chunk.from(), shown, 0, chunk.length());
        } else {
            RankOrder.combineAround(team, call, chunk, 0, chunk.length(), shown, 0);
        }
    }

    /** Waits until the SMP master of this node, which is another rank, shows the sum, and returns its window. */
    private static Area awaitSum(Team team, Chunk chunk, int smpMaster) {
        team.await(smpMaster, Team.READY, summed(chunk));
        return team.shown(smpMaster, chunk.window());
    }

    private static void take(Team team, Call call, Chunk chunk, Area total) {
        team.copy(total, 0, call.target(), chunk.from(), chunk.length());
    }

    /**
     * Combines the sums of all nodes in the cluster master's window. The cluster master calls this method, and so does
     * the first rank of its node, which invites the other nodes.
     */
    private static void gather(Team team, Call call, Area shown, Chunk chunk, int clusterMaster) {
        int others = team.nodes() - 1;
        int step = chunk.number();
        for (int index = 0; index < others; index++) {
            if (index == 0 && step == 1) {
                invite(team, chunk, 1, 0);
            }
            if (index + 1 < others) { // the place of that node is free, because the last sum in it is combined
                invite(team, chunk, step, index + 1);
            }
            int other = other(team, index);
            Area theirs = team.inflow(team.pair(other)).await();
            long taken = (step - 1L) * others + index + 1;
            if (team.localRank() != clusterMaster) {
                team.await(clusterMaster, Team.DONE, taken);
                continue;
            }
            boolean above = other > team.node();
            team.combine(call.kernel(), above ? shown : theirs, 0, above ? theirs : shown, 0, shown, 0,
                    chunk.length());
            if (!team.isMaster()) {
                team.post(Team.DONE, taken);
            }
        }
        if (others > 0 && step < chunk.count()) { // before the total, because sending that takes long
            invite(team, chunk, step + 1, 0);
        }
    }

    /** Sends the sum of this node to the cluster master's node, or from there the total to each node that needs it. */
    private static void forward(Team team, Call call, Area sum, Chunk chunk, int cluster) {
        if (team.node() != cluster) {
            team.outflow(team.pair(cluster)).send(sum, 0, chunk.length());
            return;
        }
        for (int distance = 1; distance < team.nodes(); distance++) {
            int node = (team.node() + distance) % team.nodes();
            if (receives(call, team, node)) {
                Outflow out = team.outflow(NodeTree.PARENT);
                out.openNext(node, NodeTree.PARENT, chunk.number() - 1L);
                out.send(sum, 0, chunk.length());
            }
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
     * is invited to one of two places, which all nodes use in turn. Only the first rank invites; a cluster master that
     * is another rank opens its own end of the flow.
     */
    private static void invite(Team team, Chunk chunk, int step, int index) {
        int other = other(team, index);
        Inflow in = team.inflow(team.pair(other));
        if (step == 1) {
            in.openPair(other, chunk.longest(), chunk.count(), team.eagerBuffer(NodeTree.PARENT),
                    index % Flow.PLACES * chunk.longest(), 1);
        } else if (team.isMaster()) {
            in.release();
        }
    }
}
