/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.reduce;

import org.tutti.Collective;
import org.tutti.collective.Algorithm;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.flow.Flow;
import org.tutti.collective.flow.Inflow;
import org.tutti.collective.machine.Area;
import org.tutti.collective.stage.NodeTree;

/**
 * An algorithm for reduce. A reduce combines the sources of all ranks and writes the result to the root's target. It
 * does not change other targets.
 */
public abstract class Reduce extends Algorithm {
    /**
     * Creates the algorithm.
     *
     * @param description the algorithm's entry in the catalogue
     */
    protected Reduce(Description description) {
        super(Collective.REDUCE, description);
    }

    /**
     * Returns the top node of a tree of nodes, which gets the combination of all nodes. If the order of the ranks
     * counts, this is node 0, and otherwise the root's node.
     */
    static int top(Team team, Call call) {
        return call.kernel().isCommutative() ? team.nodeOf(call.root()) : 0;
    }

    /**
     * Returns the number of shares into which a master divides its inbox, the memory to which it invites the masters of
     * its children in a tree of nodes. The method returns 0 if all pieces arrive in eager buffers, which need no
     * invitation. The result does so if it is sent from the top node to the root's node.
     */
    static int shares(Team team, Call call, NodeTree tree) {
        return top(team, call) == team.nodeOf(call.root()) ? Flow.shares(call.bytes(), tree.degree(team)) : 0;
    }

    /**
     * Opens the flow over which the master of the top node, the node that gets the combination of all nodes, sends the
     * result to the root's node. If the root is on the top node, this method does nothing.
     */
    static void openDelivery(Team team, int root, int top, long chunk, int chunks) {
        int rootNode = team.nodeOf(root);
        if (rootNode == top) {
            return;
        }
        if (team.node() == top && team.isMaster()) {
            team.outflow(NodeTree.PARENT).open(rootNode, NodeTree.PARENT, chunk, Flow.PLACES);
        } else if (team.rank() == root || team.node() == rootNode && team.isMaster()) {
            Inflow in = team.inflow(NodeTree.PARENT);
            in.open(top, NodeTree.PARENT, chunk, Flow.PLACES, chunks);
            in.readBy(team.localRankHere(root));
        }
    }

    /**
     * Brings a chunk of the result from the top node to the root's target. The master of the top node holds the chunk
     * in {@code result} and sends it to the root's node, where the root copies it. Afterwards the caller posts DONE at
     * the root.
     */
    static void deliver(Team team, Call call, int top, Area result, long at, long from, long length) {
        int root = call.root();
        if (team.node() == top && team.isMaster()) {
            team.outflow(NodeTree.PARENT).send(result, at, length);
        } else if (team.rank() == root || team.node() == team.nodeOf(root) && team.isMaster()) {
            Area arrived = team.inflow(NodeTree.PARENT).await(); // a master that receives for the root waits, too
            if (team.rank() == root) {
                team.copy(arrived, 0, call.target(), from, length);
            }
            if (team.isMaster()) {
                team.inflow(NodeTree.PARENT).release();
            }
        }
    }
}
