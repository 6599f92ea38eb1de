/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allreduce;

import org.tutti.collective.Area;
import org.tutti.collective.NodeTree;
import org.tutti.collective.Team;
import org.tutti.collective.kernel.Kernel;
import org.tutti.pattern.Folding;

/**
 * The flows between masters that exchange in pairs: a node and its partner at a distance of 2<sup>j</sup> have one each
 * way, over the edge of child j. When the nodes are no power of two, some hand what they have to their neighbour first,
 * and get the result from it at the end ({@link Folding}): over the edge of a parent, each way.
 */
final class Partners {
    private Partners() {}

    /** How many partners a node has that is not folded. */
    static int count(int nodes) {
        return Integer.numberOfTrailingZeros(Folding.positions(nodes));
    }

    /** Over how many edges data come to a node at most: from each partner, and from a neighbour if some are folded. */
    static int edges(int nodes) {
        return count(nodes) + folds(nodes);
    }

    /** 1 if some nodes are folded, else 0. */
    static int folds(int nodes) {
        return Folding.positions(nodes) == nodes ? 0 : 1;
    }

    /**
     * Opens the flows between a folded node and its neighbour, if this is one of both.
     *
     * @param shares what {@link org.tutti.collective.Flow#shares} has said; the first is for this
     * @param rounds how many rounds there are
     * @param chunk the bytes of the longest
     */
    static void openFolds(Team team, Kernel kernel, int shares, int rounds, long chunk) {
        int node = team.node();
        if (Folding.isFolded(node, team.nodes()) || Folding.standsForTwo(node, team.nodes())) {
            int neighbour = Folding.isFolded(node, team.nodes()) ? node + 1 : node - 1;
            team.inflow(NodeTree.PARENT).openTransfers(kernel, neighbour, NodeTree.PARENT, 0, shares, rounds, chunk);
            team.outflow(NodeTree.PARENT).openTransfers(kernel, neighbour, NodeTree.PARENT, shares);
        }
    }

    /**
     * Opens the flows between this node and its partner at a distance of 2 to the bit.
     *
     * @param shares what {@link org.tutti.collective.Flow#shares} has said
     * @param transfers how many transfers there are, each way
     * @param bytesMax the bytes of the longest
     */
    static void open(Team team, Kernel kernel, int bit, int shares, long transfers, long bytesMax) {
        int nodes = team.nodes();
        int partner = Folding.index(Folding.position(team.node(), nodes) ^ 1 << bit, nodes);
        int edge = NodeTree.edge(bit);
        team.inflow(edge).openTransfers(kernel, partner, edge, bit + folds(nodes), shares, transfers, bytesMax);
        team.outflow(edge).openTransfers(kernel, partner, edge, shares);
    }

    /** A folded node hands its elements over and gets the result; for others this does nothing and says so. */
    static boolean isHandedOver(Team team, Kernel kernel, Area own, Area work, long at, long length) {
        if (!Folding.isFolded(team.node(), team.nodes())) {
            return false;
        }
        team.outflow(NodeTree.PARENT).sendAll(own, at, length);
        team.inflow(NodeTree.PARENT).receiveAll(kernel, null, 0, work, at, length);
        return true;
    }

    /** Takes in what a folded neighbour has, if there is one; returns where this node's elements are then. */
    static Area takeOver(Team team, Kernel kernel, Area own, Area work, long at, long length) {
        if (!Folding.standsForTwo(team.node(), team.nodes())) {
            return own;
        }
        team.inflow(NodeTree.PARENT).receiveAll(kernel, own, at, work, at, length);
        return work;
    }

    /** Gives the result to the folded neighbour, if there is one. */
    static void handBack(Team team, Area work, long at, long length) {
        if (Folding.standsForTwo(team.node(), team.nodes())) {
            team.outflow(NodeTree.PARENT).sendAll(work, at, length);
        }
    }
}
