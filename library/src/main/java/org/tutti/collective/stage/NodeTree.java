/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.stage;

import org.tutti.collective.Team;
import org.tutti.collective.flow.Flow;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.machine.Area;
import org.tutti.pattern.Tree;

/**
 * A tree of a team's nodes. The master of a node, its rank that talks to other nodes, exchanges data with the masters
 * of the node's parent and children. Any node may be the root of the tree, which is called the top. Data enter each
 * node once (SRM 2003, section 2.1). Together with the communication inside the nodes, the tree is a tree of all ranks
 * that is embedded in the cluster.
 *
 * <p>An edge is a node's end of a link to another node. A node uses edge {@value #PARENT} for its parent, and one edge
 * for each child, numbered by the child's index. Data that go down arrive over the child's edge {@value #PARENT}. Data
 * that go up arrive over the edge that the parent has for that child. Credits, which tell a sender that it may send
 * more, go the other way.
 */
public final class NodeTree {
    /** The edge that a node uses for its parent. */
    public static final int PARENT = 0;

    private final Tree tree;

    /**
     * Creates a tree of nodes with a given shape.
     *
     * @param tree the shape; position 0 is the top node, and the other nodes follow in ascending order, node 0 after
     *            the last
     */
    public NodeTree(Tree tree) {
        this.tree = tree;
    }

    /**
     * {@return the number of the edge that a node uses for one of its children}
     *
     * @param index the index of the child, from 0
     */
    public static int edge(int index) {
        return PARENT + 1 + index;
    }

    /**
     * Returns the number of children of the calling rank's node.
     *
     * @param team the team of the calling rank
     * @param top the node at the root of the tree
     * @return the number of children
     */
    public int children(Team team, int top) {
        return tree.children(team.node(), top, team.nodes());
    }

    /**
     * Returns the number of children of the top node. No node has more children.
     *
     * @param team the team of the calling rank
     * @return the number of children
     */
    public int degree(Team team) {
        return tree.children(0, team.nodes());
    }

    /**
     * Opens the flows from the children of this rank's node and the flow to the node's parent. A flow is a one-way
     * stream of pieces between two masters. The elements are combined on their way up the tree.
     *
     * @param team the team of the calling rank, a master
     * @param kernel the operator
     * @param top the node at the root of the tree
     * @param shares the number of flows that share the inbox, or 0 if they use eager buffers, from {@link Flow#shares}
     * @param transfers the greatest number of transfers over a flow
     * @param bytesMax the length of the longest transfer, in bytes
     */
    public void openUpwards(Team team, Kernel kernel, int top, int shares, long transfers, long bytesMax) {
        for (int index = 0; index < children(team, top); index++) {
            team.inflow(edge(index)).openTransfers(kernel, child(team, top, index), PARENT, index, shares, transfers,
                    bytesMax);
        }
        if (team.node() != top) {
            team.outflow(PARENT).openTransfers(kernel, parent(team, top), edgeAtParent(team, top), shares);
        }
    }

    /**
     * Receives the elements that the node's children send, and combines them with the node's own elements.
     *
     * @param team the team of the calling rank, a master
     * @param kernel the operator
     * @param top the node at the root of the tree
     * @param own the area with the node's own elements
     * @param start the offset of these elements, in bytes
     * @param into the area for the result
     * @param at the offset of the result, in bytes
     * @param bytes the number of bytes to combine
     * @return the area that has the result: {@code own} if the node has no children, otherwise {@code into}
     */
    public Area combine(Team team, Kernel kernel, int top, Area own, long start, Area into, long at, long bytes) {
        int children = children(team, top);
        for (int index = 0; index < children; index++) {
            team.inflow(edge(index)).receiveAll(kernel, index == 0 ? own : into, index == 0 ? start : at, into, at,
                    bytes);
        }
        return children == 0 ? own : into;
    }

    /**
     * Opens the flow from the node's parent, so that all ranks of the node can read the pieces that arrive. The pieces
     * arrive in an eager buffer of the node. At a master this method also opens the flows to the node's children.
     *
     * @param team the team of the calling rank
     * @param top the node at the root of the tree
     * @param longestPiece the length of a place, in bytes; a place is a buffer for one piece
     * @param places the number of places of each flow
     * @param pieces the number of pieces that the flow from the parent brings
     */
    public void openDownwards(Team team, int top, long longestPiece, long places, long pieces) {
        if (team.node() != top) {
            team.inflow(PARENT).open(parent(team, top), edgeAtParent(team, top), longestPiece, places, pieces);
            team.inflow(PARENT).readByAll();
        }
        if (team.isMaster()) {
            openToChildren(team, top, longestPiece, places);
        }
    }

    /**
     * Opens a flow, a stream of pieces, to each child of this rank's node.
     *
     * @param team the team of the calling rank, a master
     * @param top the node at the root of the tree
     * @param longestPiece the length of a place, in bytes; a place is a buffer for one piece
     * @param places the number of places in a child's eager buffer, or {@link Flow#INVITED} if the child names the
     *            memory
     */
    public void openToChildren(Team team, int top, long longestPiece, long places) {
        for (int index = 0; index < children(team, top); index++) {
            team.outflow(edge(index)).open(child(team, top, index), PARENT, longestPiece, places);
        }
    }

    /**
     * Sends a piece of a message to each of the node's children.
     *
     * @param team the team of the calling rank, a master
     * @param top the node at the root of the tree
     * @param source the area with the piece
     * @param at the offset of the piece, in bytes
     * @param bytes the length of the piece, in bytes
     */
    public void passOn(Team team, int top, Area source, long at, long bytes) {
        for (int index = children(team, top) - 1; index >= 0; index--) { // the deepest subtree first
            team.outflow(edge(index)).send(source, at, bytes);
        }
    }

    /**
     * Returns a child of the calling rank's node.
     *
     * @param team the team of the calling rank
     * @param top the node at the root of the tree
     * @param index the index of the child, from 0
     * @return the child's node
     */
    public int child(Team team, int top, int index) {
        return tree.child(team.node(), index, top, team.nodes());
    }

    /**
     * Returns the parent of the calling rank's node, which must not be the top.
     *
     * @param team the team of the calling rank
     * @param top the node at the root of the tree
     * @return the parent's node
     */
    public int parent(Team team, int top) {
        return tree.parent(team.node(), top, team.nodes());
    }

    /**
     * Returns the edge that the parent of the calling rank's node uses for this node, which must not be the top.
     *
     * @param team the team of the calling rank
     * @param top the node at the root of the tree
     * @return the number of the edge
     */
    public int edgeAtParent(Team team, int top) {
        return edge(tree.indexAtParent(team.node(), top, team.nodes()));
    }
}
