/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allreduce;

import org.tutti.collective.Algorithm;
import org.tutti.collective.Call;
import org.tutti.collective.Chunk;
import org.tutti.collective.Team;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.layout.CallShape;
import org.tutti.collective.machine.Area;
import org.tutti.pattern.Partition;

/**
 * An allreduce for nodes with many ranks, in stages over small groups of ranks. On one node it is a multi-radix
 * reduce-scatter and allgather in shared memory (after Jocksch and others 2021, ext_mpi_collectives). There is a stage
 * for each level of groups, such as the ranks of a cache, and one for the whole node. Without levels there are two
 * stages of about √p ranks each. In the first stage each member of a smallest group combines one part of the group's
 * elements. In each further stage, the ranks that have the same part combine it over all groups within the next greater
 * group. Each of these ranks combines one share of the part. After the last stage these ranks copy the shares from each
 * other, in the reverse order of the stages. Finally every rank copies the parts from the members of its smallest
 * group.
 *
 * <pre>
 *  6 ranks, groups {0 1} {2 3} {4 5}:   1.  0 has part a of 0 and 1, 1 has part b; so in {2 3} and {4 5}
 *                                       2.  0, 2, 4 have a third of a of all ranks each; 1, 3, 5 of b
 *                                       3.  0, 2, 4 have all of a; 1, 3, 5 all of b
 *                                       4.  every rank copies a and b in its own group
 * </pre>
 *
 * <p>In each stage a rank waits for few other ranks. In {@link IndexRangeAllreduce} it waits for all ranks twice. Each
 * byte moves between groups once for each group. If the ranks do not form equal groups, the ranks that are left over
 * belong to the last one of the smallest groups. In this group only as many ranks combine as in the other groups. A
 * level is used only if the node has at least two whole groups of that level. On several nodes the algorithm takes the
 * same steps as {@code IndexRangeAllreduce}.
 *
 * <p><b>Why nothing is overwritten.</b> Two parts of a rank's window, the memory that it shows to its node, are used in
 * turn. Therefore a rank writes round k + 1 over round k − 1. Before that, in each stage of round k, the rank has
 * awaited a word of every rank that reads its window in that stage. Each of these ranks has posted this word after the
 * end of its round k − 1, when it had copied everything that it reads in that round. The copies in the reverse order of
 * stages are between the same ranks as the stages. Ranks that do not combine also await the words of their group,
 * because the group's members read their windows.
 */
public final class IndexRadixAllreduce extends TwoLevelAllreduce {
    private static final IndexRangeAllreduce INDEX_RANGE = new IndexRangeAllreduce();

    /** Creates the algorithm; one object serves all ranks. */
    public IndexRadixAllreduce() {
        super(new Description("index-radix", Order.BLOCKS, "4·c, or 2·c a level; n > 1 as index-range", "about 3·b",
                "as index-range", "min(2·b, 512 KiB)", "Tutti; after Jocksch et al. 2021 (ext_mpi_collectives)"));
    }

    @Override
    protected Algorithm runsAs(CallShape shape) {
        return shape.isOnOneNode() ? this : INDEX_RANGE;
    }

    @Override
    public long memoryBytes(int nodes, int localRanks, long bytes) {
        return memoryBytes(IndexRangeAllreduce.CHUNK_BYTES, Partners.edges(nodes), nodes,
                localRanks,
                bytes);
    }

    @Override
    protected long roundBytesMax(Team team) {
        return INDEX_RANGE.roundBytesMax(team);
    }

    @Override
    Exchange exchange(long chunk) {
        return INDEX_RANGE.exchange(chunk);
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

    /**
     * Returns the distance between neighbouring ranks among the ranks that combine with each other in a stage. The
     * distance is the size of the groups of the stage before.
     */
    private static int stride(Team team, int stage) {
        if (stage == 0) {
            return 1;
        }
        return team.levels() == 0 ? (int) Math.sqrt(team.localSize()) : team.groupSize(stage - 1);
    }

    /** Returns the number of ranks that combine with each other in a stage. */
    private static int radix(Team team, int stage) {
        int stride = stride(team, stage);
        return (stage == stages(team) - 1 ? team.localSize() : stride(team, stage + 1)) / stride;
    }

    private static boolean combines(Team team) {
        int last = stages(team) - 1;
        return team.localRank() < radix(team, last) * stride(team, last);
    }

    /** Returns a rank's number among the ranks with which it combines in a stage. */
    private static int digit(Team team, int rank, int stage) {
        return rank / stride(team, stage) % radix(team, stage);
    }

    /**
     * Returns the offset at which the range that a rank combines in a stage begins, if {@code edge} is 0, or ends, if
     * it is 1. The offset counts bytes from the start of a round of {@code length} bytes.
     */
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

    /** Returns the first rank of this rank's smallest group. Ranks that are left over belong to the last group. */
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
            if (other != rank) { // a rank that does not combine awaits them, too; see the head of the class
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
