/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import org.tutti.Collective;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.flow.Inflow;
import org.tutti.collective.flow.Outflow;
import org.tutti.collective.machine.Area;

/** A copy of the exclusive scan by recursive doubling between masters with a fault; messages come to eager buffers. */
final class BrokenTwoLevelScan extends BrokenBlocks {
    private static final long BEFORE_IS_SHOWN = 2;

    /** The places in a window, after that for the rank's own elements. */
    private static final int TOTAL = 1;
    private static final int BEFORE = 2;
    private static final int PLACES = 3;

    BrokenTwoLevelScan(Fault fault) {
        super(Collective.EXCLUSIVE_SCAN, fault);
    }

    @Override
    public void run(Team team, Call call) {
        long bytes = call.bytes();
        Area target = call.target();
        Area own = team.show(PLACES * bytes);
        team.copy(call.source(), 0, own, 0, bytes);
        team.post(Team.READY, SHOWN);
        if (team.isMaster()) {
            exchange(team, call, own);
            if (team.node() > 0) {
                team.copy(own, BEFORE * bytes, target, 0, bytes);
            }
            return;
        }
        team.copy(shown(team, 0, bytes), 0, target, 0, bytes);
        for (int place = 1; place < team.localRank(); place++) {
            team.combine(call.kernel(), target, 0, shown(team, place, bytes), 0, target, 0, bytes);
        }
        if (team.node() > 0) {
            if (fault != Fault.WHAT_IS_BEFORE_THE_NODE_IS_NOT_AWAITED) {
                team.await(MASTER, Team.READY, BEFORE_IS_SHOWN);
            }
            team.combine(call.kernel(), team.shown(MASTER, PLACES * bytes), BEFORE * bytes, target, 0, target, 0,
                    bytes);
        }
    }

    private static Area shown(Team team, int place, long bytes) {
        team.await(place, Team.READY, SHOWN);
        return team.shown(place, PLACES * bytes);
    }

    private void exchange(Team team, Call call, Area own) {
        long bytes = call.bytes();
        team.copy(own, 0, own, TOTAL * bytes, bytes);
        for (int place = 1; place < team.localSize(); place++) {
            team.combine(call.kernel(), own, TOTAL * bytes, shown(team, place, bytes), 0, own, TOTAL * bytes, bytes);
        }
        for (int distance = 1; distance < team.nodes(); distance *= 2) {
            if (team.node() + distance < team.nodes()) {
                send(team, team.node() + distance, own, bytes);
            }
            if (team.node() >= distance) {
                receive(team, call, distance, own);
                if (fault == Fault.READY_BEFORE_ALL_HAS_COME && distance == 1) {
                    team.post(Team.READY, BEFORE_IS_SHOWN);
                }
            }
        }
        if (fault != Fault.READY_BEFORE_ALL_HAS_COME) {
            team.post(Team.READY, BEFORE_IS_SHOWN);
        }
    }

    private static void send(Team team, int receiver, Area own, long bytes) {
        Outflow out = team.outflow(team.pair(receiver));
        out.openPair(receiver, bytes, 1);
        out.send(own, TOTAL * bytes, bytes);
    }

    private void receive(Team team, Call call, int distance, Area own) {
        long bytes = call.bytes();
        int sender = team.node() - distance;
        Inflow in = team.inflow(team.pair(sender));
        in.openPair(sender, bytes, 1, own, 0);
        Area arrived = in.await();
        if (distance == 1) {
            team.copy(arrived, 0, own, BEFORE * bytes, bytes);
        } else {
            team.combine(call.kernel(), arrived, 0, own, BEFORE * bytes, own, BEFORE * bytes, bytes);
        }
        if (fault != Fault.TOTAL_LACKS_WHAT_HAS_COME) {
            team.combine(call.kernel(), arrived, 0, own, TOTAL * bytes, own, TOTAL * bytes, bytes);
        }
    }
}
