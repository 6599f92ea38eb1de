/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.layout;

import java.util.Arrays;

import org.tutti.Topology;
import org.tutti.pattern.LevelTree;

/**
 * A communicator as all its ranks of one node see it: made once for those that are in one process, as a thousand of
 * them would have a thousand lists of a thousand.
 */
public final class NodeView {
    private static final int OPERATION_WINDOWS_MAX = 512;
    static final int STEPS_PER_RANK_AND_WINDOW = 32;

    public final Topology topology;
    public final int node;
    public final int[] localRanks;
    public final int ranksMax;
    public final long windowBytesMax;
    public final long operationBytesMax;
    public final long blockBytesMax;
    public final int[] positions;
    public final boolean isInBlocks;
    public final int[] levels;
    public final LevelTree levelTree;

    /** By the number of ranks on a node; each is found when it is needed, by several threads alike. */
    private final RingLayout[] layouts;

    /**
     * The view of all ranks of a job.
     *
     * @param topology which ranks are on which nodes
     * @param node whose view it is
     */
    public NodeView(Topology topology, int node) {
        this(topology, node, WindowSizes.windowBytesMax(ranksMax(topology)));
    }

    /**
     * @param topology which ranks are on which nodes
     * @param node whose view it is
     * @param windowBytesMax the greatest window, which is that of the job
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

    /** How many ranks the node has that has most of them. */
    private static int ranksMax(Topology topology) {
        int most = 0;
        for (int node = 0; node < topology.nodes(); node++) {
            most = Math.max(most, topology.ranksOn(node));
        }
        return most;
    }

    /**
     * {@return which ranks are on which nodes}
     */
    public Topology topology() {
        return topology;
    }

    /**
     * {@return the greatest window}
     */
    public long windowBytesMax() {
        return windowBytesMax;
    }

    /**
     * {@return the first of the communicator's ranks on this node}
     */
    public int master() {
        return topology.firstRankOf(node);
    }

    /**
     * {@return the layout of the communicator's block on this node}
     */
    public RingLayout layout() {
        return layoutOf(node);
    }

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
