/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allreduce;

import org.tutti.collective.Area;
import org.tutti.collective.RankOrder;
import org.tutti.collective.Team;
import org.tutti.collective.kernel.Kernel;
import org.tutti.pattern.Partition;

/**
 * Allreduce by index range in shared memory: reduce-scatter and allgather without messages. Of every chunk, rank r
 * combines the r-th part of the elements of all ranks and everybody copies the parts together.
 *
 * <pre>
 *  rank 0 shows   [ result 0 | its part 1 | its part 2 ]      with three ranks; a rank does not show its own
 *  rank 1 shows   [ its part 0 | result 1 | its part 2 ]      part, which nobody else reads, but puts its
 *  rank 2 shows   [ its part 0 | its part 1 | result 2 ]      result there
 * </pre>
 *
 * <p>In round k a rank copies its elements in (step 2k − 1), waits for everybody's, combines its part (step 2k), waits
 * for everybody's and copies them out. Two parts of a window, used in turn, suffice without further words: who has seen
 * step 2k − 1 of all ranks knows that all have copied out round k − 1, and may write round k + 1 over it.
 *
 * <p>Every byte crosses between cores at most twice, all cores combine, and each contribution is read once.
 */
public final class IndexRangeAllreduce extends Allreduce {
    private static final int PARTS = 2;

    /** The only object that is needed. */
    public IndexRangeAllreduce() {
        super(new Description("index-range", Order.ALWAYS, false, "2·c", "2·b·(p−1)/p", "0", "min(2·b, 512 KiB)",
                "Tutti"));
    }

    @Override
    public void run(Team team, Area source, Area target, long bytes, Kernel kernel) {
        int rank = team.localRank();
        int size = team.localSize();
        long unit = kernel.unitBytes();
        long chunk = kernel.wholeUnits(team.windowBytesMax() / PARTS);
        long window = Math.min(bytes, PARTS * chunk);
        int chunks = Partition.chunks(bytes, chunk);
        Area parts = team.show(window);

        for (int round = 1; round <= chunks; round++) {
            long from = (round - 1) * chunk;
            long length = Math.min(chunk, bytes - from);
            long place = (round - 1) % PARTS * chunk;
            long start = Partition.start(length, unit, size, rank);
            long end = Partition.start(length, unit, size, rank + 1);

            team.copy(source, from, parts, place, start);
            team.copy(source, from + end, parts, place + end, length - end);
            team.post(Team.READY, 2L * round - 1);
            team.awaitOthers(Team.READY, 2L * round - 1);

            RankOrder.combineAround(team, kernel, source, from + start, window, place + start, target, from + start,
                    end - start);
            team.copy(target, from + start, parts, place + start, end - start);
            team.post(Team.READY, 2L * round);
            for (int distance = 1; distance < size; distance++) {
                int other = (rank + distance) % size;
                team.await(other, Team.READY, 2L * round);
                long begin = Partition.start(length, unit, size, other);
                team.copy(team.shown(other, window), place + begin, target, from + begin,
                        Partition.start(length, unit, size, other + 1) - begin);
            }
        }
    }
}
