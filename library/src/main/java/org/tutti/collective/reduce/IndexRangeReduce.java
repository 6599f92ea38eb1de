/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.reduce;

import org.tutti.collective.Area;
import org.tutti.collective.Counts;
import org.tutti.collective.NodeTree;
import org.tutti.collective.RankOrder;
import org.tutti.collective.Team;
import org.tutti.collective.kernel.Kernel;
import org.tutti.pattern.BinomialTree;
import org.tutti.pattern.Partition;

/**
 * Reduce by index range: every rank combines one p-th of the elements of all ranks, so that all cores work and each
 * contribution is read once; the root copies the parts together. The steps of {@link
 * org.tutti.collective.allreduce.IndexRangeAllreduce}, which explains why two parts of a window are enough.
 *
 * <p>On several nodes the ranks of each combine by index range in their master's window ({@link
 * org.tutti.collective.NodeStage}), and the masters by a binomial tree.
 */
public final class IndexRangeReduce extends TwoLevelReduce {
    private static final int PARTS = 2;
    private static final long CHUNK_BYTES = 256 << 10;

    /** The only object that is needed. */
    public IndexRangeReduce() {
        super(new Description("index-range", Order.BLOCKS, "2·c; n > 1: 3·c + ⌊log₂ n⌋", "2·b·(p−1)/p",
                "⌈log₂ n⌉·b", "min(2·b, 512 KiB); n > 1: 2 × 32 KiB, and as much an edge", "Tutti"),
                new NodeTree(BinomialTree.INSTANCE));
    }

    @Override
    public Counts counts(int nodes, int localRanks, long bytes) {
        if (nodes == 1) {
            double chunks = Math.max(1, Math.ceil((double) bytes / CHUNK_BYTES));
            double part = (double) bytes * (localRanks - 1) / localRanks;
            return new Counts(2 * chunks, 2 * part, part, 0, 0);
        }
        double depth = Math.floor(Math.log(nodes) / Math.log(2) + 1e-9);
        return counts(depth, Math.ceil(Math.log(nodes) / Math.log(2) - 1e-9), localRanks, bytes);
    }

    @Override
    public long memoryBytes(int nodes, int localRanks, long bytes) {
        return nodes == 1 ? windows(localRanks, bytes, PARTS * CHUNK_BYTES)
                : memoryBytes(BinomialTree.INSTANCE.children(0, nodes), nodes, localRanks, bytes);
    }

    @Override
    public void run(Team team, Area source, Area target, long bytes, Kernel kernel, int root) {
        if (team.nodes() == 1) {
            runOnOneNode(team, source, target, bytes, kernel, root);
        } else {
            super.run(team, source, target, bytes, kernel, root);
        }
    }

    private static void runOnOneNode(Team team, Area source, Area target, long bytes, Kernel kernel, int root) {
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

            boolean receives = rank == root;
            RankOrder.combineAround(team, kernel, source, from + start, window, place + start,
                    receives ? target : parts, (receives ? from : place) + start, end - start);
            team.post(Team.READY, 2L * round);
            if (receives) {
                for (int other = 0; other < size; other++) {
                    if (other != rank) {
                        team.await(other, Team.READY, 2L * round);
                        long begin = Partition.start(length, unit, size, other);
                        team.copy(team.shown(other, window), place + begin, target, from + begin,
                                Partition.start(length, unit, size, other + 1) - begin);
                    }
                }
            }
        }
    }
}
