/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allreduce;

import org.tutti.collective.Area;
import org.tutti.collective.Counts;
import org.tutti.collective.NodeStage;
import org.tutti.collective.Team;
import org.tutti.collective.kernel.Kernel;
import org.tutti.pattern.Partition;

/**
 * Allreduce by index range in two stages of smaller groups: a multi-radix reduce-scatter and allgather in shared
 * memory. Groups have about √p consecutive ranks. In the first stage a group's members combine the group's elements, a
 * part each; in the second the ranks that have the same part combine it among the groups, a share each. Then the shares
 * of a part are copied together in each group, and the parts from there.
 *
 * <pre>
 *  6 ranks, groups {0 1} {2 3} {4 5}:   1.  0 has part a of 0 and 1, 1 has part b; likewise 2, 3 and 4, 5
 *                                       2.  0, 2, 4 have a third of a of all each; 1, 3, 5 of b
 *                                       3.  0, 2, 4 have all of a; 1, 3, 5 all of b
 *                                       4.  everybody copies a and b in its own group
 * </pre>
 *
 * <p>A rank waits for √p others four times, instead of for all twice; and on wide nodes each byte crosses between
 * groups once for each group. Ranks that are too many for equal groups belong to the last one, in which only as many as
 * in the others combine.
 *
 * <p>Two parts of a window are used in turn: who has seen the first word of round k of the ranks that read its window
 * knows that they have copied what they needed of round k − 1, and may write round k + 1 over it.
 */
public final class IndexRadixAllreduce extends TwoLevelAllreduce {
    private static final int PARTS = 2;
    private static final int STEPS = 4;
    private static final int SHOWN = 3;
    private static final int COMBINED_IN_GROUP = 2;
    private static final int COMBINED = 1;
    private static final int GATHERED = 0;

    /** The only object that is needed. */
    public IndexRadixAllreduce() {
        super(new Description("index-radix", Order.BLOCKS, "4·c; n > 1 as index-range", "about 3·b",
                "as index-range", "min(2·b, 512 KiB)", "Tutti; after Jocksch et al. 2021 (ext_mpi_collectives)"));
    }

    @Override
    public Counts counts(int nodes, int localRanks, long bytes) {
        if (nodes > 1) {
            return new IndexRangeAllreduce().counts(nodes, localRanks, bytes);
        }
        double chunks = Math.max(1, Math.ceil((double) bytes / IndexRangeAllreduce.CHUNK_BYTES));
        double radix = radix(localRanks);
        double groups = localRanks / (int) radix;
        return new Counts(STEPS * chunks, bytes * (2 + 1 / radix),
                bytes * ((radix - 1) / radix + (groups - 1) / (groups * radix)), 0, 0);
    }

    @Override
    public long memoryBytes(int nodes, int localRanks, long bytes) {
        return memoryBytes(IndexRangeAllreduce.CHUNK_BYTES, RecursiveDoublingAllreduce.edges(nodes), nodes, localRanks,
                bytes);
    }

    @Override
    protected long roundBytesMax(Team team) {
        return Math.min(IndexRangeAllreduce.CHUNK_BYTES, team.windowBytesMax() / NodeStage.HALVES);
    }

    @Override
    protected void exchange(Team team, Kernel kernel, Area work, long at, long length, long chunk, int round) {
        IndexRangeAllreduce.exchangeAll(team, kernel, work, at, length, chunk, round);
    }

    private static int radix(int ranks) {
        return (int) Math.sqrt(ranks);
    }

    private static long step(int round, int left) {
        return (long) STEPS * round - left;
    }

    @Override
    protected void runOnOneNode(Team team, Area source, Area target, long bytes, Kernel kernel) {
        long chunk = kernel.wholeUnits(team.windowBytesMax() / PARTS);
        long window = Math.min(bytes, PARTS * chunk);
        Area shown = team.show(window);
        for (int round = 1; round <= Partition.chunks(bytes, chunk); round++) {
            long from = (round - 1) * chunk;
            long length = Math.min(chunk, bytes - from);
            long place = (round - 1) % PARTS * chunk;
            team.copy(source, from, shown, place, length);
            team.post(Team.READY, step(round, SHOWN));
            combineInGroup(team, kernel, shown, window, place, length, round);
            combineAmongGroups(team, kernel, shown, window, place, length, round);
            gather(team, kernel, shown, window, place, length, round);
            handOut(team, kernel, shown, window, place, length, target, from, round);
        }
    }

    /** A combining member of a group, by its number among them, has the part with this number; −1 for others. */
    private static int part(Team team) {
        int radix = radix(team.localSize());
        int member = team.localRank() - group(team) * radix;
        return member < radix ? member : -1;
    }

    private static int group(Team team) {
        int radix = radix(team.localSize());
        return Math.min(team.localRank() / radix, team.localSize() / radix - 1);
    }

    private static void combineInGroup(Team team, Kernel kernel, Area shown, long window, long place, long length,
            int round) {
        int radix = radix(team.localSize());
        int first = group(team) * radix;
        int end = group(team) == team.localSize() / radix - 1 ? team.localSize() : first + radix;
        for (int other = first; other < end; other++) {
            if (other != team.localRank()) { // all of them, also by those who do not combine: see the class's head
                team.await(other, Team.READY, step(round, SHOWN));
            }
        }
        int part = part(team);
        if (part >= 0) {
            long start = Partition.start(length, kernel.unitBytes(), radix, part);
            long bytes = Partition.start(length, kernel.unitBytes(), radix, part + 1) - start;
            combine(team, kernel, shown, window, place + start, bytes, first, end, 1);
        }
        team.post(Team.READY, step(round, COMBINED_IN_GROUP));
    }

    private static void combineAmongGroups(Team team, Kernel kernel, Area shown, long window, long place, long length,
            int round) {
        int part = part(team);
        if (part >= 0) {
            int radix = radix(team.localSize());
            int groups = team.localSize() / radix;
            for (int other = part; other < groups * radix; other += radix) {
                if (other != team.localRank()) {
                    team.await(other, Team.READY, step(round, COMBINED_IN_GROUP));
                }
            }
            long start = share(kernel, length, radix, part, groups, group(team));
            long bytes = share(kernel, length, radix, part, groups, group(team) + 1) - start;
            combine(team, kernel, shown, window, place + start, bytes, part, groups * radix, radix);
        }
        team.post(Team.READY, step(round, COMBINED));
    }

    /** Where the share of a group begins in a part. */
    private static long share(Kernel kernel, long length, int radix, int part, int groups, int group) {
        long unit = kernel.unitBytes();
        long start = Partition.start(length, unit, radix, part);
        long bytes = Partition.start(length, unit, radix, part + 1) - start;
        return start + Partition.start(bytes, unit, groups, group);
    }

    /** Combines a range of the windows of every so many ranks, in their order, into this rank's own. */
    private static void combine(Team team, Kernel kernel, Area shown, long window, long at, long bytes, int first,
            int end, int stride) {
        for (int other = team.localRank() + stride; other < end; other += stride) {
            team.combine(kernel, shown, at, team.shown(other, window), at, shown, at, bytes);
        }
        for (int other = team.localRank() - stride; other >= first; other -= stride) {
            team.combine(kernel, team.shown(other, window), at, shown, at, shown, at, bytes);
        }
    }

    private static void gather(Team team, Kernel kernel, Area shown, long window, long place, long length, int round) {
        int part = part(team);
        if (part >= 0) {
            int radix = radix(team.localSize());
            int groups = team.localSize() / radix;
            for (int distance = 1; distance < groups; distance++) {
                int group = (group(team) + distance) % groups;
                int other = group * radix + part;
                team.await(other, Team.READY, step(round, COMBINED));
                long start = place + share(kernel, length, radix, part, groups, group);
                long end = place + share(kernel, length, radix, part, groups, group + 1);
                team.copy(team.shown(other, window), start, shown, start, end - start);
            }
        }
        team.post(Team.READY, step(round, GATHERED));
    }

    private static void handOut(Team team, Kernel kernel, Area shown, long window, long place, long length, Area target,
            long from, int round) {
        int radix = radix(team.localSize());
        int first = group(team) * radix;
        for (int part = 0; part < radix; part++) {
            int other = first + part;
            long start = Partition.start(length, kernel.unitBytes(), radix, part);
            long end = Partition.start(length, kernel.unitBytes(), radix, part + 1);
            Area whole = shown;
            if (other != team.localRank()) {
                team.await(other, Team.READY, step(round, GATHERED));
                whole = team.shown(other, window);
            }
            team.copy(whole, place + start, target, from + start, end - start);
        }
    }
}
