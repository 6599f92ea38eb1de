/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import org.tutti.Collective;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.flow.Inflow;
import org.tutti.collective.flow.Outflow;
import org.tutti.collective.machine.Area;

/**
 * A copy of the direct reduce-scatter on several nodes with a fault; what other nodes have combined comes to eager
 * buffer places.
 */
final class BrokenReduceScatter extends BrokenBlocks {
    private static final long COMBINED = 2;

    BrokenReduceScatter(Fault fault) {
        super(Collective.REDUCE_SCATTER, fault);
    }

    @Override
    public void run(Team team, Call call) {
        long bytes = call.bytes();
        Area own = team.show(team.size() * bytes);
        for (int rank = 0; rank < team.size(); rank++) {
            team.copy(call.source(), call.block(rank), own, rank * bytes, bytes);
        }
        team.post(Team.READY, SHOWN);
        if (fault != Fault.BLOCKS_ARE_COMBINED_BEFORE_THEY_ARE_SHOWN) {
            team.awaitOthers(Team.READY, SHOWN);
        }
        combineInNode(team, call, own);
        team.post(Team.READY, COMBINED);
        for (int distance = 1; distance < team.nodes() && team.isMaster(); distance++) {
            send(team, node(team, distance), bytes);
        }
        int first = fault == Fault.OWN_NODE_IS_COMBINED_FIRST ? team.node() : 0;
        for (int i = 0; i < team.nodes(); i++) {
            int node = (first + i) % team.nodes();
            Area theirs = node == team.node() ? combined(team, team.rank(), bytes) : arrived(team, node, bytes);
            long at = node == team.node() ? team.rank() * bytes : 0;
            if (i == 0) {
                team.copy(theirs, at, call.target(), 0, bytes);
            } else {
                team.combine(call.kernel(), call.target(), 0, theirs, at, call.target(), 0, bytes);
            }
        }
        for (int distance = 1; distance < team.nodes() && team.isMaster(); distance++) {
            team.inflow(team.pair(node(team, distance))).awaitAll();
        }
    }

    /** Which rank of a node combines the block of a rank: each as many, one after the other. */
    private static int combines(Team team, int rank) {
        return rank / team.nodes();
    }

    /** Combines a part of the blocks of all ranks of the node: at last where the master shows them. */
    private void combineInNode(Team team, Call call, Area own) {
        long window = team.size() * call.bytes();
        long from = (long) team.localRank() * team.nodes() * call.bytes();
        long length = team.nodes() * call.bytes();
        if (fault == Fault.MORE_IS_COMBINED_THAN_THE_OWN_PART) {
            length = window - from;
        }
        for (int other = team.localRank() + 1; other < team.localSize(); other++) {
            team.combine(call.kernel(), own, from, team.shown(other, window), from, own, from, length);
        }
        for (int other = team.localRank() - 1; other >= 0; other--) {
            Area theirs = team.shown(other, window);
            team.combine(call.kernel(), theirs, from, own, from, other == MASTER ? theirs : own, from, length);
        }
    }

    /** Where a block of this node has been combined. */
    private Area combined(Team team, int rank, long bytes) {
        int place = combines(team, rank);
        if (place != team.localRank() && fault != Fault.COMBINATIONS_ARE_NOT_AWAITED) {
            team.await(place, Team.READY, COMBINED);
        }
        return team.shown(MASTER, team.size() * bytes);
    }

    private void send(Team team, int receiver, long bytes) {
        Outflow out = team.outflow(team.pair(receiver));
        out.open(receiver, team.pair(team.node()), bytes, team.ranksOn(receiver));
        for (int place = 0; place < team.ranksOn(receiver); place++) {
            int rank = team.rankAt(receiver, place);
            out.send(combined(team, rank, bytes), rank * bytes, bytes);
        }
    }

    private static Area arrived(Team team, int sender, long bytes) {
        int pieces = team.localSize();
        Inflow in = team.inflow(team.pair(sender));
        in.open(sender, team.pair(team.node()), bytes, pieces, pieces);
        return in.await(team.localRank() + 1L);
    }
}
