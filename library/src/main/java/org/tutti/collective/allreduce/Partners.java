/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allreduce;

import org.tutti.collective.Team;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.machine.Area;
import org.tutti.pattern.Folding;

/**
 * The flows between masters that exchange in pairs: in step j a node and its partner have positions that differ in bit
 * j only. Between the two there is a flow each way, over an edge at each. If the number of nodes is not a power of two,
 * some nodes are folded: they hand their elements to the next node first, and receive the result from it at the end
 * ({@link Folding}). These flows use edge 0 at both nodes, and the edges of the steps follow.
 */
final class Partners {
    /** The edge between a folded node and the node that stands for it, at both. */
    private static final int FOLD = 0;

    private Partners() {}

    // ---- positions

    /** Counts the steps of a node that is not folded. */
    static int steps(int nodes) {
        return Integer.numberOfTrailingZeros(Folding.positions(nodes));
    }

    /** Returns the greatest number of nodes that are folded into one: 0 or 1. */
    static int foldedMax(int nodes) {
        return Folding.foldedMax(nodes);
    }

    /**
     * Bounds the edges over which data come to a node: one from each partner, and one from a node that is folded into
     * it.
     */
    static int edges(int nodes) {
        return foldedMax(nodes) + steps(nodes);
    }

    /** Returns the position of this node, or of the node that stands for it. */
    static int position(Team team) {
        return Folding.position(team.node(), team.nodes());
    }

    /** Returns the node that stands for this one, perhaps itself. */
    private static int last(Team team) {
        return Folding.last(position(team), team.nodes());
    }

    /** Tells whether this node is folded: it hands its elements over, and is no partner of any node. */
    static boolean isFolded(Team team) {
        return team.node() < last(team);
    }

    /** Tells whether another node is folded into this one. */
    private static boolean standsForAnother(Team team) {
        return Folding.first(position(team), team.nodes()) < team.node();
    }

    /** Tells whether this node is the upper one of the two partners in a step. */
    static boolean isUpper(Team team, int step) {
        return (position(team) >> step & 1) == 1;
    }

    /** Returns the edge between the partners of a step, the same at both. */
    static int edge(int nodes, int step) {
        return foldedMax(nodes) + step;
    }

    // ---- opening flows

    /**
     * Opens the flows between a folded node and the node that stands for it, if this is one of the two.
     *
     * @param shares the number of shares of the inbox, from {@link org.tutti.collective.flow.Flow#shares}; share 0 is
     *            for this flow
     * @param rounds the number of rounds
     * @param chunk the bytes of the longest round
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
     * @param shares the number of shares of the inbox, from {@link org.tutti.collective.flow.Flow#shares}
     * @param transfers the number of transfers each way
     * @param bytesMax the bytes of the longest transfer
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
     * At a folded node, hands its elements over and receives the result. At others it does nothing and returns false.
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
     * Takes the elements of the node that is folded into this one, if any; returns the area with the elements
     * afterwards.
     */
    static Area takeOver(Team team, Kernel kernel, Area own, Area work, long at, long length) {
        if (!standsForAnother(team)) {
            return own;
        }
        team.inflow(FOLD).receiveAll(kernel, own, at, work, at, length);
        return work;
    }

    /** Sends the result to the node that is folded into this one, if any. */
    static void handBack(Team team, Area work, long at, long length) {
        if (standsForAnother(team)) {
            team.outflow(FOLD).sendAll(work, at, length);
        }
    }
}
