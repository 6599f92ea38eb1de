/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.barrier;

import org.tutti.collective.Team;

/**
 * SRM's barrier in a node: a flat tree, one flag for each rank, each on a line of its own (paper: section 2.2, "Shared
 * Memory Barrier"). One rank is the master. Every other rank sets its flag; the master waits for all of them and then
 * says that all have arrived.
 *
 * <p>The paper's master resets the flags of the others one by one; flags that only grow need no reset, so here the
 * others watch the one flag of the master.
 */
public final class SrmBarrier extends Barrier {
    private static final int MASTER = 0;
    private static final int ARRIVED = 1;

    /** The only object that is needed. */
    public SrmBarrier() {
        super(new Description("srm", true, "2", "p−1 lines at the master", "none", "SRM 2003, section 2.2"));
    }

    @Override
    public void run(Team team) {
        if (team.rank() == MASTER) {
            team.awaitOthers(Team.READY, ARRIVED);
            team.post(Team.READY, ARRIVED);
        } else {
            team.post(Team.READY, ARRIVED);
            team.await(MASTER, Team.READY, ARRIVED);
        }
    }
}
