/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.pattern;

/**
 * The Fibonacci tree, in which messages travel from one participant to all others, or back. It is the λ-tree with λ = 2
 * (Bar-Noy and Kipnis, Designing broadcasting algorithms in the postal model, 1992). It reaches all positions fastest
 * if a message takes two units of time to arrive and a sender may begin a message in each unit.
 *
 * <p>With t units of time left, a position can reach N(t) positions, including itself: N(0) = N(1) = 1, N(t) = N(t − 1)
 * + N(t − 2). It first sends to the first of the last N(t − 2) positions, from which all of these are reached. It keeps
 * the other N(t − 1) positions for the remaining t − 1 units.
 *
 * <pre>
 *  size 8:              0
 *             /     |     \      \
 *            1      2       3       5
 *                           |      / \
 *                           4     6   7
 * </pre>
 *
 * <p>A position has at most 1.44·log₂ size children.
 */
public final class FibonacciTree implements Tree {
    /** The only instance; it has no state. */
    public static final FibonacciTree INSTANCE = new FibonacciTree();

    private static final int[] REACH = reach();

    private FibonacciTree() {}

    private static int[] reach() {
        int[] reach = new int[46]; // the next number exceeds an int
        reach[0] = 1;
        reach[1] = 1;
        for (int time = 2; time < reach.length; time++) {
            reach[time] = reach[time - 1] + reach[time - 2];
        }
        return reach;
    }

    @Override
    public int parent(int position, int size) {
        return (int) (find(position, size) >>> Integer.SIZE);
    }

    @Override
    public int children(int position, int size) {
        int span = span(position, size);
        int count = 0;
        while (span > 1) {
            span = kept(span);
            count++;
        }
        return count;
    }

    @Override
    public int child(int position, int index, int size) {
        int span = span(position, size);
        for (int skip = children(position, size) - 1; skip > index; skip--) {
            span = kept(span);
        }
        return position + kept(span);
    }

    private static int span(int position, int size) {
        return (int) find(position, size);
    }

    /**
     * Returns two numbers for a position: its parent in the upper 32 bits, and the number of positions of its subtree
     * in the lower 32 bits.
     */
    private static long find(int position, int size) {
        int parent = 0;
        int root = 0;
        int span = size;
        while (root != position) {
            int kept = kept(span);
            if (position >= root + kept) {
                parent = root;
                root += kept;
                span -= kept;
            } else {
                span = kept;
            }
        }
        // the rest of the root's span, which begins at the root, may still have children
        return (long) parent << Integer.SIZE | span;
    }

    /** Returns the number of positions that remain in a root's subtree after the root has sent its first message. */
    private static int kept(int span) {
        int time = 1;
        while (REACH[time] < span) {
            time++;
        }
        return Math.min(span - 1, REACH[time - 1]);
    }
}
