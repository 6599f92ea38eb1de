/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.layout;

import java.util.Arrays;
import java.util.stream.IntStream;

import org.tutti.Topology;
import org.tutti.pattern.LevelTree;
import org.tutti.pattern.Tree;

/**
 * The facts of a call on which the steps of its algorithm depend. They are the same at all ranks.
 *
 * @param topology the placement of the communicator's ranks on nodes
 * @param isMeeting whether the call is the first one of a group, in which the nodes of the group meet
 * @param bytes the length of the message; with blocks, of one block
 * @param root the root; 0 if the collective has none
 * @param operatorCommutes whether the operator commutes; true if nothing is combined
 * @param isUnequal whether blocks may differ in length. If only two ranks know the length of each block, the number of
 *            bytes has no meaning.
 */
public record CallShape(Topology topology, boolean isMeeting, long bytes, int root, boolean operatorCommutes,
        boolean isUnequal) {
    /**
     * Creates the facts of a call without blocks, or with blocks of equal length.
     *
     * @param topology the placement of the communicator's ranks on nodes
     * @param isMeeting whether the call is the first one of a group
     * @param bytes the length of the message or of one block
     * @param root the root; 0 if the collective has none
     * @param operatorCommutes whether the operator commutes; true if nothing is combined
     */
    public CallShape(Topology topology, boolean isMeeting, long bytes, int root, boolean operatorCommutes) {
        this(topology, isMeeting, bytes, root, operatorCommutes, false);
    }

    /**
     * Returns the facts of a call that differs from this one only in its blocks.
     *
     * @param blockBytes the equal length of all blocks, in bytes
     * @return the facts of a call with equal blocks
     */
    public CallShape withEqualBlocks(long blockBytes) {
        return new CallShape(topology, isMeeting, blockBytes, root, operatorCommutes);
    }

    /** {@return the number of nodes} */
    public int nodes() {
        return topology.nodes();
    }

    /** {@return whether all ranks are on one node} */
    public boolean isOnOneNode() {
        return nodes() == 1;
    }

    /** {@return whether all nodes have the same number of ranks} */
    public boolean isEven() {
        return nodes() * ranksMax() == topology.size();
    }

    /** {@return the greatest number of ranks on a node} */
    public int ranksMax() {
        return IntStream.range(0, nodes()).map(topology::ranksOn).max().orElseThrow();
    }

    /** {@return the length of the longest window, memory that a rank shows to its node, in bytes} */
    public long windowBytesMax() {
        return WindowSizes.windowBytesMax(ranksMax());
    }

    /**
     * {@return the length of the longest block of an operation, in bytes} A call with longer equal blocks is cut into
     * several operations, so that the blocks of all ranks have room in a window.
     */
    public long blockBytes() {
        return Math.min(bytes, windowBytesMax() / ((long) nodes() * ranksMax()));
    }

    /**
     * Returns whether a message is too long for the long buffer of a pair, an edge between every two nodes.
     *
     * @param message the length of the message in bytes
     * @return whether the receiver must invite the sender; false on one node
     */
    public boolean exceedsPair(long message) {
        return nodes() > 1 && message > RingLayout.pairLongBytes(nodes());
    }

    /**
     * {@return the tree of a node's ranks that follows the levels of the node, such as caches and sockets}
     *
     * @param node the node
     */
    public LevelTree levelTree(int node) {
        return new LevelTree(
                Arrays.stream(topology.levels()).filter(group -> group < topology.ranksOn(node)).toArray());
    }

    /**
     * Returns whether two trees are the same in every node, with the first rank of the node at the top.
     *
     * @param tree a tree of the ranks of a node
     * @param other another tree
     * @return whether each rank has the same parent and children in both
     */
    public boolean areLikeInNodes(Tree tree, Tree other) {
        return IntStream.range(0, nodes()).allMatch(node -> tree.isLike(other, topology.ranksOn(node)));
    }

    /** {@return the fact that mostly decides about the steps, for messages, such as "on one node"} */
    public String describe() {
        return isMeeting ? "in the first call of a group" : isOnOneNode() ? "on one node" : "on " + nodes() + " nodes";
    }
}
