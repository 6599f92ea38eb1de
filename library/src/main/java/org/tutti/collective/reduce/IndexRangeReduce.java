/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.reduce;

import org.tutti.collective.Algorithm;
import org.tutti.collective.Call;
import org.tutti.collective.Chunk;
import org.tutti.collective.Chunked;
import org.tutti.collective.Team;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.layout.CallShape;
import org.tutti.collective.machine.Area;
import org.tutti.collective.stage.IndexRange;
import org.tutti.collective.stage.NodeTree;
import org.tutti.collective.stage.RankOrder;
import org.tutti.pattern.BinomialTree;
import org.tutti.pattern.Partition;

/**
 * A reduce in which each rank of a node combines one range of the elements. On one node each of p ranks combines one
 * p-th of the elements of all ranks, so that all cores work and each contribution is read once. Then the root copies
 * the parts of all ranks. The steps are those of {@link org.tutti.collective.allreduce.IndexRangeAllreduce}, which
 * argues why two parts of a window suffice.
 *
 * <p><b>Lent memory.</b> If all ranks lend their callers' memory to each other, no rank copies its elements to a
 * window. Each rank combines its part directly from the sources, and at the end waits until all other ranks have read
 * its own source. Even then results pass through windows. Otherwise a rank could still write to the root's target after
 * the root's call has failed. A window holds only one rank's part, so chunks are p times longer.
 *
 * <p>On several nodes the ranks of each node combine by index range in their master's window ({@link
 * org.tutti.collective.stage.NodeStage}). The masters, the first ranks of the nodes, combine the results of their nodes
 * over a binomial tree.
 */
public final class IndexRangeReduce extends TwoLevelReduce implements Chunked {
    private static final long CHUNK_BYTES = 256 << 10;

    private static final Description DESCRIPTION = new Description("index-range", Order.BLOCKS,
            "2·c; n > 1: 3·c + ⌊log₂ n⌋", "2·b·(p−1)/p", "⌈log₂ n⌉·b",
            "min(2·b, 512 KiB); n > 1: 2 × 32 KiB, 64 KiB an edge; > 64 KiB 2 × 60 KiB, the inbox", "Tutti");

    private static final FlatReduce FLAT = new FlatReduce();
    private static final IndexRangeReduce BASE = new IndexRangeReduce();

    private final long chunkBytes;

    /** Creates the algorithm with chunks of 256 KiB. */
    public IndexRangeReduce() {
        this(DESCRIPTION, CHUNK_BYTES);
    }

    private IndexRangeReduce(Description description, long chunkBytes) {
        super(description, new NodeTree(BinomialTree.INSTANCE));
        this.chunkBytes = chunkBytes;
    }

    /**
     * {@return the length of a chunk on one node, in bytes}
     */
    public long chunkBytes() {
        return chunkBytes;
    }

    /**
     * {@inheritDoc}
     *
     * <p>The length applies only if all ranks are on one node. The chunks between nodes keep their length.
     */
    @Override
    public IndexRangeReduce withChunk(long bytes) {
        return new IndexRangeReduce(DESCRIPTION.withChunk(bytes), bytes);
    }

    @Override
    protected Algorithm runsAs(CallShape shape) {
        if (!shape.isOnOneNode()) {
            return FLAT;
        }
        long longest = shape.windowBytesMax() / Chunk.HALVES;
        return Math.min(chunkBytes, longest) == Math.min(CHUNK_BYTES, longest) ? BASE
                : chunkBytes > longest ? withChunk(longest) : this;
    }

    @Override
    public long memoryBytes(int nodes, int localRanks, long bytes) {
        return nodes == 1 ? windows(localRanks, bytes, Chunk.HALVES * chunkBytes)
                : memoryBytes(BinomialTree.INSTANCE.children(0, nodes), nodes, localRanks, bytes);
    }

    @Override
    public void run(Team team, Call call) {
        if (team.nodes() == 1) {
            runOnOneNode(team, call);
        } else {
            super.run(team, call);
        }
    }

    private void runOnOneNode(Team team, Call call) {
        Area target = call.target();
        Kernel kernel = call.kernel();
        int root = call.root();
        boolean lends = team.loans().lend(call.bytes(), call.source());
        Chunk chunk = IndexRange.chunks(team, call, chunkBytes);
        int step = IndexRange.meet(team, call, chunk, lends);
        if (step == 0) {
            runOnLent(team, call, chunk.longest(), chunk.window());
            return;
        }
        int rank = team.localRank();
        int size = team.localSize();
        boolean receives = rank == root;
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
            RankOrder.combineAround(team, call, chunk, start, end - start, receives ? target : shown,
                    (receives ? from : offset) + start);
            step++;
            team.post(Team.READY, step);
            if (receives) {
                for (int other = 0; other < size; other++) {
                    if (other != rank) {
                        team.await(other, Team.READY, step);
                        long begin = IndexRange.start(team, kernel, length, other);
                        team.copy(team.shown(other, window), offset + begin, target, from + begin,
                                IndexRange.start(team, kernel, length, other + 1) - begin);
                    }
                }
            }
        }
        team.loans().takeBack();
    }

    /**
     * Combines the elements of all ranks if all have lent their memory. In each round a rank combines its part of the
     * elements, and writes the result to one half of its window. The root writes its part to its target instead.
     */
    private static void runOnLent(Team team, Call call, long half, long window) {
        Area target = call.target();
        long bytes = call.bytes();
        Kernel kernel = call.kernel();
        int root = call.root();
        int rank = team.localRank();
        int size = team.localSize();
        long chunk = Math.min(bytes, size * half);
        int chunks = Partition.chunks(bytes, chunk);
        Area parts = rank == root ? null : team.show(window);

        for (int round = 1; round <= chunks; round++) {
            long from = (round - 1) * chunk;
            long length = Math.min(chunk, bytes - from);
            long offset = (round - 1) % Chunk.HALVES * half;
            long start = IndexRange.start(team, kernel, length, rank);
            long part = IndexRange.start(team, kernel, length, rank + 1) - start;
            if (rank != root) {
                team.await(root, Team.DONE, round - Chunk.HALVES);
                RankOrder.combineLent(team, call, from + start, part, parts, offset);
                if (round == chunks) {
                    team.loans().confirm(); // before other ranks can leave, and then break the communicator
                }
                team.post(Team.READY, 1L + round);
                continue;
            }
            RankOrder.combineLent(team, call, from + start, part, target, from + start);
            for (int other = 0; other < size; other++) {
                if (other != root) {
                    team.await(other, Team.READY, 1L + round);
                    long begin = IndexRange.start(team, kernel, length, other);
                    team.copy(team.shown(other, window), offset, target, from + begin,
                            IndexRange.start(team, kernel, length, other + 1) - begin);
                }
            }
            team.post(Team.DONE, round);
        }
        if (rank == root) {
            team.loans().confirm();
            team.post(Team.READY, 1L + chunks);
        }
        team.awaitOthers(Team.READY, 1L + chunks);
        team.loans().takeBack();
    }
}
