/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.reduce;

import org.tutti.collective.Call;
import org.tutti.collective.Chunk;
import org.tutti.collective.Team;
import org.tutti.collective.flow.Flow;
import org.tutti.collective.flow.Inflow;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.machine.Area;
import org.tutti.collective.machine.Machine;
import org.tutti.collective.stage.NodeStage;
import org.tutti.collective.stage.NodeTree;

/**
 * A reduce on two levels, inside the nodes and between them. For each chunk of the message, the ranks of each node
 * combine their elements in shared memory ({@link NodeStage}). The masters, the first ranks of their nodes, combine the
 * results of their nodes up a tree of nodes. Then the root copies the final result from its master's window, the memory
 * that the master shows to its node. A subclass chooses the tree.
 *
 * <p>For commutative operators the top of the tree is the root's node. For non-commutative operators the top is node 0,
 * so that only consecutive nodes are combined, and the result is sent from there to the root's node.
 *
 * <p><b>Why nothing is overwritten.</b> A rank copies chunk k to its window after the master of its node has announced
 * chunk k − 2, which was in the same half of the window. The root contributes to a chunk only after it has copied the
 * result of the chunk before.
 */
abstract class TwoLevelReduce extends Reduce {
    private final NodeTree tree;

    TwoLevelReduce(Description description, NodeTree tree) {
        super(description);
        this.tree = tree;
    }

    /**
     * Returns an upper bound on the shared memory that a node needs for a reduce over a tree of nodes.
     *
     * @param degree the greatest number of children of a node in the tree
     * @param nodes the number of nodes
     * @param localRanks the number of ranks on the node
     * @param bytes the length of the message in bytes
     * @return the bound in bytes
     */
    static long memoryBytes(int degree, int nodes, int localRanks, long bytes) {
        return windows(localRanks, bytes, Chunk.HALVES * Machine.PACKET_BYTES)
                + Inflow.memoryBytes(nodes, degree + 1, bytes); // one more, over which the result may come to the root
    }

    @Override
    protected final boolean usesEagerBuffers(Team team, Call call) {
        return super.usesEagerBuffers(team, call) && shares(team, call, tree) == 0;
    }

    @Override
    public void run(Team team, Call call) {
        Kernel kernel = call.kernel();
        long bytes = call.bytes();
        int root = call.root();
        int rootNode = team.nodeOf(root);
        int top = top(team, call);
        int shares = shares(team, call, tree);
        long most = kernel.wholeUnits(Math.min(shares > 0 ? team.packetBytes() : Flow.PIECE_BYTES,
                team.windowBytesMax() / Chunk.HALVES));
        Chunk chunk = team.chunks(bytes, most, Chunk.HALVES);
        Area shown = team.show(chunk.window());
        if (team.isMaster()) {
            tree.openUpwards(team, kernel, top, shares, chunk.count(), chunk.longest());
        }
        openDelivery(team, root, top, most, chunk.count());
        while (chunk.next()) {
            long from = chunk.from();
            long length = chunk.length();
            long offset = chunk.offset();
            int step = chunk.number();
            combineNode(team, call, shown, chunk);
            if (team.isMaster()) {
                tree.combine(team, kernel, top, shown, offset, shown, offset, length);
                if (team.node() != top) {
                    team.outflow(NodeTree.PARENT).sendAll(shown, offset, length);
                }
                NodeStage.announce(team, step);
            }
            if (top != rootNode) {
                deliver(team, call, top, shown, offset, from, length);
                if (team.rank() == root) {
                    team.post(Team.DONE, step);
                }
            } else if (team.rank() == root) {
                team.copy(NodeStage.awaitResult(team, chunk.window(), step), offset, call.target(), from, length);
            }
        }
    }

    private static void combineNode(Team team, Call call, Area shown, Chunk chunk) {
        if (team.localSize() == 1) {
            team.copy(call.source(), chunk.from(), shown, chunk.offset(), chunk.length());
            return;
        }
        if (chunk.number() > Chunk.HALVES) {
            NodeStage.awaitResult(team, chunk.window(), chunk.number() - Chunk.HALVES);
        }
        NodeStage.combine(team, call, shown, chunk);
    }
}
