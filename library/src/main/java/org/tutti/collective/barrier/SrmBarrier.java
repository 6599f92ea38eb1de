/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.barrier;

import org.tutti.collective.Team;

/**
 * SRM's barrier (SRM 2003, section 2.2, "Shared Memory Barrier", and section 2.4, "Barrier"). In each node it is a flat
 * tree ({@link TwoLevelBarrier}). The masters of n nodes, each the first rank of its node, wait for each other in ⌈log₂
 * n⌉ steps ({@link MasterExchange}).
 */
public final class SrmBarrier extends TwoLevelBarrier {
    /** Creates the algorithm; one object serves all ranks. */
    public SrmBarrier() {
        super(new Description("srm", Order.ALWAYS, "2 + ⌈log₂ n⌉", "p−1 lines at a master", "0", "none",
                "SRM 2003, sections 2.2 and 2.4"));
    }

    @Override
    void awaitMasters(Team team) {
        MasterExchange.run(team);
    }
}
