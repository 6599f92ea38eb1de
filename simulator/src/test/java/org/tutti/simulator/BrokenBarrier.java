/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.barrier.Barrier;
import org.tutti.collective.stage.NodeTree;

/** A barrier by dissemination between nodes and a flat tree inside them, with a fault. */
final class BrokenBarrier extends Barrier {
    private final Fault fault;

    BrokenBarrier(Fault fault) {
        super(new Description("broken", Order.ALWAYS, "", "", "", "", ""));
        this.fault = fault;
    }

    @Override
    public void run(Team team, Call call) {
        if (!team.isMaster()) {
            team.post(Team.READY, 1);
            team.await(0, Team.READY, 1);
            return;
        }
        if (fault == Fault.MASTER_GOES_FIRST) {
            team.post(Team.READY, 1);
        }
        for (int other = 1; other < team.localSize() - (fault == Fault.ONE_RANK_IS_FORGOTTEN ? 1 : 0); other++) {
            team.await(other, Team.READY, 1);
        }
        int round = 0;
        int nodes = fault == Fault.ONE_ROUND_TOO_FEW ? team.nodes() / 2 : team.nodes();
        for (int distance = 1; distance < nodes; distance <<= 1) {
            int edge = NodeTree.edge(round++);
            team.outflow(edge).openNext((team.node() + distance) % team.nodes(), edge, 0);
            team.outflow(edge).signal();
            team.inflow(edge).openNext(Math.floorMod(team.node() - distance, team.nodes()), 0);
            team.inflow(edge).await();
        }
        if (fault != Fault.MASTER_GOES_FIRST) {
            team.post(Team.READY, 1);
        }
    }
}
