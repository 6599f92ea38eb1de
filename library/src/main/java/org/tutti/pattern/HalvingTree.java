/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.pattern;

/**
 * The tree of recursive halving, in which messages travel from one participant to all others, or back. A range of
 * positions is cut in the middle, and the first position of the upper half is a child of the first position of the
 * lower half. Both halves are cut in the same way.
 *
 * <pre>
 *  size 6:          0
 *               /   |   \
 *              1    2    3
 *                       / \
 *                      4   5
 * </pre>
 *
 * <p>The height is ⌊log₂ size⌋, and the root has ⌈log₂ size⌉ children, the most of all positions. Unlike in the
 * binomial tree, both halves of a range are about equally long if size is not a power of two.
 */
public final class HalvingTree implements Tree {
    /** The only instance; it has no state. */
    public static final HalvingTree INSTANCE = new HalvingTree();

    private HalvingTree() {}

    private static int middle(int first, int end) {
        return first + (end - first + 1) / 2;
    }

    @Override
    public int parent(int position, int size) {
        return (int) (find(position, size) >> Integer.SIZE);
    }

    @Override
    public int end(int position, int size) {
        return (int) find(position, size);
    }

    /** Returns the parent of a position in the upper 32 bits, and the end of its subtree in the lower 32 bits. */
    private static long find(int position, int size) {
        int parent = 0;
        int first = 0;
        int end = size;
        while (first != position) {
            int middle = middle(first, end);
            if (position < middle) {
                end = middle;
            } else {
                parent = first;
                first = middle;
            }
        }
        return (long) parent << Integer.SIZE | end;
    }

    @Override
    public int children(int position, int size) {
        int count = 0;
        for (int end = end(position, size); end - position > 1; end = middle(position, end)) {
            count++;
        }
        return count;
    }

    @Override
    public int child(int position, int index, int size) {
        int end = end(position, size);
        for (int i = children(position, size) - 1; i >= index; i--) {
            end = middle(position, end);
        }
        return end;
    }
}
