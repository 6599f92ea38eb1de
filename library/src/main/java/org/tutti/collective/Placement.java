/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import java.util.Arrays;

import org.tutti.Topology;
import org.tutti.pattern.LevelTree;

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
    private final long operationBytesMax;
    private final int size;
    private final int[] levels;
    private final LevelTree levelTree;

    /** By the number of ranks on a node. */
    private final RingLayout[] layouts;

    Placement(Topology topology, int rank) {
        this.topology = topology;
        this.rank = rank;
        this.size = topology.size();
        this.node = topology.nodeOf(rank);
        this.localRanks = topology.ranksOf(node);
        this.localSize = localRanks.length;
        this.localRank = Arrays.binarySearch(localRanks, rank);
        this.levels = Arrays.stream(topology.levels()).filter(group -> group < localSize).toArray();
        this.levelTree = new LevelTree(levels);
        int most = 0;
        for (int each = 0; each < topology.nodes(); each++) {
            most = Math.max(most, topology.ranksOn(each));
        }
        this.layouts = new RingLayout[most + 1];
        this.ranksMax = most;
        this.windowBytesMax = Outbox.windowBytesMax(most);
        this.operationBytesMax = windowBytesMax
                * Math.clamp(Team.STEPS_MAX / ((long) STEPS_PER_RANK_AND_WINDOW * size), 1, OPERATION_WINDOWS_MAX);
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
     * {@return how many ranks the node has that has most of them}
     */
    public int ranksMax() {
        return ranksMax;
    }

    /**
     * {@return whether this is the rank that talks to other nodes for its node: its first}
     */
    public boolean isMaster() {
        return localRank == MASTER;
    }

    /**
     * {@return the tree of this node's ranks that its levels make: flat when there are none}
     */
    public LevelTree levelTree() {
        return levelTree;
    }

    /**
     * {@return how many levels of groups there are inside this node, 0 for none}
     */
    public int levels() {
        return levels.length;
    }

    /**
     * Tells the size of the groups of a level, less than {@link #localSize()}; the last group may have fewer ranks.
     *
     * @param level 0 to {@link #levels()} − 1, from the smallest groups to the greatest
     * @return the ranks of a group
     */
    public int groupSize(int level) {
        return levels[level];
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
        return operationBytesMax;
    }

    RingLayout layoutOf(int ofNode) {
        int ranks = topology.ranksOn(ofNode);
        if (layouts[ranks] == null) {
            layouts[ranks] = new RingLayout(topology.nodes(), ranks);
        }
        return layouts[ranks];
    }

    int master(int ofNode) {
        return topology.firstRankOf(ofNode);
    }
}
