/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allreduce;

import org.tutti.collective.Area;
import org.tutti.collective.NodeTree;
import org.tutti.collective.RingLayout;
import org.tutti.collective.Team;
import org.tutti.collective.kernel.Kernel;
import org.tutti.pattern.BinomialTree;
import org.tutti.pattern.Partition;

/**
 * SRM's allreduce: a reduce by binomial trees, in each node and between the masters, to rank 0, followed by a broadcast
 * from there the same way (paper: section 2.2, "Shared Memory Allreduce"). Only leaves copy their elements; in rank 0's
 * node everybody copies the result from rank 0's buffer, in other nodes from where it has landed.
 *
 * <p>Long messages go through two buffers a rank and two landing buffers an edge, in chunks: while chunk k is being
 * combined, the result of chunk k − 1 is distributed (section 2.4 and figure 5, the four-stage pipeline: reduce in the
 * node, reduce between nodes, broadcast between nodes, broadcast in the node). A rank's DONE word of chunk k says that
 * it has read its children's contributions and the result.
 */
public final class SrmAllreduce extends Allreduce {
    private static final int TOP = 0;
    private static final NodeTree TREE = new NodeTree(BinomialTree.INSTANCE);
    private static final int BUFFERS = 2;
    private static final long BUFFER_BYTES = 64 << 10;
    private static final long LANDING_BYTES = RingLayout.LANDING_BYTES / BUFFERS;

    /** The only object that is needed. */
    public SrmAllreduce() {
        super(new Description("srm", Order.BLOCKS, true, "2·⌊log₂ n⌋ + ⌊log₂ p⌋ + 1 + c",
                "(2·⌈log₂ n⌉ + ⌈log₂ p⌉)·b at rank 0", "⌈log₂ n⌉·b", "2 × 64 KiB, 2 × 32 KiB an edge",
                "SRM 2003, sections 2.2 and 2.4"));
    }

    @Override
    public void run(Team team, Area source, Area target, long bytes, Kernel kernel) {
        long buffer = Math.min(BUFFER_BYTES, team.windowBytesMax() / BUFFERS);
        buffer = kernel.wholeUnits(team.nodes() > 1 ? Math.min(buffer, LANDING_BYTES) : buffer);
        long window = Math.min(bytes, BUFFERS * buffer);
        int chunks = Partition.chunks(bytes, buffer);
        Area buffers = team.show(window);
        for (int step = 1; step <= chunks + 1; step++) {
            if (step <= chunks) {
                contribute(team, source, bytes, kernel, buffer, window, buffers, step);
            }
            if (step > 1) {
                receive(team, target, bytes, buffer, window, buffers, step - 1);
            }
        }
        team.noteAllAreHere(); // the result has something of everybody
    }

    private static void contribute(Team team, Area source, long bytes, Kernel kernel, long buffer, long window,
            Area buffers, int chunk) {
        int rank = team.localRank();
        int children = BinomialTree.INSTANCE.children(rank, team.localSize());
        int chunks = Partition.chunks(bytes, buffer);
        int nodes = team.isMaster() ? TREE.children(team, TOP) : 0;
        long from = (chunk - 1) * buffer;
        long length = Math.min(buffer, bytes - from);
        long place = (chunk - 1) % BUFFERS * buffer;
        if (rank == TOP) {
            team.awaitOthers(Team.DONE, chunk - BUFFERS);
        } else {
            team.await(BinomialTree.INSTANCE.parent(rank, team.localSize()), Team.DONE, chunk - BUFFERS);
        }
        if (children + nodes == 0) {
            team.copy(source, from, buffers, place, length);
        }
        Area accumulated = source;
        long at = from;
        for (int index = 0; index < children; index++) {
            int child = BinomialTree.INSTANCE.child(rank, index, team.localSize());
            team.await(child, Team.READY, chunk);
            team.combine(kernel, accumulated, at, team.shown(child, window), place, buffers, place, length);
            accumulated = buffers;
            at = place;
        }
        for (int index = 0; index < nodes; index++) {
            int child = TREE.child(team, TOP, index);
            team.awaitArrival(NodeTree.edge(index), chunk, child);
            team.combine(kernel, accumulated, at, team.landing(NodeTree.edge(index)), landing(chunk), buffers, place,
                    length);
            accumulated = buffers;
            at = place;
            if (chunk + BUFFERS <= chunks) {
                team.credit(child, NodeTree.PARENT, chunk);
            }
        }
        if (team.isMaster() && team.node() != TOP) {
            int parent = TREE.parent(team, TOP);
            team.awaitCredit(NodeTree.PARENT, chunk - BUFFERS, parent);
            team.put(parent, TREE.edgeAtParent(team, TOP), chunk, buffers, place, landing(chunk), length);
        } else {
            team.post(Team.READY, chunk);
        }
    }

    private static void receive(Team team, Area target, long bytes, long buffer, long window, Area buffers, int chunk) {
        long from = (chunk - 1) * buffer;
        long length = Math.min(buffer, bytes - from);
        long place = (chunk - 1) % BUFFERS * buffer;
        if (team.node() != TOP) {
            receiveBelow(team, target, from, length, chunk, Partition.chunks(bytes, buffer));
        } else if (team.localRank() == TOP) {
            forward(team, buffers, place, length, chunk);
            team.copy(buffers, place, target, from, length);
            team.post(Team.DONE, chunk);
        } else {
            team.await(TOP, Team.READY, chunk);
            team.copy(team.shown(TOP, window), place, target, from, length);
            team.post(Team.DONE, chunk);
        }
    }

    private static void receiveBelow(Team team, Area target, long from, long length, int chunk, int chunks) {
        int parent = TREE.parent(team, TOP);
        team.awaitArrival(NodeTree.PARENT, chunk, parent);
        Area landing = team.landing(NodeTree.PARENT);
        if (team.isMaster()) {
            forward(team, landing, landing(chunk), length, chunk);
        }
        team.copy(landing, landing(chunk), target, from, length);
        team.post(Team.DONE, chunk);
        if (team.isMaster() && chunk + BUFFERS <= chunks) {
            team.awaitOthers(Team.DONE, chunk);
            team.credit(parent, TREE.edgeAtParent(team, TOP), chunk);
        }
    }

    private static void forward(Team team, Area source, long sourceOffset, long length, int chunk) {
        for (int index = TREE.children(team, TOP) - 1; index >= 0; index--) { // the deepest subtree first
            int child = TREE.child(team, TOP, index);
            team.awaitCredit(NodeTree.edge(index), chunk - BUFFERS, child);
            team.put(child, NodeTree.PARENT, chunk, source, sourceOffset, landing(chunk), length);
        }
    }

    /** Where a chunk lands. */
    private static long landing(int chunk) {
        return (chunk - 1) % BUFFERS * LANDING_BYTES;
    }
}
