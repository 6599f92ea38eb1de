/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.pattern;

/**
 * The binomial tree over positions 0 … size − 1, rooted at 0. The children of position p are p + 1, p + 2, p + 4, … as
 * long as the added power of two is below p's lowest set bit (the root has no such limit) and the sum is below size.
 * The subtree of the child p + 2<sup>j</sup> covers the consecutive positions p + 2<sup>j</sup> … p + 2<sup>j+1</sup> −
 * 1, so combining a position with its children in ascending order keeps the order of positions.
 *
 * <pre>
 *  size 8:            0
 *              /    |    \
 *            1      2      4
 *                   |    /   \
 *                   3   5     6
 *                             |
 *                             7
 * </pre>
 *
 * <p>Its height is ⌊log₂ size⌋.
 */
public final class BinomialTree {
    private BinomialTree() {}

    /**
     * Finds the parent of a position.
     *
     * @param position 1 or more
     * @return the position without its lowest set bit
     */
    public static int parent(int position) {
        return position & position - 1;
    }

    /**
     * Counts the children of a position.
     *
     * @param position 0 to size − 1
     * @param size the number of positions
     * @return how many children it has, 0 for a leaf
     */
    public static int children(int position, int size) {
        int count = 0;
        while (hasChild(position, count, size)) {
            count++;
        }
        return count;
    }

    /**
     * Finds a child of a position.
     *
     * @param position 0 to size − 1
     * @param index 0 to {@link #children} − 1
     * @return the child's position
     */
    public static int child(int position, int index) {
        return position + (1 << index);
    }

    private static boolean hasChild(int position, int index, int size) {
        return index < Integer.SIZE - 2 && lowestSetBit(position) > index
                && child(position, index) < size;
    }

    private static int lowestSetBit(int position) {
        return Integer.numberOfTrailingZeros(position); // 32 for the root
    }
}
