/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.util.Arrays;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * Where the ranks of a communicator are: which of them share memory and so form a node. Immutable.
 */
public final class Topology {
    private final int[] nodeOfRank;
    private final int[] firstRankOfNode;
    private final int nodes;

    /**
     * @param nodeOfRank for each rank the number of its node; nodes are numbered 0, 1, … in the order of their first
     *            rank
     * @throws IllegalArgumentException when the nodes are not numbered so
     */
    public Topology(int[] nodeOfRank) {
        this.nodeOfRank = nodeOfRank.clone();
        int[] first = new int[nodeOfRank.length];
        int seen = 0;
        for (int rank = 0; rank < nodeOfRank.length; rank++) {
            int node = nodeOfRank[rank];
            if (node < 0 || node > seen) {
                throw new IllegalArgumentException("nodes must be numbered in the order of their first rank, but are "
                        + Arrays.toString(nodeOfRank));
            }
            if (node == seen) {
                first[seen++] = rank;
            }
        }
        this.nodes = seen;
        this.firstRankOfNode = Arrays.copyOf(first, seen);
    }

    /**
     * {@return the number of ranks}
     */
    public int size() {
        return nodeOfRank.length;
    }

    /**
     * {@return the number of nodes}
     */
    public int nodes() {
        return nodes;
    }

    /**
     * Tells on which node a rank is.
     *
     * @param rank a rank of the communicator
     * @return its node, 0 to {@link #nodes()} − 1
     * @throws IndexOutOfBoundsException when there is no such rank
     */
    public int nodeOf(int rank) {
        return nodeOfRank[rank];
    }

    /**
     * Lists the ranks of a node.
     *
     * @param node 0 to {@link #nodes()} − 1
     * @return the ranks on it, in ascending order
     * @throws IndexOutOfBoundsException when there is no such node
     */
    public int[] ranksOf(int node) {
        Objects.checkIndex(node, nodes);
        return IntStream.range(0, size()).filter(rank -> nodeOfRank[rank] == node).toArray();
    }

    /**
     * Finds the first rank of a node.
     *
     * @param node 0 to {@link #nodes()} − 1
     * @return its lowest rank
     * @throws IndexOutOfBoundsException when there is no such node
     */
    public int firstRankOf(int node) {
        return firstRankOfNode[node];
    }

    /**
     * {@return whether the ranks of each node follow each other}
     */
    public boolean isInBlocks() {
        for (int rank = 1; rank < nodeOfRank.length; rank++) {
            if (nodeOfRank[rank] < nodeOfRank[rank - 1]) {
                return false;
            }
        }
        return true;
    }

    @Override
    public String toString() {
        return size() + " ranks on " + nodes + (nodes == 1 ? " node" : " nodes");
    }
}
