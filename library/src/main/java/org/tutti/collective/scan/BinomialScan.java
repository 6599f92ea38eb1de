/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.scan;

/**
 * A scan up and down a binomial tree of masters (Blelloch 1990; its messages correspond to the operators of Brent and
 * Kung 1982). Nodes form ranges: node i is the last of a range of 2<sup>j</sup> nodes for each power 2<sup>j</sup> that
 * divides i + 1.
 *
 * <p>On the way up, j grows from 0. A node that is the last of a range of 2<sup>j</sup> nodes, and of no longer range,
 * sends to the node 2<sup>j</sup> further. The receiver is the last of a range of twice the length, and then has the
 * combination of that range. On the way down, j falls. A node that is the last of a range of more than 2<sup>j</sup>
 * nodes already has the combination of all nodes up to itself. It sends this combination to the node 2<sup>j</sup>
 * further, which needs only this message. A node sends nothing if there is no node at that distance.
 *
 * <pre>
 *  8 nodes, up:    0 → 1   2 → 3   4 → 5   6 → 7      down:            3 → 5
 *                          1 → 3           5 → 7              1 → 2   3 → 4   5 → 6
 *                                  3 → 7
 * </pre>
 *
 * <p>For n nodes and b bytes a rank there are fewer than 2·n messages of b bytes, while {@link DoublingScan} has some
 * n·log₂ n. The longest chain of messages that wait for each other has 2·log₂ n − 2 messages if n is a power of two, 4
 * or more. For another n it is no longer than for the next power of two. The algorithm suits nodes that share cores or
 * a link, because their time depends on the number of all messages.
 *
 * <p>{@link TwoLevelScan} describes the messages and the steps inside the nodes.
 */
public final class BinomialScan extends TwoLevelScan {
    /**
     * Creates the algorithm; one object serves all ranks.
     *
     * @param exclusive true for an exclusive scan, which omits a rank's own elements from its result
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
