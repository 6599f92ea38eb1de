/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.pattern;

/**
 * The binomial tree, in which messages travel from one participant to all others, or back. The children of position p
 * are p + 1, p + 2, p + 4, and so on, while the added power of two is below p's lowest set bit and the sum is below
 * size. For the root the first limit does not apply. The subtree of the child p + 2<sup>j</sup> covers the positions p
 * + 2<sup>j</sup> … p + 2<sup>j+1</sup> − 1.
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
 * <p>The height is ⌊log₂ size⌋, and the root has ⌈log₂ size⌉ children, the most of all positions.
 */
public final class BinomialTree implements Tree {
    /** The only instance; it has no state. */
    public static final BinomialTree INSTANCE = new BinomialTree();

    private BinomialTree() {}

    @Override
    public int parent(int position, int size) {
        return position & position - 1;
    }

    @Override
    public int children(int position, int size) {
        int count = 0;
        while (hasChild(position, count, size)) {
            count++;
        }
        return count;
    }

    @Override
    public int child(int position, int index, int size) {
        return position + (1 << index);
    }

    @Override
    public int indexAtParent(int position, int size) {
        return Integer.numberOfTrailingZeros(position);
    }

    private static boolean hasChild(int position, int index, int size) {
        int lowestSetBit = Integer.numberOfTrailingZeros(position); // 32 for the root
        return index < Integer.SIZE - 2 && lowestSetBit > index && position + (1L << index) < size;
    }
}
