/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.pattern;

/**
 * A tree in which messages travel from one participant to all others, or back. Its vertices are the positions 0 … size
 * − 1, and its root is position 0. The subtree of every position covers consecutive positions, of which the position
 * itself is the first. The children of a position are in ascending order. Therefore a position that combines the
 * results of its children one after the other keeps the order of positions, as non-commutative operators require. A
 * message takes longest to reach the subtree of the last child.
 *
 * <p>If another participant is to be the root, the tree is turned. The root takes position 0, and the others follow in
 * ascending order, participant 0 after the last.
 */
public interface Tree extends RootedTree {
    /**
     * Returns the parent of a position in this tree.
     *
     * @param position the position, 1 to size − 1
     * @param size the number of positions
     * @return the parent's position
     */
    int parent(int position, int size);

    /**
     * Returns the number of children of a position in this tree.
     *
     * @param position the position, 0 to size − 1
     * @param size the number of positions
     * @return the number of children, 0 for a leaf
     */
    int children(int position, int size);

    /**
     * Returns one of the children of a position in this tree, which are in ascending order.
     *
     * @param position the position, 0 to size − 1
     * @param index the index of the child, 0 to {@link #children} − 1
     * @param size the number of positions
     * @return the child's position
     */
    int child(int position, int index, int size);

    @Override
    default int parent(int position, int root, int size) {
        return turned(parent(unturned(position, root, size), size), root, size);
    }

    @Override
    default int children(int position, int root, int size) {
        return children(unturned(position, root, size), size);
    }

    @Override
    default int child(int position, int index, int root, int size) {
        return turned(child(unturned(position, root, size), index, size), root, size);
    }

    /**
     * Returns the index that a position has among the children of its parent, in the tree that has a given root.
     *
     * @param position any position except the root
     * @param root the position of the root
     * @param size the number of positions
     * @return the index, from 0
     */
    default int indexAtParent(int position, int root, int size) {
        return indexAtParent(unturned(position, root, size), size);
    }

    private static int unturned(int position, int root, int size) {
        return position >= root ? position - root : position - root + size;
    }

    private static int turned(int position, int root, int size) {
        return position < size - root ? position + root : position - (size - root);
    }

    /**
     * Returns the index that a position has among the children of its parent.
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
     * Returns whether this tree has the same edges as another one, in the same order.
     *
     * @param other the other tree
     * @param size the number of positions of both trees
     * @return whether the trees are the same for this size
     */
    default boolean isLike(Tree other, int size) {
        return isLike(other, 0, size);
    }

    /**
     * Returns the end of the subtree of a position, which covers consecutive positions.
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
