/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.pattern;

/**
 * The binary tree, in which messages travel from one participant to all others, or back. A participant is named by its
 * position, from 0. The subtree of a position consists of the position, then its first subtree, and then its second
 * subtree, which has as many positions as the first or one more.
 *
 * <pre>
 *  size 8:          0
 *              /         \
 *            1             4
 *           / \           / \
 *          2   3         5   6
 *                             |
 *                             7
 * </pre>
 *
 * <p>The height is ⌊log₂ size⌋, and a position has at most 2 children.
 */
public final class BinaryTree implements Tree {
    /** The only instance; it has no state. */
    public static final BinaryTree INSTANCE = new BinaryTree();

    private BinaryTree() {}

    @Override
    public int parent(int position, int size) {
        int root = 0;
        int span = size;
        while (true) {
            int second = second(root, span);
            int next = span > 2 && position >= second ? second : root + 1;
            if (next == position) {
                return root;
            }
            span = next == second ? root + span - second : second - next;
            root = next;
        }
    }

    @Override
    public int children(int position, int size) {
        return Math.min(2, span(position, size) - 1);
    }

    @Override
    public int child(int position, int index, int size) {
        int span = span(position, size);
        return index == children(position, size) - 1 && span > 2 ? second(position, span) : position + 1;
    }

    @Override
    public int indexAtParent(int position, int size) {
        return position - 1 == parent(position, size) ? 0 : 1;
    }

    /** Returns the number of positions in the subtree of a position. */
    private static int span(int position, int size) {
        int root = 0;
        int span = size;
        while (root != position) {
            int second = second(root, span);
            int next = span > 2 && position >= second ? second : root + 1;
            span = next == second ? root + span - second : second - next;
            root = next;
        }
        return span;
    }

    /**
     * Returns the position at which the second subtree of a position begins. If the position and its subtrees have
     * fewer than three positions, the result is the end of the subtree.
     */
    private static int second(int root, int span) {
        return span > 2 ? root + 1 + (span - 1) / 2 : root + span;
    }
}
