/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.scan;

import org.tutti.Collective;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.blocks.EqualBlocksAlgorithm;
import org.tutti.collective.machine.Area;

/**
 * An algorithm for scan. A scan writes to each rank's target the combination of the sources of all ranks up to and
 * including that rank. An exclusive scan combines the sources of the ranks before that rank only, and leaves the target
 * of rank 0 unchanged.
 */
public abstract class Scan extends EqualBlocksAlgorithm {
    /**
     * Creates the algorithm.
     *
     * @param exclusive true for an exclusive scan, which omits a rank's own source from its result
     * @param description the algorithm's entry in the catalogue
     */
    protected Scan(boolean exclusive, Description description) {
        super(exclusive ? Collective.EXCLUSIVE_SCAN : Collective.SCAN, description);
    }

    /**
     * {@return whether this scan is exclusive, so that a rank's result omits the rank's own source}
     */
    protected final boolean isExclusive() {
        return collective() == Collective.EXCLUSIVE_SCAN;
    }

    /**
     * Combines this rank's target, the left operand, with the elements of one more rank, and writes the result to the
     * target. Ranks are taken in ascending order.
     *
     * @param team the team of the calling rank
     * @param call the call
     * @param isFirst true for the elements of the first rank, which are only copied to the target
     * @param elements the elements of the rank that comes next in the order of the ranks
     */
    static void take(Team team, Call call, boolean isFirst, Area elements) {
        if (isFirst) {
            team.copy(elements, 0, call.target(), 0, call.bytes());
        } else {
            team.combine(call.kernel(), call.target(), 0, elements, 0, call.target(), 0, call.bytes());
        }
    }
}
