/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import java.util.Arrays;

import org.tutti.Topology;

/**
 * Who takes part in a communicator and where, as one rank sees it: the part of {@link Team} that never changes.
 */
class Placement {
    private static final int OPERATION_WINDOWS_MAX = 512;
    private static final int STEPS_PER_RANK_AND_WINDOW = 32;
    private static final int MASTER = 0;

    final Topology topology;
    final int rank;
    final int node;
    final int[] localRanks;
    final int localRank;
    final int localSize;
    final int ranksMax;
    final long windowBytesMax;
    private final int size;
    private final RingLayout[] layouts;

    Placement(Topology topology, int rank) {
        this.topology = topology;
        this.rank = rank;
        this.size = topology.size();
        this.node = topology.nodeOf(rank);
        this.localRanks = topology.ranksOf(node);
        this.localSize = localRanks.length;
        this.localRank = Arrays.binarySearch(localRanks, rank);
        int most = 0;
        for (int each = 0; each < topology.nodes(); each++) {
            most = Math.max(most, topology.ranksOn(each));
        }
        this.layouts = new RingLayout[most + 1]; // nodes with as many ranks have the same
        for (int each = 0; each < topology.nodes(); each++) {
            int ranks = topology.ranksOn(each);
            if (layouts[ranks] == null) {
                layouts[ranks] = new RingLayout(topology.nodes(), ranks);
            }
        }
        this.ranksMax = most;
        this.windowBytesMax = Outbox.windowBytesMax(most);
    }

    /**
     * {@return this rank, 0 to size − 1}
     */
    public int rank() {
        return rank;
    }

    /**
     * {@return how many ranks take part}
     */
    public int size() {
        return size;
    }

    /**
     * {@return this rank's place among the ranks of its node, in ascending order; those that share memory know each
     * other by it}
     */
    public int localRank() {
        return localRank;
    }

    /**
     * {@return how many of the ranks are on this node}
     */
    public int localSize() {
        return localSize;
    }

    /**
     * {@return whether this is the rank that talks to other nodes for its node: its first}
     */
    public boolean isMaster() {
        return localRank == MASTER;
    }

    /**
     * {@return the number of this node}
     */
    public int node() {
        return node;
    }

    /**
     * {@return how many nodes the ranks are on}
     */
    public int nodes() {
        return topology.nodes();
    }

    /**
     * Tells on which node a rank is.
     *
     * @param other the rank
     * @return its node
     */
    public int nodeOf(int other) {
        return topology.nodeOf(other);
    }

    /**
     * Tells the place of a rank among those of this node.
     *
     * @param other the rank
     * @return its place, or −1 when it is on another node
     */
    public int localRankOf(int other) {
        return Math.max(-1, Arrays.binarySearch(localRanks, other));
    }

    /**
     * {@return the greatest number of bytes that {@link Team#show} can give a rank, the same at every rank: a power
     * of two}
     */
    public long windowBytesMax() {
        return windowBytesMax;
    }

    /**
     * {@return the longest message of one operation, in bytes, the same at every rank: so long that an algorithm stays
     * below {@link Team#STEPS_MAX} steps that takes {@value #STEPS_PER_RANK_AND_WINDOW} for each rank and each greatest
     * window that the message would fill}
     */
    public long operationBytesMax() {
        return windowBytesMax
                * Math.clamp(Team.STEPS_MAX / ((long) STEPS_PER_RANK_AND_WINDOW * size), 1, OPERATION_WINDOWS_MAX);
    }

    RingLayout layoutOf(int ofNode) {
        return layouts[topology.ranksOn(ofNode)];
    }

    int master(int ofNode) {
        return topology.firstRankOf(ofNode);
    }
}
