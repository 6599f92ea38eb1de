/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allreduce;

import org.tutti.collective.Team;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.machine.Area;
import org.tutti.pattern.Folding;

/**
 * The flows between masters that exchange in pairs: in step j a node's partner is the one whose position differs from
 * its own in bit j only. Between the two there is a flow each way, over an edge at each. When the nodes are no power of
 * two, some hand what they have to the next one first, and get the result from it at the end ({@link Folding}): over
 * edge 0 at both. The edges of all steps follow.
 */
final class Partners {
    /** The edge between a folded node and the one that stands for it, at both. */
    private static final int FOLD = 0;

    private Partners() {}

    // ---- who

    /** In how many steps a node exchanges that is not folded. */
    static int steps(int nodes) {
        return Integer.numberOfTrailingZeros(Folding.positions(nodes));
    }

    /** How many nodes are folded into the same one, at most: 0 or 1. */
    static int foldedMax(int nodes) {
        return Folding.foldedMax(nodes);
    }

    /** Over how many edges data come to a node at most: from each partner, and from one folded into it. */
    static int edges(int nodes) {
        return foldedMax(nodes) + steps(nodes);
    }

    /** The position of this node, or of the one that stands for it. */
    static int position(Team team) {
        return Folding.position(team.node(), team.nodes());
    }

    /** The node that stands for this one, perhaps itself. */
    private static int last(Team team) {
        return Folding.last(position(team), team.nodes());
    }

    /** Tells whether this node hands over what it has, and is no one's partner. */
    static boolean isFolded(Team team) {
        return team.node() < last(team);
    }

    /** Tells whether this node stands for one that is folded into it. */
    private static boolean standsForAnother(Team team) {
        return Folding.first(position(team), team.nodes()) < team.node();
    }

    /** Tells whether this node is the upper one of the two that are partners in a step. */
    static boolean isUpper(Team team, int step) {
        return (position(team) >> step & 1) == 1;
    }

    /** The edge between the partners of a step, at both. */
    static int edge(int nodes, int step) {
        return foldedMax(nodes) + step;
    }

    // ---- what is opened

    /**
     * Opens the flows between a folded node and the one that stands for it, if this is one of these.
     *
     * @param shares what {@link org.tutti.collective.flow.Flow#shares} has said; the first one is for this
     * @param rounds how many rounds there are
     * @param chunk the bytes of the longest
     */
    static void openFolds(Team team, Kernel kernel, int shares, int rounds, long chunk) {
        if (isFolded(team)) {
            open(team, kernel, FOLD, last(team), shares, rounds, chunk);
        } else if (standsForAnother(team)) {
            open(team, kernel, FOLD, team.node() - 1, shares, rounds, chunk);
        }
    }

    /**
     * Opens the flows between this node and its partner in a step.
     *
     * @param shares what {@link org.tutti.collective.flow.Flow#shares} has said
     * @param transfers how many transfers there are, each way
     * @param bytesMax the bytes of the longest
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

    // ---- what is done

    /** A folded node hands its elements over and gets the result; for others this does nothing and says so. */
    static boolean isHandedOver(Team team, Kernel kernel, Area own, Area work, long at, long length) {
        if (!isFolded(team)) {
            return false;
        }
        team.outflow(FOLD).sendAll(own, at, length);
        team.inflow(FOLD).receiveAll(kernel, null, 0, work, at, length);
        return true;
    }

    /** Takes in what a node has that is folded into this one, if any; returns where its elements are then. */
    static Area takeOver(Team team, Kernel kernel, Area own, Area work, long at, long length) {
        if (!standsForAnother(team)) {
            return own;
        }
        team.inflow(FOLD).receiveAll(kernel, own, at, work, at, length);
        return work;
    }

    /** Gives the result to the node that is folded into this one. */
    static void handBack(Team team, Area work, long at, long length) {
        if (standsForAnother(team)) {
            team.outflow(FOLD).sendAll(work, at, length);
        }
    }
}
