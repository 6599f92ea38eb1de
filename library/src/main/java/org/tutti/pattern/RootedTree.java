/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.pattern;

/**
 * A tree over the positions 0 … size − 1, any of which may be the root. Every participant names the root, and then
 * computes its own parent and children without asking the others. A position can combine with its children one after
 * the other, each on its side, in the order in which they are listed. The order of positions is kept for every root by
 * a {@link LevelTree}, and for root 0 by a {@link Tree}.
 */
public interface RootedTree {
    /**
     * Returns the parent of a position in the tree that has a given root.
     *
     * @param position any position except the root
     * @param root the position of the root
     * @param size the number of positions
     * @return the parent of the position
     */
    int parent(int position, int root, int size);

    /**
     * Returns the number of children of a position in the tree that has a given root.
     *
     * @param position the position, 0 to size − 1
     * @param root the position of the root
     * @param size the number of positions
     * @return the number of children, 0 for a leaf
     */
    int children(int position, int root, int size);

    /**
     * Returns one of the children of a position in the tree that has a given root.
     *
     * @param position the position, 0 to size − 1
     * @param index the index of the child, 0 to {@link #children} − 1
     * @param root the position of the root
     * @param size the number of positions
     * @return the child's position
     */
    int child(int position, int index, int root, int size);
}
