/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import org.tutti.Collective;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.flow.Inflow;
import org.tutti.collective.flow.Outflow;
import org.tutti.collective.machine.Area;

/** A copy of the direct allgather with a fault; blocks of other nodes come to eager buffers. */
final class BrokenAllgather extends BrokenBlocks {
    BrokenAllgather(Fault fault) {
        super(Collective.ALLGATHER, fault);
    }

    @Override
    public void run(Team team, Call call) {
        long bytes = call.bytes();
        team.copy(call.source(), 0, team.show(bytes), 0, bytes);
        team.post(Team.READY, SHOWN);
        for (int distance = 1; distance < team.nodes() && team.isMaster(); distance++) {
            send(team, node(team, distance), bytes);
        }
        if (!call.isInPlace()) {
            team.copy(call.source(), 0, call.target(), call.block(team.rank()), bytes);
        }
        for (int distance = 1; distance < team.localSize(); distance++) {
            int place = place(team, distance);
            if (fault != Fault.BLOCK_IS_READ_BEFORE_READY) {
                team.await(place, Team.READY, SHOWN);
            }
            take(team, call, team.shown(place, bytes), team.node(), place);
        }
        for (int distance = 1; distance < team.nodes(); distance++) {
            receive(team, call, node(team, -distance));
        }
    }

    private void send(Team team, int receiver, long bytes) {
        Outflow out = team.outflow(team.pair(receiver));
        out.open(receiver, team.pair(team.node()), bytes, team.localSize());
        for (int place = 0; place < team.localSize(); place++) {
            if (place != MASTER && fault != Fault.BLOCK_IS_SENT_BEFORE_READY) {
                team.await(place, Team.READY, SHOWN);
            }
            out.send(team.shown(place, bytes), 0, bytes);
        }
    }

    private void receive(Team team, Call call, int sender) {
        int pieces = team.ranksOn(sender);
        Inflow in = team.inflow(team.pair(sender));
        in.open(sender, team.pair(team.node()), call.bytes(), pieces, pieces);
        for (int place = 0; place < pieces; place++) {
            take(team, call, in.await(), sender, fault == Fault.BLOCK_OF_THE_NEIGHBOUR ? (place + 1) % pieces : place);
        }
    }

    private static void take(Team team, Call call, Area block, int node, int place) {
        team.copy(block, 0, call.target(), call.block(team.rankAt(node, place)), call.bytes());
    }
}
