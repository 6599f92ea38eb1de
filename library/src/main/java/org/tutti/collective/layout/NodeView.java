/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.layout;

import java.util.Arrays;

import org.tutti.Topology;
import org.tutti.pattern.LevelTree;

/**
 * A node's view of a communicator. It has the nodes of the communicator's ranks, and the lengths of windows, blocks and
 * operations that follow from them. In a communicator made by {@code flatten}, each rank is the only one of its node,
 * and has a block of its own, although its process shares memory with others. All ranks of a process share one view to
 * save memory, because its lists grow with the number of ranks.
 */
public final class NodeView {
    private static final int OPERATION_WINDOWS_MAX = 512;
    static final int STEPS_PER_RANK_AND_WINDOW = 32;

    /** The nodes of the ranks. */
    public final Topology topology;

    /** The node that has this view. */
    public final int node;

    /** The ranks of this node, in ascending order. */
    public final int[] localRanks;

    /** The greatest number of ranks on a node. */
    public final int ranksMax;

    /** The length of the greatest window that a rank's window ring can have, in bytes, the same at every rank. */
    public final long windowBytesMax;

    /** The longest message of one operation, in bytes, the same at every rank. */
    public final long operationBytesMax;

    /**
     * The length of the longest block of data, in bytes, for which a window has room for one block from each rank; 0
     * with very many ranks.
     */
    public final long blockBytesMax;

    /**
     * For each node, the number of ranks on the nodes before that node. One more entry, the last, holds the number of
     * all ranks.
     */
    public final int[] positions;

    /** Whether the ranks of each node are consecutive, and the nodes are in the order of their ranks. */
    public final boolean isInBlocks;

    /**
     * For each level of this node's hierarchy, the number of ranks in a group of that level, from the smallest groups
     * to the greatest.
     */
    public final int[] levels;

    /** The tree of this node's ranks that the levels determine; flat if there are no levels. */
    public final LevelTree levelTree;

    /**
     * The layouts of the communicator's blocks, indexed by the number of ranks on a node. Each layout is created when
     * it is needed. Two threads may create the same layout.
     */
    private final RingLayout[] layouts;

    /**
     * Creates a node's view of the communicator of all ranks of a job.
     *
     * @param topology the nodes of the ranks
     * @param node the node that has the view
     */
    public NodeView(Topology topology, int node) {
        this(topology, node, WindowSizes.windowBytesMax(ranksMax(topology)));
    }

    /**
     * Creates a node's view of a group of the job's ranks.
     *
     * @param topology the nodes of the group's ranks
     * @param node the node that has the view
     * @param windowBytesMax the length of the greatest window of a rank's ring, in bytes, which is the same for all
     *            groups of the job
     */
    public NodeView(Topology topology, int node, long windowBytesMax) {
        this.topology = topology;
        this.node = node;
        this.localRanks = topology.ranksOf(node);
        this.ranksMax = ranksMax(topology);
        this.windowBytesMax = windowBytesMax;
        this.operationBytesMax = windowBytesMax * Math.clamp(
                RingLayout.STEPS_MAX / ((long) STEPS_PER_RANK_AND_WINDOW * topology.size()), 1, OPERATION_WINDOWS_MAX);
        this.blockBytesMax = windowBytesMax / ((long) topology.nodes() * ranksMax);
        this.positions = new int[topology.nodes() + 1];
        for (int each = 1; each < positions.length; each++) {
            positions[each] = positions[each - 1] + topology.ranksOn(each - 1);
        }
        this.isInBlocks = topology.isInBlocks();
        this.levels = Arrays.stream(topology.levels()).filter(group -> group < localRanks.length).toArray();
        this.levelTree = new LevelTree(levels);
        this.layouts = new RingLayout[ranksMax + 1];
    }

    /** Returns the greatest number of ranks on a node. */
    private static int ranksMax(Topology topology) {
        int most = 0;
        for (int node = 0; node < topology.nodes(); node++) {
            most = Math.max(most, topology.ranksOn(node));
        }
        return most;
    }

    /**
     * {@return the nodes of the ranks}
     */
    public Topology topology() {
        return topology;
    }

    /** {@return the length of the greatest window that a rank's ring can have, in bytes} */
    public long windowBytesMax() {
        return windowBytesMax;
    }

    /** {@return the master of this node: the first of the communicator's ranks on it} */
    public int master() {
        return topology.firstRankOf(node);
    }

    /**
     * {@return the layout of the communicator's block on this node}
     */
    public RingLayout layout() {
        return layoutOf(node);
    }

    /** Returns the layout of the communicator's block on a node. */
    public RingLayout layoutOf(int ofNode) {
        int ranks = topology.ranksOn(ofNode);
        RingLayout layout = layouts[ranks];
        if (layout == null) {
            layout = new RingLayout(topology.nodes(), ranks);
            layouts[ranks] = layout;
        }
        return layout;
    }
}
