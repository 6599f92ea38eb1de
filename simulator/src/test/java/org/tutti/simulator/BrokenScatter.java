/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import org.tutti.Collective;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.flow.Inflow;
import org.tutti.collective.flow.Outflow;
import org.tutti.collective.machine.Area;

/** A copy of the direct scatter with a fault; blocks of other nodes come to eager buffers. */
final class BrokenScatter extends BrokenBlocks {
    BrokenScatter(Fault fault) {
        super(Collective.SCATTER, fault);
    }

    @Override
    public void run(Team team, Call call) {
        int top = team.nodeOf(call.root());
        if (team.node() != top) {
            receive(team, call, top);
            return;
        }
        if (team.rank() == call.root()) {
            show(team, call);
        }
        long bytes = call.bytes();
        int root = team.localRankOf(call.root());
        if (team.rank() != call.root()) {
            team.await(root, Team.READY, SHOWN);
        }
        Area window = team.shown(root, team.size() * bytes);
        for (int distance = 1; distance < team.nodes() && team.isMaster(); distance++) {
            send(team, node(team, distance), window, bytes);
        }
        if (team.rank() != call.root() || !call.isInPlace()) {
            team.copy(window, team.rank() * bytes, call.target(), 0, bytes);
        }
    }

    private void show(Team team, Call call) {
        Area window = team.show(team.size() * call.bytes());
        for (int rank = 0; rank < team.size(); rank++) {
            if (fault == Fault.READY_BEFORE_ALL_BLOCKS_ARE_SHOWN && rank == team.size() - 1) {
                team.post(Team.READY, SHOWN);
            }
            team.copy(call.source(), call.block(rank), window, rank * call.bytes(), call.bytes());
        }
        if (fault != Fault.READY_BEFORE_ALL_BLOCKS_ARE_SHOWN) {
            team.post(Team.READY, SHOWN);
        }
    }

    private static void send(Team team, int receiver, Area window, long bytes) {
        Outflow out = team.outflow(team.pair(receiver));
        out.open(receiver, team.pair(team.node()), bytes, team.ranksOn(receiver));
        for (int place = 0; place < team.ranksOn(receiver); place++) {
            out.send(window, team.rankAt(receiver, place) * bytes, bytes);
        }
    }

    private void receive(Team team, Call call, int top) {
        int pieces = team.localSize();
        int own = team.localRank() + 1;
        Inflow in = team.inflow(team.pair(top));
        in.open(top, team.pair(team.node()), call.bytes(), pieces, pieces);
        Area arrived = in.await(fault == Fault.ONLY_THE_FIRST_PIECE_IS_AWAITED ? 1 : own);
        long at = fault == Fault.ONLY_THE_FIRST_PIECE_IS_AWAITED ? (own - 1) * call.bytes() : 0;
        team.copy(arrived, at, call.target(), 0, call.bytes());
        if (team.isMaster()) {
            in.awaitAll();
        }
    }
}
