/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.stage;

import org.tutti.collective.Team;
import org.tutti.collective.flow.Flow;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.machine.Area;
import org.tutti.pattern.Tree;

/**
 * A tree of a team's nodes, with one master for each, rooted at any node: data enter each node once (SRM 2003, section
 * 2.1). Together with the communication inside the nodes it is a tree of all ranks, embedded in the cluster.
 *
 * <p>A node has an edge to its parent, {@value #PARENT}, and one to each child, numbered by the child's index. Data
 * that go down arrive over the child's edge {@value #PARENT}; data that go up arrive over the parent's edge of that
 * child. Credits go the other way.
 */
public final class NodeTree {
    /** The edge between a node and its parent, at the node. */
    public static final int PARENT = 0;

    private final Tree tree;

    /**
     * @param tree the shape, with positions counted from the top node
     */
    public NodeTree(Tree tree) {
        this.tree = tree;
    }

    /**
     * {@return the edge between a node and a child, at the node}
     *
     * @param index which child, from 0
     */
    public static int edge(int index) {
        return PARENT + 1 + index;
    }

    /**
     * Counts the children of the team's node.
     *
     * @param team the team
     * @param top the node at the root of the tree
     * @return how many
     */
    public int children(Team team, int top) {
        return tree.children(position(team, top), team.nodes());
    }

    /**
     * Counts the children of the top node, which has the most.
     *
     * @param team the team
     * @return how many
     */
    public int degree(Team team) {
        return tree.children(0, team.nodes());
    }

    /**
     * Opens the flows from the node's children and to its parent, for elements to be combined.
     *
     * @param team the team, at a master
     * @param kernel the operator
     * @param top the node at the root of the tree
     * @param shares the number of shares of the inbox, from {@link Flow#shares}
     * @param transfers the greatest number of transfers
     * @param bytesMax the bytes of the longest transfer
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
     * Combines the elements that come from the node's children with the node's own.
     *
     * @param team the team, at a master
     * @param kernel the operator
     * @param top the node at the root of the tree
     * @param own the node's own elements
     * @param start the offset of these, in bytes
     * @param into the area for the result
     * @param at the offset of the result, in bytes
     * @param bytes the number of bytes
     * @return the area with the result: own without children, else into
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
     * Opens the flow from the node's parent, through eager buffers, and the flows to its children.
     *
     * @param team the team
     * @param top the node at the root of the tree
     * @param longestPiece the length of the places
     * @param places the number of places
     * @param pieces the number of pieces
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
     * Opens the flows to the node's children.
     *
     * @param team the team, at a master
     * @param top the node at the root of the tree
     * @param longestPiece the length of the places
     * @param places the number of places of a child's eager buffer, or {@link Flow#INVITED}
     */
    public void openToChildren(Team team, int top, long longestPiece, long places) {
        for (int index = 0; index < children(team, top); index++) {
            team.outflow(edge(index)).open(child(team, top, index), PARENT, longestPiece, places);
        }
    }

    /**
     * Passes a piece on to the children.
     *
     * @param team the team, at a master
     * @param top the node at the root of the tree
     * @param source the area with the piece
     * @param at the offset of the piece, in bytes
     * @param bytes the number of bytes
     */
    public void passOn(Team team, int top, Area source, long at, long bytes) {
        for (int index = children(team, top) - 1; index >= 0; index--) { // the deepest subtree first
            team.outflow(edge(index)).send(source, at, bytes);
        }
    }

    /**
     * Finds a child of the team's node.
     *
     * @param team the team
     * @param top the node at the root of the tree
     * @param index which child, from 0
     * @return the child's node
     */
    public int child(Team team, int top, int index) {
        return node(team, top, tree.child(position(team, top), index, team.nodes()));
    }

    /**
     * Finds the parent of the team's node, which is not the top.
     *
     * @param team the team
     * @param top the node at the root of the tree
     * @return the parent's node
     */
    public int parent(Team team, int top) {
        return node(team, top, tree.parent(position(team, top), team.nodes()));
    }

    /**
     * Finds the edge between the team's node, which is not the top, and its parent, at the parent.
     *
     * @param team the team
     * @param top the node at the root of the tree
     * @return the edge
     */
    public int edgeAtParent(Team team, int top) {
        return edge(tree.indexAtParent(position(team, top), team.nodes()));
    }

    private static int position(Team team, int top) {
        return Math.floorMod(team.node() - top, team.nodes());
    }

    private static int node(Team team, int top, int position) {
        return (position + top) % team.nodes();
    }
}
