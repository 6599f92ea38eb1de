/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allreduce;

import org.tutti.collective.Team;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.machine.Area;
import org.tutti.pattern.Folding;

/**
 * Opens and uses the flows between masters that exchange elements in pairs. A flow is a stream of pieces from one
 * master, the first rank of a node, to another. Nodes have positions, and in step j the positions of a node and its
 * partner differ in bit j only. There is a flow in each direction between the two. If the number of nodes is not a
 * power of two, some nodes are folded. A folded node first sends its elements to the next node, which stands for it,
 * and receives the result from that node at the end ({@link Folding}). An edge is a node's end of a link to another
 * node. The flows of folded nodes use edge 0 at both nodes. Each step uses one of the edges that follow.
 */
final class Partners {
    /** The edge that a folded node and the node that stands for it use for the flows between them. */
    private static final int FOLD = 0;

    private Partners() {}

    // ---- positions

    /** Returns the number of steps of a node that is not folded. */
    static int steps(int nodes) {
        return Integer.numberOfTrailingZeros(Folding.positions(nodes));
    }

    /** Returns the greatest number of nodes that are folded into one: 0 or 1. */
    static int foldedMax(int nodes) {
        return Folding.foldedMax(nodes);
    }

    /**
     * Returns the greatest number of edges over which data arrive at a node. A node has one edge for each partner, and
     * one for a node that is folded into it.
     */
    static int edges(int nodes) {
        return foldedMax(nodes) + steps(nodes);
    }

    /** Returns the position of this node, or of the node that stands for it. */
    static int position(Team team) {
        return Folding.position(team.node(), team.nodes());
    }

    /** Returns the node that stands for this node, which is this node itself if it is not folded. */
    private static int last(Team team) {
        return Folding.last(position(team), team.nodes());
    }

    /**
     * Returns whether this node is folded. A folded node has no partners. It sends its elements to the node that stands
     * for it.
     */
    static boolean isFolded(Team team) {
        return team.node() < last(team);
    }

    /** Returns whether another node is folded into this node. */
    private static boolean standsForAnother(Team team) {
        return Folding.first(position(team), team.nodes()) < team.node();
    }

    /** Returns whether this node has the greater position of the two partners in a step. */
    static boolean isUpper(Team team, int step) {
        return (position(team) >> step & 1) == 1;
    }

    /** Returns the edge that both partners of a step use for the flows between them. */
    static int edge(int nodes, int step) {
        return foldedMax(nodes) + step;
    }

    // ---- opening flows

    /**
     * Opens the flows between a folded node and the node that stands for it, if this node is one of the two. A folded
     * node takes no part in the steps.
     *
     * @param shares the number of shares into which the inbox is divided, from {@link
     *            org.tutti.collective.flow.Flow#shares}; share 0 is for this flow
     * @param rounds the number of rounds of the operation
     * @param chunk the length of the longest round in bytes
     */
    static void openFolds(Team team, Kernel kernel, int shares, int rounds, long chunk) {
        if (isFolded(team)) {
            open(team, kernel, FOLD, last(team), shares, rounds, chunk);
        } else if (standsForAnother(team)) {
            open(team, kernel, FOLD, team.node() - 1, shares, rounds, chunk);
        }
    }

    /**
     * Opens the flows in both directions between this node and its partner in a step.
     *
     * @param shares the number of shares into which the inbox is divided, from {@link
     *            org.tutti.collective.flow.Flow#shares}
     * @param transfers the number of transfers in each direction
     * @param bytesMax the length of the longest transfer in bytes
     */
    static void open(Team team, Kernel kernel, int step, int shares, long transfers, long bytesMax) {
        int nodes = team.nodes();
        open(team, kernel, edge(nodes, step), Folding.last(position(team) ^ 1 << step, nodes), shares, transfers,
                bytesMax);
    }

    private static void open(Team team, Kernel kernel, int edge, int node, int shares, long transfers, long bytesMax) {
        team.inflow(edge).openTransfers(kernel, node, edge, edge, shares, transfers, bytesMax);
        team.outflow(edge).openTransfers(kernel, node, edge, shares);
    }

    // ---- the operation

    /**
     * Hands a round over to the node that stands for this node, if this node is folded. The method sends this node's
     * elements to that node, and receives the result in {@code work}. It returns whether this node is folded.
     */
    static boolean isHandedOver(Team team, Kernel kernel, Area own, Area work, long at, long length) {
        if (!isFolded(team)) {
            return false;
        }
        team.outflow(FOLD).sendAll(own, at, length);
        team.inflow(FOLD).receiveAll(kernel, null, 0, work, at, length);
        return true;
    }

    /**
     * Receives the elements of the node that is folded into this node, if any, and combines them with this node's
     * elements. The method returns the area that holds the result: {@code work}, or {@code own} if no node is folded
     * into this node.
     */
    static Area takeOver(Team team, Kernel kernel, Area own, Area work, long at, long length) {
        if (!standsForAnother(team)) {
            return own;
        }
        team.inflow(FOLD).receiveAll(kernel, own, at, work, at, length);
        return work;
    }

    /** Sends the result of a round to the node that is folded into this node, if any. */
    static void handBack(Team team, Area work, long at, long length) {
        if (standsForAnother(team)) {
            team.outflow(FOLD).sendAll(work, at, length);
        }
    }
}
