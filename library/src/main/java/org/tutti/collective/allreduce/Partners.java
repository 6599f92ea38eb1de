/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allreduce;

import org.tutti.collective.Area;
import org.tutti.collective.RingLayout;
import org.tutti.collective.Team;
import org.tutti.collective.kernel.Kernel;
import org.tutti.pattern.Folding;

/**
 * The flows between masters that exchange in groups of k + 1, pairs with one port: in step j a node's partners are
 * those whose positions differ from its own in digit j to the base of k + 1 only. Between every two of them there is a
 * flow each way, over an edge for each. When the nodes are no power of k + 1, some hand what they have to the last of
 * their run first, and get the result from it at the end ({@link Folding}): over edge 0 there, and over the first edges
 * here, in the order of the nodes. The edges of all steps follow.
 */
final class Partners {
    /** Where a folded node has the one that stands for it. */
    private static final int STANDS_FOR_IT = 0;

    private final Folding folding;

    /**
     * @param ports k, 1 to {@value RingLayout#PORTS_MAX}
     */
    Partners(int ports) {
        this.folding = new Folding(RingLayout.checkPorts(ports));
    }

    // ---- who

    /** With how many others a node exchanges at a time. */
    int ports(int nodes) {
        return folding.ports(nodes);
    }

    /** How many nodes, or runs of nodes, exchange. */
    int positions(int nodes) {
        return folding.positions(nodes);
    }

    /** In how many steps a node exchanges that is not folded. */
    int steps(int nodes) {
        int steps = 0;
        for (int positions = positions(nodes); positions > 1; positions /= ports(nodes) + 1) {
            steps++;
        }
        return steps;
    }

    /** How many nodes are folded into the same one, at most. */
    int foldedMax(int nodes) {
        return folding.foldedMax(nodes);
    }

    /** Over how many edges data come to a node at most: from each partner, and from those folded into it. */
    int edges(int nodes) {
        return foldedMax(nodes) + ports(nodes) * steps(nodes);
    }

    /** The position of the run that this node is of. */
    int position(Team team) {
        return folding.position(team.node(), team.nodes());
    }

    private int first(Team team) {
        return folding.first(position(team), team.nodes());
    }

    private int last(Team team) {
        return folding.last(position(team), team.nodes());
    }

    /** Tells whether this node hands over what it has, and is no one's partner. */
    boolean isFolded(Team team) {
        return team.node() < last(team);
    }

    /** What a step's digit counts for. */
    private int weight(int nodes, int step) {
        int weight = 1;
        for (int i = 0; i < step; i++) {
            weight *= ports(nodes) + 1;
        }
        return weight;
    }

    /** How many of a step's partners are before this node: they have its first edges. */
    int lower(Team team, int step) {
        return position(team) / weight(team.nodes(), step) % (ports(team.nodes()) + 1);
    }

    /** The first edge of a step, of as many as there are ports. */
    int edge(int nodes, int step) {
        return foldedMax(nodes) + step * ports(nodes);
    }

    // ---- what is opened

    /**
     * Opens the flows between folded nodes and the one that stands for them, if this is one of these.
     *
     * @param shares what {@link org.tutti.collective.Flow#shares} has said; the first ones are for this
     * @param rounds how many rounds there are
     * @param chunk the bytes of the longest
     */
    void openFolds(Team team, Kernel kernel, int shares, int rounds, long chunk) {
        int first = first(team);
        int last = last(team);
        if (team.node() < last) {
            open(team, kernel, STANDS_FOR_IT, last, team.node() - first, shares, rounds, chunk);
        } else {
            for (int folded = first; folded < last; folded++) {
                open(team, kernel, folded - first, folded, STANDS_FOR_IT, shares, rounds, chunk);
            }
        }
    }

    /**
     * Opens the flows between this node and its partners in a step.
     *
     * @param shares what {@link org.tutti.collective.Flow#shares} has said
     * @param transfers how many transfers there are, each way
     * @param bytesMax the bytes of the longest
     */
    void open(Team team, Kernel kernel, int step, int shares, long transfers, long bytesMax) {
        int nodes = team.nodes();
        int own = lower(team, step);
        for (int digit = 0; digit <= ports(nodes); digit++) {
            if (digit != own) {
                int partner = folding.last(position(team) + (digit - own) * weight(nodes, step), nodes);
                open(team, kernel, edge(nodes, step) + skip(digit, own), partner,
                        edge(nodes, step) + skip(own, digit), shares, transfers, bytesMax);
            }
        }
    }

    /** Counts a digit among those that differ from another one. */
    private static int skip(int digit, int other) {
        return digit < other ? digit : digit - 1;
    }

    private static void open(Team team, Kernel kernel, int edge, int node, int edgeThere, int shares, long transfers,
            long bytesMax) {
        team.inflow(edge).openTransfers(kernel, node, edgeThere, edge, shares, transfers, bytesMax);
        team.outflow(edge).openTransfers(kernel, node, edgeThere, shares);
    }

    // ---- what is done

    /** A folded node hands its elements over and gets the result; for others this does nothing and says so. */
    boolean isHandedOver(Team team, Kernel kernel, Area own, Area work, long at, long length) {
        if (!isFolded(team)) {
            return false;
        }
        team.outflow(STANDS_FOR_IT).sendAll(own, at, length);
        team.inflow(STANDS_FOR_IT).receiveAll(kernel, null, 0, work, at, length);
        return true;
    }

    /** Takes in what nodes have that are folded into this one, if any; returns where its elements are then. */
    Area takeOver(Team team, Kernel kernel, Area own, Area work, long at, long length) {
        Area accumulated = own;
        for (int edge = team.node() - first(team) - 1; edge >= 0; edge--) { // the nearest first
            team.inflow(edge).receiveAll(kernel, accumulated, at, work, at, length);
            accumulated = work;
        }
        return accumulated;
    }

    /** Gives the result to the nodes that are folded into this one. */
    void handBack(Team team, Area work, long at, long length) {
        for (int edge = 0; edge < team.node() - first(team); edge++) {
            team.outflow(edge).sendAll(work, at, length);
        }
    }

    /**
     * Combines what comes from nodes before this one with its own, from left to right, so that all that combine the
     * same get the same bits: work may lie where own does, and so it is combined where the first piece has come to,
     * which nobody else reads.
     *
     * @param edge where the first of them comes; a piece of each
     * @param count how many there are
     * @return where the result is: own if there are none, else work
     */
    static Area combineLower(Team team, Kernel kernel, int edge, int count, Area own, Area work, long at,
            long length) {
        if (count == 0) {
            return own;
        }
        Area first = team.inflow(edge).await();
        for (int i = 1; i < count; i++) {
            team.combine(kernel, first, 0, team.inflow(edge + i).await(), 0, first, 0, length);
        }
        team.combine(kernel, first, 0, own, at, work, at, length);
        return work;
    }

    /**
     * Combines this node's own with what comes from nodes after it, from left to right.
     *
     * @param edge where the first of them comes; a piece of each
     * @param count how many there are
     */
    static void combineHigher(Team team, Kernel kernel, int edge, int count, Area own, Area work, long at,
            long length) {
        for (int i = 0; i < count; i++) {
            team.combine(kernel, i == 0 ? own : work, at, team.inflow(edge + i).await(), 0, work, at, length);
        }
    }
}
