/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.scan;

import org.tutti.Collective;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.blocks.EqualBlocksAlgorithm;
import org.tutti.collective.machine.Area;

/**
 * A way to do a scan: the sources of all ranks up to one are combined in its target; or, exclusively, those of all
 * ranks before it, and the target of rank 0 stays as it is.
 */
public abstract class Scan extends EqualBlocksAlgorithm {
    /**
     * @param exclusive whether a rank's own source is left out
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
     * Takes the elements of the next rank into this one's target.
     *
     * @param team the ranks
     * @param call what is called
     * @param isFirst whether they are the first, which are copied
     * @param elements where they are
     */
    static void take(Team team, Call call, boolean isFirst, Area elements) {
        if (isFirst) {
            team.copy(elements, 0, call.target(), 0, call.bytes());
        } else {
            team.combine(call.kernel(), call.target(), 0, elements, 0, call.target(), 0, call.bytes());
        }
    }
}
