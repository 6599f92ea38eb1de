/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.barrier;

import org.tutti.collective.Call;
import org.tutti.collective.Team;

/**
 * A barrier without a master, for few ranks: in a node everybody sets its flag, and then waits for everybody's. One
 * step instead of two: with two ranks each waits for one line, and both lines cross at the same time. With more ranks
 * than cores, too, whoever runs last needs nobody else to go on.
 *
 * <pre>
 *  3 ranks:   0: ARRIVED, waits for 1 and 2      1: ARRIVED, waits for 2 and 0      2: ARRIVED, waits for 0 and 1
 * </pre>
 *
 * <p>But p·(p − 1) lines cross, where {@link SrmBarrier} takes 2·(p − 1). On several nodes a master has to wait
 * for other nodes anyway, so there it is the same as that.
 */
public final class FlatBarrier extends Barrier {
    private static final SrmBarrier SRM = new SrmBarrier();

    /** Creates the algorithm; one object serves all ranks. */
    public FlatBarrier() {
        super(new Description("flat", Order.ALWAYS, "1; n > 1 as srm", "p−1 lines at every rank", "0", "none",
                "Tutti: baseline"));
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
