/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.blocks;

import org.tutti.Collective;
import org.tutti.collective.Team;
import org.tutti.pattern.HalvingTree;
import org.tutti.pattern.NomialTree;
import org.tutti.pattern.Tree;

/**
 * A gather or scatter over a tree of nodes whose first one is the root's. A message has the blocks of a subtree, which
 * are those of consecutive nodes: a piece for each rank, and empty ones where a node has fewer ranks than others.
 */
public abstract class SubtreeAlgorithm extends EqualBlocksAlgorithm {
    /** The tree. */
    protected final Tree tree;

    /** From, or to, how many children a node exchanges at a time, k. */
    protected final int ports;

    /**
     * @param collective what it does
     * @param shape which tree
     * @param memory what the catalogue says of the memory that it takes
     */
    protected SubtreeAlgorithm(Collective collective, Shape shape, String memory) {
        super(collective,
                new Description(shape.name, Order.ALWAYS, "1, ⌈log n⌉ more between nodes", "b·p·n at the root",
                        "b·p·(n − 1)", memory, shape.source).withPorts(shape.ports));
        this.tree = shape.tree;
        this.ports = shape.ports;
    }

    /**
     * Which tree, and what the algorithm is called over it.
     *
     * @param name the name, but for the ports
     * @param tree the tree
     * @param ports k
     * @param source where it was published
     */
    public record Shape(String name, Tree tree, int ports, String source) {
        /** Recursive halving, as Portals has it: ⌈log n⌉ steps, and the root's wire carries half of all in one. */
        public static final Shape HALVING = new Shape("halving", HalvingTree.INSTANCE, 1, "Portals collectives 2007");

        /**
         * The (k+1)-nomial tree (Qian and Afsahi, section 5.1.1): ⌈log n⌉ steps to the base of k + 1.
         *
         * @param ports k
         * @return the shape
         */
        public static Shape nomial(int ports) {
            return new Shape("tree", new NomialTree(ports), ports, "Qian, Afsahi 2008, section 5.1.1");
        }
    }

    /**
     * Finds the node at a position of the tree.
     *
     * @param team the ranks
     * @param top the root's node
     * @param position the position
     * @return the node
     */
    protected static int nodeAt(Team team, int top, int position) {
        return (top + position) % team.nodes();
    }

    /**
     * Finds where this rank's node is in the tree.
     *
     * @param team the ranks
     * @param top the root's node
     * @return the position
     */
    protected static int position(Team team, int top) {
        return Math.floorMod(team.node() - top, team.nodes());
    }

    /**
     * Counts the pieces of a subtree.
     *
     * @param team the ranks
     * @param position its first position
     * @return how many
     */
    protected final int pieces(Team team, int position) {
        return (tree.end(position, team.nodes()) - position) * team.ranksMax();
    }
}
