/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.broadcast;

import org.tutti.collective.Area;
import org.tutti.collective.NodeTree;
import org.tutti.collective.RingLayout;
import org.tutti.collective.Team;
import org.tutti.pattern.BinomialTree;
import org.tutti.pattern.Partition;

/**
 * SRM's broadcast for messages of any length, in chunks. In a node, two shared buffers, A and B (paper: section 2.2,
 * "Shared Memory Broadcast", and figure 3): the root copies a chunk into a buffer and sets READY; the others copy it
 * out of the buffer, all at the same time, and clear the flag. Meanwhile the root fills the other buffer. Messages of
 * one chunk use one buffer, and consecutive ones alternate.
 *
 * <p>Between nodes, a binomial tree of masters, rooted at the root's node (section 2.4, "Broadcast", and figure 4, on
 * the left): a master puts the chunk into one of the two landing buffers of each child's node, and the child passes it
 * on before it takes it. In the child's node the landing buffer is shared memory: all ranks copy the chunk from there.
 * When all have, a zero-byte put gives the buffer back to the parent.
 *
 * <p>The paper's READY flags are one word of the root here, and "the flag is cleared" is a rank's DONE word. The master
 * of the root's node sends from the root's shared buffer, so that the nodes' masters are the same whoever is the root.
 */
public final class SrmBroadcast extends Broadcast {
    /** Each of the two buffers in a node; the paper leaves the size open. */
    static final long BUFFER_BYTES = 64 << 10;

    private static final NodeTree TREE = new NodeTree(BinomialTree.INSTANCE);
    private static final int BUFFERS = 2;
    private static final long LANDING_BYTES = RingLayout.LANDING_BYTES / BUFFERS;

    /** The only object that is needed. */
    public SrmBroadcast() {
        super(new Description("srm", Order.ALWAYS, true, "⌊log₂ n⌋ + 1 + c", "(1 + ⌈log₂ n⌉)·b", "⌈log₂ n⌉·b",
                "2 × 64 KiB at the root, 2 × 32 KiB an edge",
                "SRM 2003, sections 2.2 and 2.4"));
    }

    @Override
    public void run(Team team, Area data, long bytes, int root) {
        long buffer = Math.min(BUFFER_BYTES, team.windowBytesMax() / BUFFERS);
        if (team.nodes() > 1) {
            buffer = Math.min(buffer, LANDING_BYTES);
        }
        int top = team.nodeOf(root);
        if (team.node() == top) {
            runAtTop(team, data, bytes, buffer, team.localRankOf(root), top);
        } else {
            runBelow(team, data, bytes, buffer, top);
        }
    }

    private static void runAtTop(Team team, Area data, long bytes, long buffer, int root, int top) {
        long window = Math.min(bytes, BUFFERS * buffer);
        int chunks = Partition.chunks(bytes, buffer);
        boolean sends = team.localRank() == root;
        boolean forwards = team.isMaster() && team.nodes() > 1;
        Area buffers = sends && team.localSize() > 1 ? team.show(window, BUFFERS) : null;
        for (int chunk = 1; chunk <= chunks; chunk++) {
            long from = (chunk - 1) * buffer;
            long length = Math.min(buffer, bytes - from);
            long place = (chunk - 1) % BUFFERS * buffer;
            if (sends) {
                if (forwards) {
                    forward(team, data, from, length, chunk, top);
                }
                if (buffers != null) {
                    team.awaitOthers(Team.DONE, chunk - BUFFERS);
                    team.copy(data, from, buffers, place, length);
                    team.post(Team.READY, chunk);
                }
            } else {
                team.await(root, Team.READY, chunk);
                if (forwards) {
                    forward(team, team.shown(root, window), place, length, chunk, top);
                }
                team.copy(team.shown(root, window), place, data, from, length);
                team.post(Team.DONE, chunk);
            }
        }
    }

    private static void runBelow(Team team, Area data, long bytes, long buffer, int top) {
        int chunks = Partition.chunks(bytes, buffer);
        int parent = TREE.parent(team, top);
        for (int chunk = 1; chunk <= chunks; chunk++) {
            long from = (chunk - 1) * buffer;
            long length = Math.min(buffer, bytes - from);
            long place = (chunk - 1) % BUFFERS * LANDING_BYTES;
            team.awaitArrival(NodeTree.PARENT, chunk, parent);
            Area landing = team.landing(NodeTree.PARENT);
            if (team.isMaster()) {
                forward(team, landing, place, length, chunk, top);
            }
            team.copy(landing, place, data, from, length);
            team.post(Team.DONE, chunk);
            if (team.isMaster() && chunk + BUFFERS <= chunks) {
                team.awaitOthers(Team.DONE, chunk);
                team.credit(parent, TREE.edgeAtParent(team, top), chunk);
            }
        }
    }

    private static void forward(Team team, Area source, long sourceOffset, long length, int chunk, int top) {
        long place = (chunk - 1) % BUFFERS * LANDING_BYTES;
        for (int index = TREE.children(team, top) - 1; index >= 0; index--) { // the deepest subtree first
            int child = TREE.child(team, top, index);
            team.awaitCredit(NodeTree.edge(index), chunk - BUFFERS, child);
            team.put(child, NodeTree.PARENT, chunk, source, sourceOffset, place, length);
        }
    }
}
