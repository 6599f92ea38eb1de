/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import org.tutti.Collective;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.flow.Flow;
import org.tutti.collective.flow.Inflow;
import org.tutti.collective.flow.Outflow;
import org.tutti.collective.machine.Area;

/** A copy of the direct gather with a fault; the root's master invites all nodes to its window, block by block. */
final class BrokenGather extends BrokenBlocks {
    BrokenGather(Fault fault) {
        super(Collective.GATHER, fault);
    }

    @Override
    public void run(Team team, Call call) {
        int top = team.nodeOf(call.root());
        if (team.node() != top && team.isMaster()) {
            send(team, call, top);
            return;
        }
        boolean receives = team.node() == top && team.isMaster();
        if (receives || team.rank() != call.root()) {
            show(team, call, receives);
        }
        if (team.rank() == call.root()) {
            gather(team, call);
        } else if (receives) {
            for (int distance = 1; distance < team.nodes(); distance++) {
                int node = node(team, distance);
                team.inflow(team.pair(node)).await(team.ranksOn(node));
            }
        }
    }

    private void show(Team team, Call call, boolean receives) {
        long bytes = call.bytes();
        Area own = team.show(receives ? team.size() * bytes : bytes);
        if (fault == Fault.BLOCK_IS_READY_BEFORE_THE_COPY) {
            team.post(Team.READY, SHOWN);
        }
        team.copy(call.source(), 0, own, receives ? team.rank() * bytes : 0, bytes);
        for (int distance = 1; distance < team.nodes() && receives; distance++) {
            int node = node(team, distance);
            int pieces = team.ranksOn(node);
            int first = fault == Fault.PLACES_OVERLAP ? node : team.position(node);
            team.inflow(team.pair(node))
                    .invite(node, team.pair(team.node()), bytes, pieces, own, first * bytes, pieces * bytes);
        }
        if (fault != Fault.BLOCK_IS_READY_BEFORE_THE_COPY) {
            team.post(Team.READY, SHOWN);
        }
    }

    private void gather(Team team, Call call) {
        long bytes = call.bytes();
        if (!call.isInPlace()) {
            team.copy(call.source(), 0, call.target(), call.block(team.rank()), bytes);
        }
        for (int distance = 1; distance < team.localSize(); distance++) {
            int place = place(team, distance);
            if (fault != Fault.WINDOW_IS_LOOKED_FOR_BEFORE_READY) {
                team.await(place, Team.READY, SHOWN);
            }
            int rank = team.rankAt(team.node(), place);
            boolean amongAll = place == MASTER;
            team.copy(team.shown(place, amongAll ? team.size() * bytes : bytes), amongAll ? rank * bytes : 0,
                    call.target(), call.block(rank), bytes);
        }
        for (int distance = 1; distance < team.nodes(); distance++) {
            int node = node(team, distance);
            int pieces = team.ranksOn(node);
            Inflow in = team.inflow(team.pair(node));
            if (!team.isMaster()) { // this end counts what comes to the master's window
                in.open(node, team.pair(team.node()), bytes, pieces, pieces);
            }
            for (int place = 0; place < pieces; place++) {
                in.await();
                int rank = team.rankAt(node, place);
                team.copy(team.shown(MASTER, team.size() * bytes), rank * bytes, call.target(), call.block(rank),
                        bytes);
            }
        }
    }

    private static void send(Team team, Call call, int top) {
        long bytes = call.bytes();
        Outflow out = team.outflow(team.pair(top));
        out.open(top, team.pair(team.node()), bytes, Flow.INVITED);
        out.send(call.source(), 0, bytes);
        for (int place = MASTER + 1; place < team.localSize(); place++) {
            team.await(place, Team.READY, SHOWN);
            out.send(team.shown(place, bytes), 0, bytes);
        }
    }
}
