/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import org.tutti.collective.Call;
import org.tutti.collective.Chunk;
import org.tutti.collective.Team;
import org.tutti.collective.machine.Area;
import org.tutti.collective.reduce.Reduce;

/** A flat reduce in one node with a fault: the root combines what the others show, chunk by chunk. */
final class BrokenReduce extends Reduce {
    private static final int PARTS = 2;
    private static final long CHUNK_BYTES = 8 << 10;

    private final Fault fault;

    BrokenReduce(Fault fault) {
        super(new Description("broken", Order.ALWAYS, "", "", "", "", ""));
        this.fault = fault;
    }

    @Override
    public void run(Team team, Call call) {
        Chunk chunk = team.chunks(call.bytes(), call.kernel().wholeUnits(CHUNK_BYTES), PARTS);
        if (team.rank() == call.root()) {
            while (chunk.next()) {
                combine(team, call, chunk);
                team.post(Team.DONE, chunk.number());
            }
            return;
        }
        Area parts = team.show(chunk.window());
        while (chunk.next()) {
            if (fault != Fault.PART_IS_FILLED_AGAIN_WITHOUT_WAITING) {
                team.await(team.localRankHere(call.root()), Team.DONE, (long) chunk.number() - PARTS);
            }
            team.copy(call.source(), chunk.from(), parts, chunk.offset(), chunk.length());
            team.post(Team.READY, chunk.number());
        }
    }

    private void combine(Team team, Call call, Chunk chunk) {
        Area target = call.target();
        long from = chunk.from();
        long length = chunk.length();
        if (!call.isInPlace()) {
            team.copy(call.source(), from, target, from, length);
        }
        for (int other = team.localRank() + 1; other < team.localSize(); other++) {
            team.await(other, Team.READY, chunk.number());
            team.combine(call.kernel(), target, from, team.shown(other, chunk.window()), chunk.offset(), target, from,
                    length);
        }
        for (int other = team.localRank() - 1; other >= 0; other--) {
            team.await(other, Team.READY, chunk.number());
            if (fault == Fault.LOWER_RANKS_ON_THE_RIGHT) {
                team.combine(call.kernel(), target, from, team.shown(other, chunk.window()), chunk.offset(), target,
                        from, length);
            } else {
                team.combine(call.kernel(), team.shown(other, chunk.window()), chunk.offset(), target, from, target,
                        from, length);
            }
        }
    }

    @Override
    public long memoryBytes(int nodes, int localRanks, long bytes) {
        return windows(localRanks, bytes, PARTS * CHUNK_BYTES);
    }
}
