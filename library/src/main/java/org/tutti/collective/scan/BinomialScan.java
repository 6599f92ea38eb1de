/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.scan;

/**
 * Scan up and down a binomial tree of masters (Blelloch 1990; the messages are the operators of Brent and Kung 1982).
 * Node i ends a range of 2<sup>j</sup> nodes for each power of two that divides i + 1.
 *
 * <p>Up, for j from 0 on: a node that ends a range of 2<sup>j</sup> nodes, but no greater one, sends to the node
 * 2<sup>j</sup> further. That node ends a range of twice the length, and then has the combination of all of it. Down,
 * with j in reverse order: a node that ends a range of more than 2<sup>j</sup> nodes already has the combination of all
 * nodes up to it, and sends it to the node 2<sup>j</sup> further, which lacks just that. A node with no node at that
 * distance does not send.
 *
 * <pre>
 *  8 nodes, up:    0 → 1   2 → 3   4 → 5   6 → 7      down:            3 → 5
 *                          1 → 3           5 → 7              1 → 2   3 → 4   5 → 6
 *                                  3 → 7
 * </pre>
 *
 * <p>There are fewer than 2·n messages of b bytes; {@link DoublingScan} has some n·log₂ n. But if n is a power of two
 * from 4 on, 2·log₂ n − 2 of them wait for each other; for other n, no more than for the next power of two. It suits
 * nodes that share cores or a link, because there the sum of all puts counts.
 *
 * <p>{@link TwoLevelScan} describes the messages, and the work inside the nodes.
 */
public final class BinomialScan extends TwoLevelScan {
    /**
     * @param exclusive true if a rank's own elements are left out
     */
    public BinomialScan(boolean exclusive) {
        super(exclusive, new Description("binomial", Order.ALWAYS,
                "at most 1 + 2·⌈log₂ n⌉; as direct if n = 1 or not in blocks", "b·(p + 1)", "b·⌊log₂ n⌋",
                "b·(3 + ⌈log₂ n⌉) at masters, b at others", "Blelloch 1990; Brent, Kung 1982"));
    }

    @Override
    int steps(int nodes) {
        return 2 * distances(nodes);
    }

    @Override
    int bit(int step, int nodes) {
        return Math.min(step, steps(nodes) - 1 - step);
    }

    @Override
    boolean isSender(int node, int step, int nodes) {
        int greatest = Integer.numberOfTrailingZeros(node + 1); // of the ranges that it ends
        boolean isUp = step < distances(nodes);
        return isUp ? greatest == bit(step, nodes) : greatest > bit(step, nodes);
    }
}
