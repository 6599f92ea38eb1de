/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import org.tutti.Collective;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.flow.Flow;
import org.tutti.collective.flow.Inflow;
import org.tutti.collective.flow.Outflow;
import org.tutti.collective.machine.Area;

/** A copy of the direct all-to-all with a fault; pieces always come to the halves of the master's window. */
final class BrokenAllToAll extends BrokenBlocks {
    private static final int HALVES = 2;
    private static final long HALF_BYTES = 1 << 10; // longer pieces have one place

    BrokenAllToAll(Fault fault) {
        super(Collective.ALL_TO_ALL, fault);
    }

    @Override
    public void run(Team team, Call call) {
        long bytes = call.bytes();
        Area own = team.show(shownBytes(team, team.localRank(), bytes));
        for (int rank = 0; rank < team.size(); rank++) {
            team.copy(call.source(), call.block(rank), own, rank * bytes, bytes);
        }
        team.post(Team.READY, SHOWN);
        if (!call.isInPlace()) {
            team.copy(call.source(), call.block(team.rank()), call.target(), call.block(team.rank()), bytes);
        }
        for (int distance = 1; distance < team.localSize(); distance++) {
            int place = place(team, distance);
            team.await(place, Team.READY, SHOWN);
            team.copy(team.shown(place, shownBytes(team, place, bytes)), team.rank() * bytes, call.target(),
                    call.block(team.rankAt(team.node(), place)), bytes);
        }
        for (int step = 1; step < team.nodes(); step++) {
            exchange(team, call, step);
        }
    }

    private static int places(Team team, long bytes) {
        return Math.clamp(HALF_BYTES / (team.localSize() * bytes), 1, team.localSize());
    }

    private static long halfBytes(Team team, long bytes) {
        return places(team, bytes) * team.localSize() * bytes;
    }

    private static long shownBytes(Team team, int place, long bytes) {
        return team.size() * bytes + (place == MASTER ? HALVES * halfBytes(team, bytes) : 0);
    }

    private void exchange(Team team, Call call, int step) {
        long bytes = call.bytes();
        int sender = node(team, -step);
        int receiver = node(team, step);
        int pieces = team.localSize();
        long pieceBytes = pieces * bytes;
        long taken = (step - 1L) * pieces;
        long half = team.size() * bytes + step % HALVES * halfBytes(team, bytes);
        Inflow in = openInflow(team, sender, bytes, half, taken);
        Outflow out = team.outflow(team.pair(receiver));
        int sent = 0;
        if (team.isMaster()) {
            out.open(receiver, team.pair(team.node()), pieceBytes, Flow.INVITED);
            do { // the first finds out how many places there are
                send(team, out, receiver, sent++, bytes);
            } while (sent < (fault == Fault.ALL_IS_SENT_BEFORE_ANY_IS_TAKEN ? pieces : Math.min(pieces, out.ahead())));
        }
        for (int piece = 0; piece < pieces; piece++) {
            in.await();
            long place = piece % places(team, bytes) * pieceBytes;
            team.copy(team.shown(MASTER, shownBytes(team, MASTER, bytes)), half + place + team.localRank() * bytes,
                    call.target(), call.block(team.rankAt(sender, piece)), bytes);
            in.release(taken);
            if (team.isMaster() && sent < pieces) {
                send(team, out, receiver, sent++, bytes);
            }
        }
    }

    private Inflow openInflow(Team team, int sender, long bytes, long half, long taken) {
        Inflow in = team.inflow(team.pair(sender));
        int there = team.pair(team.node());
        int pieces = team.ranksOn(sender);
        long pieceBytes = pieces * bytes;
        if (!team.isMaster()) { // this end counts what comes to the master's window
            in.open(sender, there, pieceBytes, places(team, bytes), pieces);
            return in;
        }
        if (fault != Fault.HALF_IS_USED_AGAIN_BEFORE_ALL_HAVE_READ) { // what came before the last step
            team.awaitOthers(Team.DONE, taken - pieces);
        }
        in.invite(sender, there, pieceBytes, pieces, team.shown(MASTER, 0), half, halfBytes(team, bytes));
        if (fault != Fault.PLACE_IS_GIVEN_BACK_BEFORE_ALL_HAVE_READ) {
            in.readByAll();
        }
        return in;
    }

    private static void send(Team team, Outflow out, int receiver, int place, long bytes) {
        if (place != MASTER) {
            team.await(place, Team.READY, SHOWN);
        }
        out.send(team.shown(place, shownBytes(team, place, bytes)), team.position(receiver) * bytes,
                team.ranksOn(receiver) * bytes);
    }
}
