/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.scan;

/**
 * Scan up and down a binomial tree of masters (Blelloch 1990; the messages are the operators of Brent and Kung 1982).
 * Node i ends a range of 2<sup>j</sup> nodes for each power of two that divides i + 1.
 *
 * <p>Up, for j from 0 on: who ends a range of 2<sup>j</sup> nodes, but no greater one, sends to the node 2<sup>j</sup>
 * further. That one ends a range twice as great, and has then what all of it has. Down, for j backwards: who ends a
 * range of more than 2<sup>j</sup> nodes has what all nodes up to it have by now, and sends it to the node
 * 2<sup>j</sup> further, which lacks just that. Who has no node at that distance does not send.
 *
 * <pre>
 *  8 nodes, up:    0 → 1   2 → 3   4 → 5   6 → 7      down:            3 → 5
 *                          1 → 3           5 → 7              1 → 2   3 → 4   5 → 6
 *                                  3 → 7
 * </pre>
 *
 * <p>Fewer than 2·n messages of b bytes, where {@link DoublingScan} has some n·log₂ n; but for powers of two from 4 on
 * 2·log₂ n − 2 of them wait for each other, and elsewhere no more than for the next one. So it is for nodes that share
 * cores or a wire, where what all of them put together counts.
 *
 * <p>{@link TwoLevelScan} says what a message is, and what is done inside the nodes.
 */
public final class BinomialScan extends TwoLevelScan {
    /**
     * @param exclusive whether a rank's own elements are left out
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
