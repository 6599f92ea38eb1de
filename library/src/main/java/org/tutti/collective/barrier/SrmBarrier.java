/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.barrier;

import org.tutti.collective.Call;
import org.tutti.collective.Cost;
import org.tutti.collective.Team;

/**
 * SRM's barrier. In a node a flat tree, one flag for each rank, each on a line of its own (paper: section 2.2, "Shared
 * Memory Barrier"): one rank is the master; every other rank sets its flag, and the master waits for all of them. The
 * masters wait for each other ({@link MasterExchange}; section 2.4, "Barrier"). Then the master says that all have
 * arrived.
 *
 * <p>The paper's master resets the flags of the others one by one; flags that only grow need no reset, so here the
 * others watch the one flag of the master.
 */
public final class SrmBarrier extends Barrier {
    private static final int MASTER = 0;
    private static final int ARRIVED = 1;

    /** The only object that is needed. */
    public SrmBarrier() {
        super(new Description("srm", Order.ALWAYS, "2 + ⌈log₂ n⌉", "p−1 lines at a master", "0", "none",
                "SRM 2003, sections 2.2 and 2.4"));
    }

    @Override
    public Cost cost(int nodes, int localRanks, long bytes) {
        // the master looks at p − 1 lines one after the other; then one line is read by all
        return new Cost(localRanks == 1 ? 0 : localRanks, 0, 0, MasterExchange.rounds(nodes), 0);
    }

    @Override
    public void run(Team team, Call call) {
        if (team.isMaster()) {
            team.awaitOthers(Team.READY, ARRIVED);
            MasterExchange.run(team);
            team.post(Team.READY, ARRIVED);
        } else {
            team.post(Team.READY, ARRIVED);
            team.await(MASTER, Team.READY, ARRIVED);
        }
    }
}
