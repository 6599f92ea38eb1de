/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import org.tutti.collective.Call;
import org.tutti.collective.Chunk;
import org.tutti.collective.Team;
import org.tutti.collective.allreduce.Allreduce;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.machine.Area;
import org.tutti.collective.stage.RankOrder;
import org.tutti.pattern.Partition;

/** A copy of the allreduce by index range, in one node, with a fault; its chunks are small. */
final class BrokenAllreduce extends Allreduce {
    private static final int PARTS = 2;
    private static final long CHUNK_BYTES = 8 << 10;

    private final Fault fault;

    BrokenAllreduce(Fault fault) {
        super(new Description("broken", Order.ALWAYS, "", "", "", "", ""));
        this.fault = fault;
    }

    @Override
    public void run(Team team, Call call) {
        Area source = call.source();
        Area target = call.target();
        Kernel kernel = call.kernel();
        int rank = team.localRank();
        int size = team.localSize();
        long unit = kernel.unitBytes();
        Chunk chunk = team.chunks(call.bytes(), kernel.wholeUnits(CHUNK_BYTES),
                fault == Fault.ONE_PART_INSTEAD_OF_TWO ? 1 : PARTS);
        long window = chunk.window();
        Area parts = team.show(window);
        while (chunk.next()) {
            int round = chunk.number();
            long from = chunk.from();
            long length = chunk.length();
            long offset = chunk.offset();
            long start = Partition.start(length, unit, size, rank);
            long end = Partition.start(length, unit, size, rank + 1);
            team.copy(source, from, parts, offset, start);
            team.copy(source, from + end, parts, offset + end, length - end);
            team.post(Team.READY, 2L * round - 1);
            if (fault != Fault.CONTRIBUTIONS_ARE_NOT_AWAITED) {
                team.awaitOthers(Team.READY, 2L * round - 1);
            } else {
                team.awaitOthers(Team.READY, Math.min(1, round));
            }
            if (fault == Fault.RESULT_READY_BEFORE_IT_IS_COPIED) {
                team.post(Team.READY, 2L * round);
            }
            if (fault == Fault.NEIGHBOURS_IN_THE_WRONG_ORDER) {
                combineBackwards(team, kernel, source, from + start, window, offset + start, target, from + start,
                        end - start);
            } else {
                RankOrder.combineAround(team, call, chunk, start, end - start, target, from + start);
            }
            long shift = fault == Fault.RESULT_OVER_WHAT_OTHERS_READ ? -start : 0;
            team.copy(target, from + start, parts, offset + start + shift, end - start);
            if (fault != Fault.RESULT_READY_BEFORE_IT_IS_COPIED) {
                team.post(Team.READY, 2L * round);
            }
            for (int distance = 1; distance < size; distance++) {
                int other = (rank + distance) % size;
                if (fault != Fault.RESULTS_ARE_NOT_AWAITED) {
                    team.await(other, Team.READY, 2L * round);
                }
                long begin = Partition.start(length, unit, size, other);
                long otherShift = fault == Fault.RESULT_OVER_WHAT_OTHERS_READ ? -begin : 0;
                team.copy(team.shown(other, window), offset + begin + otherShift, target, from + begin,
                        Partition.start(length, unit, size, other + 1) - begin);
            }
        }
    }

    private static void combineBackwards(Team team, Kernel kernel, Area own, long ownOffset, long window, long offset,
            Area target, long targetOffset, long bytes) {
        Area accumulated = own;
        long at = ownOffset;
        for (int distance = 1; distance < team.localSize(); distance++) {
            int other = (team.localRank() + distance) % team.localSize();
            team.combine(kernel, accumulated, at, team.shown(other, window), offset, target, targetOffset, bytes);
            accumulated = target;
            at = targetOffset;
        }
    }

    @Override
    public long memoryBytes(int nodes, int localRanks, long bytes) {
        return windows(localRanks, bytes, PARTS * CHUNK_BYTES);
    }
}
