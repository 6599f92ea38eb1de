/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.pattern;

/**
 * A tree over the positions 0 … size − 1, rooted at 0. The subtree of every position covers consecutive positions, of
 * which the position itself is the first. The children of a position are in ascending order. Therefore a position keeps
 * the order of positions if it combines with its children one after the other. The subtree of the last child takes
 * longest to reach.
 */
public interface Tree {
    /**
     * Returns the parent of a position.
     *
     * @param position the position, 1 to size − 1
     * @param size the number of positions
     * @return the parent's position
     */
    int parent(int position, int size);

    /**
     * Returns the number of children of a position.
     *
     * @param position the position, 0 to size − 1
     * @param size the number of positions
     * @return the number of children, 0 for a leaf
     */
    int children(int position, int size);

    /**
     * Returns a child of a position.
     *
     * @param position the position, 0 to size − 1
     * @param index the index of the child, 0 to {@link #children} − 1
     * @param size the number of positions
     * @return the child's position
     */
    int child(int position, int index, int size);

    /**
     * Returns the index of a position among the children of its parent.
     *
     * @param position the position, 1 to size − 1
     * @param size the number of positions
     * @return the index, from 0
     */
    default int indexAtParent(int position, int size) {
        int parent = parent(position, size);
        int index = 0;
        while (child(parent, index, size) != position) {
            index++;
        }
        return index;
    }

    /**
     * Returns the end of the subtree of a position.
     *
     * @param position the position, 0 to size − 1
     * @param size the number of positions
     * @return the first position after the subtree
     */
    default int end(int position, int size) {
        if (position == 0) {
            return size;
        }
        int parent = parent(position, size);
        int next = indexAtParent(position, size) + 1;
        return next < children(parent, size) ? child(parent, next, size) : end(parent, size);
    }
}
