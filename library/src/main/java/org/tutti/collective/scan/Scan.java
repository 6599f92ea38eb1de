/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.scan;

import org.tutti.Collective;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.blocks.EqualBlocksAlgorithm;
import org.tutti.collective.machine.Area;

/**
 * An algorithm for scan: it combines the sources of all ranks up to a rank in that rank's target. An exclusive scan
 * combines the sources of all ranks before it, and leaves the target of rank 0 as it is.
 */
public abstract class Scan extends EqualBlocksAlgorithm {
    /**
     * @param exclusive true if a rank's own source is left out
     * @param description its entry in the catalogue
     */
    protected Scan(boolean exclusive, Description description) {
        super(exclusive ? Collective.EXCLUSIVE_SCAN : Collective.SCAN, description);
    }

    /**
     * {@return whether a rank's own source is left out}
     */
    protected final boolean isExclusive() {
        return collective() == Collective.EXCLUSIVE_SCAN;
    }

    /**
     * Combines the elements of the next rank into this rank's target.
     *
     * @param team the ranks
     * @param call the call
     * @param isFirst true if they are the first elements, which are copied
     * @param elements the elements of the next rank
     */
    static void take(Team team, Call call, boolean isFirst, Area elements) {
        if (isFirst) {
            team.copy(elements, 0, call.target(), 0, call.bytes());
        } else {
            team.combine(call.kernel(), call.target(), 0, elements, 0, call.target(), 0, call.bytes());
        }
    }
}
