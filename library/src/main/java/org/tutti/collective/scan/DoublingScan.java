/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.scan;

import org.tutti.collective.Algorithm;
import org.tutti.collective.layout.CallShape;

/**
 * A scan by recursive doubling between the masters, the first ranks of the nodes (Hillis and Steele 1986). In step j
 * each node sends a combination to the node 2<sup>j</sup> further. It is the combination of the last 2<sup>j</sup>
 * nodes up to the sender, or of all nodes up to the sender if there are fewer. There are ⌈log₂ n⌉ steps of b bytes, and
 * n·⌈log₂ n⌉ − 2<sup>⌈log₂ n⌉</sup> + 1 messages. At most ⌊log₂ n⌋ messages wait for each other in a chain, because the
 * first nodes, which send in the last step, already have the combination that they send.
 *
 * <pre>
 *  6 nodes:    0 → 1 → 2 → 3 → 4 → 5      0 → 2   1 → 3   2 → 4   3 → 5      0 → 4   1 → 5
 * </pre>
 *
 * <p>{@link TwoLevelScan} describes the messages and the steps inside the nodes.
 */
public final class DoublingScan extends TwoLevelScan {
    private final BinomialScan binomial;

    /**
     * Creates the algorithm; one object serves all ranks.
     *
     * @param exclusive true for an exclusive scan, which omits a rank's own elements from its result
     */
    public DoublingScan(boolean exclusive) {
        super(exclusive, new Description("doubling", Order.ALWAYS, "2 + ⌊log₂ n⌋; as direct if n = 1 or not in blocks",
                "b·(p + 1)", "b·⌈log₂ n⌉", "b·(3 + ⌈log₂ n⌉) at masters, b at others", "Hillis, Steele 1986"));
        this.binomial = new BinomialScan(exclusive);
    }

    @Override
    protected Algorithm runsAs(CallShape shape) {
        Algorithm other = super.runsAs(shape);
        return other == this && shape.nodes() == 2 ? binomial : other;
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
