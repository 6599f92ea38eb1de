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

    /**
     * Returns whether this tree has the same edges as another one, in the same order.
     *
     * @param other the other tree
     * @param root the position of the root of both trees
     * @param size the number of positions of both trees
     * @return whether the trees are the same for this root and size
     */
    default boolean isLike(RootedTree other, int root, int size) {
        for (int position = 0; position < size; position++) {
            int children = children(position, root, size);
            if (children != other.children(position, root, size)) {
                return false;
            }
            for (int index = 0; index < children; index++) {
                if (child(position, index, root, size) != other.child(position, index, root, size)) {
                    return false;
                }
            }
        }
        return true;
    }

    /**
     * Returns whether each position has the same parent in this tree as in another one.
     *
     * @param other the other tree
     * @param root the position of the root of both trees
     * @param size the number of positions of both trees
     * @return whether the trees are the same for this root and size, except perhaps for the order of the children
     */
    default boolean hasParentsOf(RootedTree other, int root, int size) {
        for (int position = 0; position < size; position++) {
            if (position != root && parent(position, root, size) != other.parent(position, root, size)) {
                return false;
            }
        }
        return true;
    }
}
