/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.barrier;

import org.tutti.collective.Call;
import org.tutti.collective.Team;

/**
 * A barrier on two levels, inside the nodes and between them. In a node it is a flat tree, with a flag for each rank on
 * a cache line of its own (SRM 2003, section 2.2, "Shared Memory Barrier"). Every rank except the master, the node's
 * first rank, sets its flag, and the master waits for these flags. The masters wait for each other. Then each master
 * sets its own flag, for which the ranks of its node wait.
 *
 * <p>The paper's master releases the other ranks by resetting their flags one by one. Tutti's flags are words that only
 * grow and need no reset, so the other ranks all wait for the one flag of the master.
 */
abstract class TwoLevelBarrier extends Barrier {
    TwoLevelBarrier(Description description) {
        super(description);
    }

    /** Waits until the master of every node has called this method. Only masters call it. */
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
