/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allreduce;

import org.tutti.collective.Algorithm;
import org.tutti.collective.Call;
import org.tutti.collective.Chunk;
import org.tutti.collective.Chunked;
import org.tutti.collective.Team;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.layout.CallShape;
import org.tutti.collective.machine.Area;
import org.tutti.collective.stage.IndexRange;
import org.tutti.collective.stage.NodeStage;
import org.tutti.collective.stage.RankOrder;
import org.tutti.collective.window.ZeroCopyLoans;

/**
 * An allreduce in which each rank of a node combines one range of the elements. On one node it is a reduce-scatter and
 * an allgather in shared memory. In every chunk, rank r combines part r of the elements of all ranks, and then every
 * rank copies all parts. A chunk takes two steps. With p ranks and b bytes, a rank reads 2·b·(p − 1)/p bytes of other
 * ranks. Every byte moves between cores at most twice, all cores combine, and each contribution is read once. Each rank
 * shows its elements and its result in a window, memory that the other ranks of its node read:
 *
 * <pre>
 *  rank 0 shows   [ result 0 | its part 1 | its part 2 ]      with three ranks; a rank does not show its own
 *  rank 1 shows   [ its part 0 | result 1 | its part 2 ]      part, which no other rank reads, but puts its
 *  rank 2 shows   [ its part 0 | its part 1 | result 2 ]      result there
 * </pre>
 *
 * <p>In round k a rank copies its elements to its window and posts step 2k − 1. It awaits this step of all ranks,
 * combines its part, and posts step 2k. It awaits this step of all ranks, too, and then copies out all parts.
 *
 * <p><b>Why nothing is overwritten.</b> The rounds use two parts of a window in turn. No words beside these steps are
 * needed. A rank posts step 2k − 1 after it has copied out round k − 1. A rank that has awaited step 2k − 1 of all
 * ranks may therefore write round k + 1 over round k − 1.
 *
 * <p><b>Lent memory.</b> If all ranks lend their callers' memory, no data go through windows. Ranks can lend if they
 * are threads of one process, or if their segments are in the node's memory. There is a single round, in which each
 * rank combines its part of all sources directly in its target (step 2), and copies the other parts from the targets of
 * the other ranks. No rank writes bytes that another rank still reads, even if source and target are the same memory.
 * Rank s reads only part s of rank r's source, and rank r writes there only after rank s has posted that its result is
 * complete. At the end each rank awaits DONE of all other ranks, which have then read its result. If only some ranks
 * lend, these ranks copy their elements to their windows in an additional step.
 *
 * <p><b>Several nodes.</b> The ranks of each node combine by index range in their master's window ({@link NodeStage}).
 * The masters, the first ranks of the nodes, combine the results of their nodes by recursive doubling, or by recursive
 * halving if rounds are longer than 16 KiB.
 */
public final class IndexRangeAllreduce extends TwoLevelAllreduce implements Chunked {
    /** The length of a chunk on one node, in bytes. */
    public static final long CHUNK_BYTES = 256 << 10;

    private static final int COMBINED = 2;
    /** The length of the longest round, in bytes, that masters exchange by recursive doubling. */
    public static final long DOUBLING_BYTES_MAX = 16 << 10;
    private static final RecursiveDoublingAllreduce DOUBLING = new RecursiveDoublingAllreduce();
    private static final RabenseifnerAllreduce HALVING = new RabenseifnerAllreduce();

    private static final Description DESCRIPTION = new Description("index-range", Order.BLOCKS,
            "2·c; n > 1: c·(2·⌈log₂ n⌉ + 3)", "2·b·(p−1)/p", "2·b·(n−1)/n, ⌈log₂ n⌉·b up to 16 KiB",
            "min(2·b, 512 KiB), 64 KiB an edge; > 64 KiB the inbox", "Tutti");

    private static final IndexRangeAllreduce BASE = new IndexRangeAllreduce();

    private final long chunkBytes;
    private final boolean isChunkGiven;

    /**
     * Creates the algorithm with chunks of 256 KiB on one node. On several nodes its rounds are as long as those of
     * {@link RabenseifnerAllreduce}.
     */
    public IndexRangeAllreduce() {
        this(DESCRIPTION, CHUNK_BYTES, false);
    }

    private IndexRangeAllreduce(Description description, long chunkBytes, boolean isChunkGiven) {
        super(description);
        this.chunkBytes = chunkBytes;
        this.isChunkGiven = isChunkGiven;
    }

    /**
     * {@return the length of a chunk on one node, in bytes}
     */
    public long chunkBytes() {
        return chunkBytes;
    }

    @Override
    public IndexRangeAllreduce withChunk(long bytes) {
        return new IndexRangeAllreduce(DESCRIPTION.withChunk(bytes), bytes, true);
    }

    @Override
    protected Algorithm runsAs(CallShape shape) {
        long longest = shape.windowBytesMax() / Chunk.HALVES;
        if (shape.isOnOneNode() && Math.min(chunkBytes, longest) == Math.min(CHUNK_BYTES, longest)) {
            return BASE;
        }
        if (shape.isOnOneNode() || isChunkGiven) {
            return chunkBytes > longest ? withChunk(longest) : this;
        }
        return shape.bytes() <= DOUBLING_BYTES_MAX ? DOUBLING : HALVING;
    }

    @Override
    public long memoryBytes(int nodes, int localRanks, long bytes) {
        return memoryBytes(chunkBytes, Partners.edges(nodes), nodes, localRanks, bytes);
    }

    @Override
    protected long roundBytesMax(Team team) {
        return isChunkGiven ? Math.min(chunkBytes, team.windowBytesMax() / Chunk.HALVES)
                : RabenseifnerAllreduce.chunkBytes(team);
    }

    @Override
    Exchange exchange(long chunk) {
        return chunk <= DOUBLING_BYTES_MAX ? DOUBLING : HALVING;
    }

    @Override
    protected void runOnOneNode(Team team, Call call) {
        Area target = call.target();
        Kernel kernel = call.kernel();
        boolean lends = team.loans().lend(call.bytes(), call.source(), target);
        Chunk chunk = IndexRange.chunks(team, call, chunkBytes);
        int step = IndexRange.meet(team, call, chunk, lends);
        if (step == 0) {
            runOnLent(team, call);
            return;
        }
        int rank = team.localRank();
        int size = team.localSize();
        long window = chunk.window();
        Area shown = team.shown(rank, window);

        while (chunk.next()) {
            long from = chunk.from();
            long length = chunk.length();
            long offset = chunk.offset();
            long start = IndexRange.start(team, kernel, length, rank);
            long end = IndexRange.start(team, kernel, length, rank + 1);
            if (chunk.number() > 1) {
                IndexRange.copyIn(team, call, shown, chunk);
                step++;
                team.post(Team.READY, step);
                team.awaitOthers(Team.READY, step);
            }
            RankOrder.combineAround(team, call, chunk, start, end - start, target, from + start);
            team.copy(target, from + start, shown, offset + start, end - start);
            step++;
            team.post(Team.READY, step);
            for (int distance = 1; distance < size; distance++) {
                int other = (rank + distance) % size;
                team.await(other, Team.READY, step);
                long begin = IndexRange.start(team, kernel, length, other);
                team.copy(team.shown(other, window), offset + begin, target, from + begin,
                        IndexRange.start(team, kernel, length, other + 1) - begin);
            }
        }
        team.loans().takeBack();
    }

    private static void runOnLent(Team team, Call call) {
        Area target = call.target();
        long bytes = call.bytes();
        Kernel kernel = call.kernel();
        int rank = team.localRank();
        int size = team.localSize();
        long start = IndexRange.start(team, kernel, bytes, rank);
        RankOrder.combineLent(team, call, start, IndexRange.start(team, kernel, bytes, rank + 1) - start, target,
                start);
        team.post(Team.READY, COMBINED);
        for (int distance = 1; distance < size; distance++) {
            int other = (rank + distance) % size;
            team.await(other, Team.READY, COMBINED);
            long begin = IndexRange.start(team, kernel, bytes, other);
            team.copy(team.loans().lent(other, ZeroCopyLoans.TARGET), begin, target, begin,
                    IndexRange.start(team, kernel, bytes, other + 1) - begin);
        }
        team.loans().confirm();
        team.post(Team.DONE, COMBINED);
        team.awaitOthers(Team.DONE, COMBINED);
        team.loans().takeBack();
    }
}
