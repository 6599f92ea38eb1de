/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.util.Arrays;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * The placement of a communicator's ranks on nodes. Ranks that share memory form a node. A topology is immutable.
 */
public final class Topology {
    private final int[] nodeOfRank;
    private final int[] ranksByNode;
    private final int[] startOfNode;
    private final int nodes;
    private final int[] levels;
    private final boolean hasLevels;

    /**
     * Creates a topology that says on which node each rank runs. Inside the nodes it has no levels, such as shared
     * caches.
     *
     * @param nodeOfRank the number of each rank's node; nodes are numbered 0, 1, … in the order of their first ranks
     * @throws IllegalArgumentException if the nodes are numbered in another order
     */
    public Topology(int[] nodeOfRank) {
        this(nodeOfRank, new int[0]);
    }

    /**
     * Creates a topology that says on which node each rank runs, and which ranks of a node share a cache or a socket.
     * The ranks of a node, in their order, form groups of equal size. These groups form larger groups, and so on. Each
     * such division is a level. The last group of a level may have fewer ranks.
     *
     * @param nodeOfRank the number of each rank's node; nodes are numbered 0, 1, … in the order of their first ranks
     * @param levels the number of ranks of a group, for each level from the smallest groups to the largest; empty for
     *            no levels. The first number is 2 or more, and each other number is a greater multiple of the previous
     *            one
     * @throws IllegalArgumentException if the nodes are numbered in another order, or a number of levels is not as
     *             described
     */
    public Topology(int[] nodeOfRank, int[] levels) {
        this.levels = levels.clone();
        for (int level = 0; level < levels.length; level++) {
            int inner = level == 0 ? 1 : levels[level - 1];
            if (levels[level] <= inner || levels[level] % inner != 0) {
                throw new IllegalArgumentException("levels must be group sizes from 2 on, each a greater multiple of "
                        + "the one before, but are " + Arrays.toString(levels));
            }
        }
        this.nodeOfRank = nodeOfRank.clone();
        int[] start = new int[nodeOfRank.length + 1];
        int seen = 0;
        for (int node : nodeOfRank) {
            if (node < 0 || node > seen) {
                throw new IllegalArgumentException("nodes must be numbered in the order of their first rank, but are "
                        + Arrays.toString(nodeOfRank));
            }
            seen = Math.max(seen, node + 1);
            start[node + 1]++;
        }
        for (int node = 0; node < seen; node++) {
            start[node + 1] += start[node];
        }
        int[] next = start.clone();
        this.ranksByNode = new int[nodeOfRank.length];
        for (int rank = 0; rank < nodeOfRank.length; rank++) {
            ranksByNode[next[nodeOfRank[rank]]++] = rank;
        }
        this.nodes = seen;
        this.startOfNode = Arrays.copyOf(start, seen + 1);
        int most = 0;
        for (int node = 0; node < seen; node++) {
            most = Math.max(most, startOfNode[node + 1] - startOfNode[node]);
        }
        this.hasLevels = levels.length > 0 && levels[0] < most;
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
     * Returns the number of the node on which a rank runs.
     *
     * @param rank a rank of the communicator
     * @return the number of its node, 0 to {@link #nodes()} − 1
     * @throws IndexOutOfBoundsException if there is no such rank
     */
    public int nodeOf(int rank) {
        return nodeOfRank[rank];
    }

    /**
     * Returns the ranks that run on a node.
     *
     * @param node the number of the node, 0 to {@link #nodes()} − 1
     * @return its ranks, in ascending order
     * @throws IndexOutOfBoundsException if there is no such node
     */
    public int[] ranksOf(int node) {
        Objects.checkIndex(node, nodes);
        return Arrays.copyOfRange(ranksByNode, startOfNode[node], startOfNode[node + 1]);
    }

    /**
     * Returns the number of ranks that run on a node.
     *
     * @param node the number of the node, 0 to {@link #nodes()} − 1
     * @return the number of its ranks, 1 or more
     * @throws IndexOutOfBoundsException if there is no such node
     */
    public int ranksOn(int node) {
        return startOfNode[node + 1] - startOfNode[node];
    }

    /**
     * Returns the rank that has a given local rank on a node. A local rank is an index among the ranks of one node.
     *
     * @param node the number of the node, 0 to {@link #nodes()} − 1
     * @param localRank the index of the rank among the ranks of the node in ascending order, from 0
     * @return the rank
     * @throws IndexOutOfBoundsException if there is no such node or local rank
     */
    public int rankAt(int node, int localRank) {
        return ranksByNode[startOfNode[node] + Objects.checkIndex(localRank, ranksOn(node))];
    }

    /**
     * Returns the local rank of a rank. That is its index among the ranks of its node in ascending order.
     *
     * @param rank a rank of the communicator
     * @return its local rank, from 0
     * @throws IndexOutOfBoundsException if there is no such rank
     */
    public int localRankOf(int rank) {
        int node = nodeOfRank[rank];
        return Arrays.binarySearch(ranksByNode, startOfNode[node], startOfNode[node + 1], rank) - startOfNode[node];
    }

    /**
     * Returns the lowest of the ranks that run on a node.
     *
     * @param node the number of the node, 0 to {@link #nodes()} − 1
     * @return its lowest rank
     * @throws IndexOutOfBoundsException if there is no such node
     */
    public int firstRankOf(int node) {
        return rankAt(node, 0);
    }

    /**
     * {@return whether the ranks of each node are consecutive}
     */
    public boolean isInBlocks() {
        for (int rank = 1; rank < nodeOfRank.length; rank++) {
            if (nodeOfRank[rank] < nodeOfRank[rank - 1]) {
                return false;
            }
        }
        return true;
    }

    /**
     * {@return the levels inside a node, as passed to {@link #Topology(int[], int[])}; ranks of another node may have
     * been given different levels}
     */
    public int[] levels() {
        return levels.clone();
    }

    /**
     * {@return whether a node has more than one group of the smallest level}
     */
    public boolean hasLevels() {
        return hasLevels;
    }

    /**
     * Returns a topology of the same ranks on the same nodes, with other groups of ranks inside the nodes.
     *
     * @param newLevels the number of ranks of a group, for each level from the smallest groups to the largest
     * @return the topology
     * @throws IllegalArgumentException if a number is not a greater multiple of the number before it
     */
    public Topology withLevels(int... newLevels) {
        return new Topology(nodeOfRank, newLevels);
    }

    /**
     * {@return the topology of the same ranks in which each rank is a node of its own, without levels}
     */
    public Topology flattened() {
        return new Topology(IntStream.range(0, size()).toArray());
    }

    /**
     * Returns the topology of some of these ranks, in any order. A level of this topology divides the ranks of a node
     * into groups. It is kept if it also divides the given ranks into equal, consecutive groups on every node.
     *
     * @param ranks the ranks, by their numbers in this topology, none twice; their order gives the ranks of the result
     * @return the topology; its nodes are numbered in the order of the group's ranks
     * @throws IndexOutOfBoundsException if there is no such rank
     */
    public Topology of(int... ranks) {
        int[] numbers = new int[nodes];
        int[] nodeOfMember = new int[ranks.length];
        int seen = 0;
        for (int member = 0; member < ranks.length; member++) {
            int node = nodeOf(ranks[member]);
            if (numbers[node] == 0) {
                numbers[node] = ++seen;
            }
            nodeOfMember[member] = numbers[node] - 1;
        }
        var group = new Topology(nodeOfMember);
        int[] kept = new int[levels.length];
        int count = 0;
        for (int level : levels) {
            int size = sizeInGroup(level, group, ranks);
            int inner = count == 0 ? 1 : kept[count - 1];
            if (size > inner && size % inner == 0) {
                kept[count++] = size;
            }
        }
        return count == 0 ? group : group.withLevels(Arrays.copyOf(kept, count));
    }

    /**
     * Returns the number of the given ranks in each group of a level, or 0 if the groups have different numbers. Only
     * the last group of a node may be smaller.
     */
    private int sizeInGroup(int level, Topology group, int[] ranks) {
        int size = 0;
        int most = 0;
        for (int node = 0; node < group.nodes; node++) {
            int[] members = group.ranksOf(node);
            int run = 0;
            int last = -1;
            for (int i = 0; i < members.length; i++) {
                int part = localRankOf(ranks[members[i]]) / level;
                if (i > 0 && part != last) {
                    if (size == 0) {
                        size = run;
                    }
                    if (run != size || part < last) {
                        return 0;
                    }
                    run = 0;
                }
                last = part;
                run++;
            }
            most = Math.max(most, run);
        }
        return most <= size ? size : 0;
    }

    @Override
    public String toString() {
        return size() + " ranks on " + nodes + (nodes == 1 ? " node" : " nodes")
                + (levels.length == 0 ? "" : ", levels " + Arrays.toString(levels));
    }
}
