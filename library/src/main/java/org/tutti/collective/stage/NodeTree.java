/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.stage;

import org.tutti.collective.Team;
import org.tutti.collective.flow.Flow;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.machine.Area;
import org.tutti.pattern.Tree;

/**
 * A tree between the nodes of a team: one master each, rooted at any node, so that each node is entered once (SRM 2003,
 * section 2.1). Together with what happens inside the nodes it is a tree of all ranks, embedded in the cluster.
 *
 * <p>A node has an edge to its parent, {@value #PARENT}, and one to each child, by the child's index. Data that come
 * down arrive on the child's edge {@value #PARENT}, data that go up on the parent's edge of that child; credits go the
 * other way.
 */
public final class NodeTree {
    /** The edge between a node and its parent, at the node. */
    public static final int PARENT = 0;

    private final Tree tree;

    /**
     * @param tree its shape, over the nodes counted from its top
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
     * Counts the children of the top, which has most.
     *
     * @param team the team
     * @return how many
     */
    public int degree(Team team) {
        return tree.children(0, team.nodes());
    }

    /**
     * Opens what comes from the node's children and goes to its parent, to be combined.
     *
     * @param team the team, at a master
     * @param kernel the operator
     * @param top the node at the root of the tree
     * @param shares what {@link Flow#shares} has said
     * @param transfers how many transfers there will be at most
     * @param bytesMax how many bytes one of them has at most
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
     * Combines what has come from the node's children with its own.
     *
     * @param team the team, at a master
     * @param kernel the operator
     * @param top the node at the root of the tree
     * @param own the node's own elements
     * @param start at which byte they begin
     * @param into where the combination goes
     * @param at at which byte
     * @param bytes how many
     * @return where the result is: own without children, else into
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
     * Opens what comes from the node's parent, by way of eager buffers, and what its master passes on to its children.
     *
     * @param team the team
     * @param top the node at the root of the tree
     * @param longestPiece the length of the places
     * @param places how many places there are
     * @param pieces how many pieces there will be
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
     * Opens what the node passes on to its children.
     *
     * @param team the team, at a master
     * @param top the node at the root of the tree
     * @param longestPiece the length of the places
     * @param places how many places a child's eager buffer has, or {@link Flow#INVITED}
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
     * @param source where it is
     * @param at at which byte
     * @param bytes how many
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
