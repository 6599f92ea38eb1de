/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.broadcast.Broadcast;
import org.tutti.collective.machine.Area;
import org.tutti.collective.window.ZeroCopyLoans;

/** A broadcast in one node with a fault. The root lends its memory or, when it cannot, copies all of it to a window. */
final class BrokenLendingBroadcast extends Broadcast {
    private final Fault fault;

    BrokenLendingBroadcast(Fault fault) {
        super(new Description("broken", Order.ALWAYS, "", "", "", "", ""));
        this.fault = fault;
    }

    @Override
    public void run(Team team, Call call) {
        Area data = call.source();
        long bytes = call.bytes();
        int root = call.root();
        if (team.localRank() == team.localRankHere(root)) {
            send(team, data, bytes);
        } else {
            receive(team, data, bytes, team.localRankHere(root));
        }
    }

    private void send(Team team, Area data, long bytes) {
        if (fault == Fault.LENDS_AFTER_READY) {
            team.post(Team.READY, 1);
        }
        boolean lends = team.loans().lend(bytes, data);
        if (!lends) {
            team.copy(data, 0, team.show(bytes), 0, bytes);
        }
        if (fault != Fault.LENDS_AFTER_READY) {
            team.post(Team.READY, 1);
        }
        if (lends && fault != Fault.LENDER_DOES_NOT_WAIT) {
            team.awaitOthers(Team.DONE, 1);
        }
        team.loans().takeBack();
    }

    private void receive(Team team, Area data, long bytes, int root) {
        team.await(root, Team.READY, 1);
        if (fault == Fault.DONE_BEFORE_WHAT_IS_LENT_IS_READ) {
            team.post(Team.DONE, 1);
        }
        boolean lent = team.loans().isLending(root, bytes);
        team.copy(lent ? team.loans().lent(root, ZeroCopyLoans.SOURCE) : team.shown(root, bytes), 0, data, 0, bytes);
        if (lent) {
            team.loans().confirm();
        }
        if (fault != Fault.DONE_BEFORE_WHAT_IS_LENT_IS_READ) {
            team.post(Team.DONE, 1);
        }
    }

    @Override
    public long memoryBytes(int nodes, int localRanks, long bytes) {
        return bytes; // the window of the root
    }
}
