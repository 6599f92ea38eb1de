/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.pattern;

/**
 * A tree over positions 0 … size − 1, rooted at 0. The subtree of every position covers consecutive positions, of which
 * it is the first. The children of a position are in ascending order, so a position that combines with its children one
 * after the other keeps the order of positions. The last child has the subtree that takes longest to reach.
 */
public interface Tree {
    /**
     * Finds the parent of a position.
     *
     * @param position 1 to size − 1
     * @param size the number of positions
     * @return its parent
     */
    int parent(int position, int size);

    /**
     * Counts the children of a position.
     *
     * @param position 0 to size − 1
     * @param size the number of positions
     * @return how many children it has, 0 for a leaf
     */
    int children(int position, int size);

    /**
     * Finds a child of a position.
     *
     * @param position 0 to size − 1
     * @param index 0 to {@link #children} − 1
     * @param size the number of positions
     * @return the child's position
     */
    int child(int position, int index, int size);

    /**
     * Tells which child of its parent a position is.
     *
     * @param position 1 to size − 1
     * @param size the number of positions
     * @return its index among its parent's children
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
     * Finds where the subtree of a position ends.
     *
     * @param position 0 to size − 1
     * @param size the number of positions
     * @return the first position behind it
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
