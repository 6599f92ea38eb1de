/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.scan;

/**
 * Scan up and down a binomial tree of masters (Blelloch 1990; the messages are the operators of Brent and Kung, 1982).
 * Up, at distances 2<sup>j</sup> from j = 0 on: the nodes before every multiple of 2<sup>j+1</sup> get what the first
 * half of the 2<sup>j+1</sup> nodes has that end with them. Down, at the same distances backwards: as many nodes after
 * each multiple of 2<sup>j+1</sup>, the last of them gets what all nodes before that have. Who has no node at that
 * distance does not send.
 *
 * <pre>
 *  8 nodes, up:    0 → 1   2 → 3   4 → 5   6 → 7      down:            3 → 5
 *                          1 → 3           5 → 7              1 → 2   3 → 4   5 → 6
 *                                  3 → 7
 * </pre>
 *
 * <p>Each node but those before powers of two gets one message on the way down; so there are fewer than 2·n of them,
 * where {@link DoublingScan} has n·log₂ n. The price is their depth: 2·log₂ n − 2 in a row for powers of two from 4 on,
 * as nobody waits for steps that are not his. It wins when what nodes put counts, not the latency of one put.
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

    /** The last of 2<sup>bit</sup> nodes, on the way up of no more, on the way down of more. */
    @Override
    boolean isSender(int node, int step, int nodes) {
        int ends = Integer.numberOfTrailingZeros(node + 1);
        return step < distances(nodes) ? ends == bit(step, nodes) : ends > bit(step, nodes);
    }

    /**
     * The node before number m waits for one message for each power of two up to the greatest in m, and one for each
     * further one that m is a sum of. The most such powers have n, and numbers below it that end in ones.
     */
    @Override
    int messagesInARow(int nodes) {
        int most = messagesBefore(nodes);
        for (int rest = nodes; rest > 1; rest &= rest - 1) {
            most = Math.max(most, messagesBefore(rest - 1));
        }
        return most;
    }

    private static int messagesBefore(int number) {
        return Integer.SIZE - 1 - Integer.numberOfLeadingZeros(number) + Integer.bitCount(number) - 1;
    }
}
