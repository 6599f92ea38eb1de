/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.blocks;

import org.tutti.Collective;
import org.tutti.collective.Team;
import org.tutti.pattern.HalvingTree;
import org.tutti.pattern.NomialTree;
import org.tutti.pattern.Tree;

/**
 * The base class of gathers and scatters over a tree of nodes. The tree's root is the node of the call's root. A
 * message between two nodes has the blocks of all ranks of a subtree, which covers consecutive nodes. The blocks are in
 * the order of the nodes, and of their ranks.
 */
public abstract class SubtreeAlgorithm extends EqualBlocksAlgorithm {
    /** The tree of nodes. */
    protected final Tree tree;

    /** The number of children with which a node exchanges data at the same time, k. */
    protected final int ports;

    /**
     * Creates the algorithm over a tree.
     *
     * @param collective the collective that the algorithm runs
     * @param shape the tree of nodes, with the name of the algorithm
     * @param memory the shared memory that the algorithm needs, as its entry in the catalogue states it
     */
    protected SubtreeAlgorithm(Collective collective, Shape shape, String memory) {
        super(collective,
                new Description(shape.name, Order.ALWAYS, "1, ⌈log n⌉ more between nodes", "b·p·n at the root",
                        "b·p·(n − 1)", memory, shape.source));
        this.tree = shape.tree;
        this.ports = shape.ports;
    }

    /**
     * A tree of nodes, and the name of the algorithm that uses it.
     *
     * @param name the algorithm's name
     * @param tree the tree of nodes
     * @param ports the number of children with which a node exchanges data at the same time, k
     * @param source the paper that published the tree
     */
    public record Shape(String name, Tree tree, int ports, String source) {
        /**
         * The tree of recursive halving, which Portals uses. It needs ⌈log n⌉ steps. In one of them the root's link
         * carries half of all bytes.
         */
        public static final Shape HALVING = new Shape("halving", HalvingTree.INSTANCE, 1, "Portals collectives 2007");

        /** The binomial tree, which needs ⌈log n⌉ steps for n nodes. It is the (k+1)-nomial tree with one port. */
        public static final Shape BINOMIAL = nomial("tree", 1);

        /**
         * Returns the (k+1)-nomial tree (Qian and Afsahi 2008, section 5.1.1). It needs ⌈log<sub>k+1</sub> n⌉ steps for
         * n nodes.
         *
         * @param ports the number of children with which a node exchanges data at the same time, k
         * @return the tree
         */
        public static Shape nomial(int ports) {
            return nomial("tree@" + ports + "-ports", ports);
        }

        private static Shape nomial(String name, int ports) {
            return new Shape(name, new NomialTree(ports), ports, "Qian, Afsahi 2008, section 5.1.1");
        }
    }

    /**
     * Returns the node at a position of the tree. Positions count the nodes from the root's node, which has position 0.
     *
     * @param team the team of the calling rank
     * @param top the root's node
     * @param position the position, 0 to the number of nodes − 1
     * @return the node at this position
     */
    protected static int nodeAt(Team team, int top, int position) {
        return (top + position) % team.nodes();
    }

    /**
     * Returns the position of this rank's node in the tree. Positions count the nodes from the root's node.
     *
     * @param team the team of the calling rank
     * @param top the root's node
     * @return the position, 0 for the root's node
     */
    protected static int position(Team team, int top) {
        return Math.floorMod(team.node() - top, team.nodes());
    }

    /**
     * Returns the length of the blocks of all ranks at consecutive positions of the tree.
     *
     * @param team the team of the calling rank
     * @param top the root's node
     * @param from the first position
     * @param to the position after the last one
     * @param bytes the length of a block, in bytes
     * @return the length of all blocks, in bytes
     */
    protected static long blockBytes(Team team, int top, int from, int to, long bytes) {
        return team.ranksOn(nodeAt(team, top, from), to - from) * bytes;
    }

    /**
     * Returns the length of the blocks of a subtree.
     *
     * @param team the ranks
     * @param top the root's node
     * @param position the first position of the subtree
     * @param bytes the length of a block, in bytes
     * @return the length of all blocks, in bytes
     */
    protected final long subtreeBytes(Team team, int top, int position, long bytes) {
        return blockBytes(team, top, position, tree.end(position, team.nodes()), bytes);
    }
}
