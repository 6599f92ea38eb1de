/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allreduce;

import org.tutti.collective.Call;
import org.tutti.collective.Chunk;
import org.tutti.collective.Team;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.machine.Area;
import org.tutti.pattern.Partition;

/**
 * Allreduce by index range in stages of smaller groups: a multi-radix reduce-scatter and allgather in shared memory,
 * with one factor for each level of the node; without levels with two, of about √p. In the first stage the members of a
 * smallest group combine the group's elements, a part each; in the next the ranks that have the same part combine it
 * among the groups of the next greater one, a share each; and so on. Then the shares are copied together in the reverse
 * order of stages, and the parts from there.
 *
 * <pre>
 *  6 ranks, groups {0 1} {2 3} {4 5}:   1.  0 has part a of 0 and 1, 1 has part b; likewise 2, 3 and 4, 5
 *                                       2.  0, 2, 4 have a third of a of all each; 1, 3, 5 of b
 *                                       3.  0, 2, 4 have all of a; 1, 3, 5 all of b
 *                                       4.  everybody copies a and b in its own group
 * </pre>
 *
 * <p>A rank waits for few others in each stage, instead of for all twice; and on wide nodes each byte crosses between
 * groups once for each group. Ranks that are too many for equal groups belong to the last smallest one, in which only
 * as many as in the others combine. A level whose groups would not be two whole ones does not count.
 *
 * <p>Two parts of a window are used in turn: who has seen the first word of round k of the ranks that read its window
 * knows that they have copied what they needed of round k − 1, and may write round k + 1 over it. In later stages the
 * same ranks read each other as on the way back, and who reads in round k has said so by its words of round k + 1.
 */
public final class IndexRadixAllreduce extends TwoLevelAllreduce {
    /** Creates the algorithm; one object serves all ranks. */
    public IndexRadixAllreduce() {
        super(new Description("index-radix", Order.BLOCKS, "4·c, or 2·c a level; n > 1 as index-range", "about 3·b",
                "as index-range", "min(2·b, 512 KiB)", "Tutti; after Jocksch et al. 2021 (ext_mpi_collectives)"));
    }

    @Override
    public long memoryBytes(int nodes, int localRanks, long bytes) {
        return memoryBytes(IndexRangeAllreduce.CHUNK_BYTES, Partners.edges(nodes), nodes,
                localRanks,
                bytes);
    }

    @Override
    protected long roundBytesMax(Team team) {
        return Math.min(IndexRangeAllreduce.CHUNK_BYTES, team.windowBytesMax() / Chunk.HALVES);
    }

    @Override
    Exchange exchange(long chunk) {
        return IndexRangeAllreduce.exchangeOf(chunk);
    }

    @Override
    protected void runOnOneNode(Team team, Call call) {
        Kernel kernel = call.kernel();
        Chunk chunk = team.chunks(call.bytes(), kernel.wholeUnits(team.windowBytesMax() / Chunk.HALVES), Chunk.HALVES);
        int stages = stages(team);
        Area shown = team.show(chunk.window());
        while (chunk.next()) {
            long step = 2L * stages * (chunk.number() - 1) + 1;
            team.copy(call.source(), chunk.from(), shown, chunk.offset(), chunk.length());
            team.post(Team.READY, step);
            for (int stage = 0; stage < stages; stage++) {
                combine(team, kernel, shown, chunk, stage, step++);
                team.post(Team.READY, step);
            }
            for (int stage = stages - 1; stage > 0; stage--) {
                gather(team, kernel, shown, chunk, stage, step++);
                team.post(Team.READY, step);
            }
            handOut(team, call, shown, chunk, step);
        }
    }

    // ---- the groups

    private static int stages(Team team) {
        int stages = 1;
        if (team.levels() == 0) {
            return 2;
        }
        for (int level = 0; level < team.levels(); level++) {
            stages += 2 * team.groupSize(level) <= team.localSize() ? 1 : 0;
        }
        return stages;
    }

    /** The distance of the ranks that combine with each other in a stage, which is the size of the groups below. */
    private static int stride(Team team, int stage) {
        if (stage == 0) {
            return 1;
        }
        return team.levels() == 0 ? (int) Math.sqrt(team.localSize()) : team.groupSize(stage - 1);
    }

    /** How many ranks combine with each other in a stage. */
    private static int radix(Team team, int stage) {
        int stride = stride(team, stage);
        return (stage == stages(team) - 1 ? team.localSize() : stride(team, stage + 1)) / stride;
    }

    private static boolean combines(Team team) {
        int last = stages(team) - 1;
        return team.localRank() < radix(team, last) * stride(team, last);
    }

    /** The rank's number among those that it combines with in a stage. */
    private static int digit(Team team, int rank, int stage) {
        return rank / stride(team, stage) % radix(team, stage);
    }

    /** Where what a rank has after a stage begins, or with edge 1 ends, in a round of so many bytes. */
    private static long boundary(Team team, Kernel kernel, long length, int rank, int stage, int edge) {
        long unit = kernel.unitBytes();
        long start = 0;
        long bytes = length;
        for (int each = 0; each < stage; each++) {
            int digit = digit(team, rank, each);
            long from = Partition.start(bytes, unit, radix(team, each), digit);
            bytes = Partition.start(bytes, unit, radix(team, each), digit + 1) - from;
            start += from;
        }
        return start + Partition.start(bytes, unit, radix(team, stage), digit(team, rank, stage) + edge);
    }

    /** The first rank of this rank's smallest group; ranks that are too many belong to the last one. */
    private static int firstOfGroup(Team team) {
        int last = stages(team) - 1;
        int combining = radix(team, last) * stride(team, last);
        int radix = radix(team, 0);
        return Math.min(team.localRank() / radix, combining / radix - 1) * radix;
    }

    // ---- the stages

    private static void combine(Team team, Kernel kernel, Area shown, Chunk chunk, int stage, long step) {
        int rank = team.localRank();
        int stride = stride(team, stage);
        int last = stages(team) - 1;
        int first = stage == 0 ? firstOfGroup(team) : rank - digit(team, rank, stage) * stride;
        int end = first + radix(team, stage) * stride;
        if (stage == 0 && end == radix(team, last) * stride(team, last)) {
            end = team.localSize();
        }
        boolean combines = combines(team);
        if (!combines && stage > 0) {
            return;
        }
        for (int other = first; other < end; other += stride) {
            if (other != rank) { // all of them, also by those who do not combine: see the class's head
                team.await(other, Team.READY, step);
            }
        }
        if (!combines) {
            return;
        }
        long start = boundary(team, kernel, chunk.length(), rank, stage, 0);
        long bytes = boundary(team, kernel, chunk.length(), rank, stage, 1) - start;
        long at = chunk.offset() + start;
        long window = chunk.window();
        for (int other = rank + stride; other < end; other += stride) {
            team.combine(kernel, shown, at, team.shown(other, window), at, shown, at, bytes);
        }
        for (int other = rank - stride; other >= first; other -= stride) {
            team.combine(kernel, team.shown(other, window), at, shown, at, shown, at, bytes);
        }
    }

    private static void gather(Team team, Kernel kernel, Area shown, Chunk chunk, int stage, long step) {
        if (!combines(team)) {
            return;
        }
        int rank = team.localRank();
        int radix = radix(team, stage);
        int digit = digit(team, rank, stage);
        for (int distance = 1; distance < radix; distance++) {
            int other = rank + ((digit + distance) % radix - digit) * stride(team, stage);
            team.await(other, Team.READY, step);
            long start = boundary(team, kernel, chunk.length(), other, stage, 0);
            long end = boundary(team, kernel, chunk.length(), other, stage, 1);
            long at = chunk.offset() + start;
            team.copy(team.shown(other, chunk.window()), at, shown, at, end - start);
        }
    }

    private static void handOut(Team team, Call call, Area shown, Chunk chunk, long step) {
        int first = firstOfGroup(team);
        for (int other = first; other < first + radix(team, 0); other++) {
            long start = boundary(team, call.kernel(), chunk.length(), other, 0, 0);
            long end = boundary(team, call.kernel(), chunk.length(), other, 0, 1);
            Area whole = shown;
            if (other != team.localRank()) {
                team.await(other, Team.READY, step);
                whole = team.shown(other, chunk.window());
            }
            team.copy(whole, chunk.offset() + start, call.target(), chunk.from() + start, end - start);
        }
    }
}
