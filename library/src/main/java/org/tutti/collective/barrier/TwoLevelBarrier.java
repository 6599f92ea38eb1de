/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.barrier;

import org.tutti.collective.Call;
import org.tutti.collective.Team;

/**
 * A barrier on two levels. In a node it is a flat tree, with one flag for each rank, each on a line of its own (SRM
 * 2003, section 2.2, "Shared Memory Barrier"). One rank is the master; every other rank sets its flag, and the master
 * waits for all flags. The masters wait for each other. Then each says to its node that all ranks have arrived.
 *
 * <p>The paper's master resets the flags of the others one by one. Flags that only grow need no reset, so here the
 * others watch the one flag of the master.
 */
abstract class TwoLevelBarrier extends Barrier {
    TwoLevelBarrier(Description description) {
        super(description);
    }

    /** Returns when every node's master has called it. */
    abstract void awaitMasters(Team team);

    @Override
    public final void run(Team team, Call call) {
        if (team.isMaster()) {
            team.awaitOthers(Team.READY, ARRIVED);
            awaitMasters(team);
            team.post(Team.READY, ARRIVED);
        } else {
            team.post(Team.READY, ARRIVED);
            team.await(Team.MASTER, Team.READY, ARRIVED);
        }
    }
}
