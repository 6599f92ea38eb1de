/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.scan;

/**
 * Scan by recursive doubling between the masters (Hillis and Steele 1986): in step j each node sends the combination of
 * the last 2<sup>j</sup> nodes, itself included, or of as many as there are, to the node at distance 2<sup>j</sup>.
 * ⌈log₂ n⌉ steps of b bytes, and n·⌈log₂ n⌉ − 2<sup>⌈log₂ n⌉</sup> + 1 messages. Only ⌊log₂ n⌋ of these wait for each
 * other, because the first nodes already have what they send last.
 *
 * <pre>
 *  6 nodes:    0 → 1 → 2 → 3 → 4 → 5      0 → 2   1 → 3   2 → 4   3 → 5      0 → 4   1 → 5
 * </pre>
 *
 * <p>{@link TwoLevelScan} describes the messages, and the work inside the nodes.
 */
public final class DoublingScan extends TwoLevelScan {
    /**
     * @param exclusive true if a rank's own elements are left out
     */
    public DoublingScan(boolean exclusive) {
        super(exclusive, new Description("doubling", Order.ALWAYS, "2 + ⌊log₂ n⌋; as direct if n = 1 or not in blocks",
                "b·(p + 1)", "b·⌈log₂ n⌉", "b·(3 + ⌈log₂ n⌉) at masters, b at others", "Hillis, Steele 1986"));
    }

    @Override
    int steps(int nodes) {
        return distances(nodes);
    }

    @Override
    int bit(int step, int nodes) {
        return step;
    }

    @Override
    boolean isSender(int node, int step, int nodes) {
        return true;
    }
}
