/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.barrier;

import org.tutti.collective.Algorithm;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.layout.CallShape;

/**
 * A barrier without a master, for nodes with few ranks. Every rank of a node sets its flag, and then waits for the
 * flags of all other ranks. This takes one step, and a barrier with a master takes two. If a node has two ranks, each
 * waits for one cache line, and both lines move between the cores at the same time. If there are more ranks than cores,
 * the rank that runs last finds all other flags set and goes on without waiting.
 *
 * <pre>
 *  3 ranks:   0: ARRIVED, waits for 1 and 2      1: ARRIVED, waits for 2 and 0      2: ARRIVED, waits for 0 and 1
 * </pre>
 *
 * <p>For p ranks on a node, p·(p − 1) lines move between cores; in {@link SrmBarrier} 2·(p − 1) lines do. On several
 * nodes a master has to wait for other nodes anyway, so this barrier then takes the same steps as {@code SrmBarrier}.
 */
public final class FlatBarrier extends Barrier {
    private static final SrmBarrier SRM = new SrmBarrier();

    /** Creates the algorithm; one object serves all ranks. */
    public FlatBarrier() {
        super(new Description("flat", Order.ALWAYS, "1; n > 1 as srm", "p−1 lines at every rank", "0", "none",
                "Tutti: baseline"));
    }

    @Override
    protected Algorithm runsAs(CallShape shape) {
        return shape.nodes() > 1 ? SRM : this;
    }

    @Override
    public void run(Team team, Call call) {
        if (team.nodes() == 1) {
            team.post(Team.READY, ARRIVED);
            team.awaitOthers(Team.READY, ARRIVED);
        } else {
            SRM.run(team, call);
        }
    }
}
