/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.blocks;

import org.tutti.Collective;
import org.tutti.collective.Team;
import org.tutti.pattern.HalvingTree;
import org.tutti.pattern.NomialTree;
import org.tutti.pattern.Tree;

/**
 * A gather or scatter over a tree of nodes, rooted at the root's node. A message has the blocks of a subtree, which
 * covers consecutive nodes: a piece for each rank, and empty pieces where a node has fewer ranks than others.
 */
public abstract class SubtreeAlgorithm extends EqualBlocksAlgorithm {
    /** The tree of nodes. */
    protected final Tree tree;

    /** The number of children with which a node exchanges at a time, k. */
    protected final int ports;

    /**
     * @param collective the collective
     * @param shape the tree
     * @param memory the catalogue's entry for the memory
     */
    protected SubtreeAlgorithm(Collective collective, Shape shape, String memory) {
        super(collective,
                new Description(shape.name, Order.ALWAYS, "1, ⌈log n⌉ more between nodes", "b·p·n at the root",
                        "b·p·(n − 1)", memory, shape.source).withPorts(shape.ports));
        this.tree = shape.tree;
        this.ports = shape.ports;
    }

    /**
     * A tree, and the name of the algorithm over it.
     *
     * @param name the name, without the ports
     * @param tree the tree
     * @param ports the number of children with which a node exchanges at a time, k
     * @param source where it was published
     */
    public record Shape(String name, Tree tree, int ports, String source) {
        /**
         * Recursive halving, as Portals has it: ⌈log n⌉ steps, and the root's link carries half of all bytes in one of
         * them.
         */
        public static final Shape HALVING = new Shape("halving", HalvingTree.INSTANCE, 1, "Portals collectives 2007");

        /**
         * The (k+1)-nomial tree (Qian and Afsahi 2008, section 5.1.1): ⌈log<sub>k+1</sub> n⌉ steps.
         *
         * @param ports k
         * @return the shape
         */
        public static Shape nomial(int ports) {
            return new Shape("tree", new NomialTree(ports), ports, "Qian, Afsahi 2008, section 5.1.1");
        }
    }

    /**
     * Returns the node at a position of the tree.
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
     * Returns the position of this rank's node in the tree.
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
