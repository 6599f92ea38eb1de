/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.reduce;

import org.tutti.collective.Area;
import org.tutti.collective.Team;
import org.tutti.collective.kernel.Kernel;
import org.tutti.pattern.BinomialTree;
import org.tutti.pattern.Partition;

/**
 * SRM's reduce in a node: a binomial tree in shared memory (paper: section 2.2, "Shared Memory Reduce", and figure 2).
 * Only the leaves copy their elements; every inner rank combines its own with its children's where they lie, and the
 * last operator, at the root, writes into the caller's memory. With eight ranks that is four copies, where message
 * passing has seven.
 *
 * <p>Long messages go through two buffers a rank, in chunks, so that the levels of the tree work at the same time
 * (paper: section 2.4, "Reduce").
 *
 * <p>For operators that commute the tree is rooted at the root. For others it is rooted at rank 0, so that only runs of
 * consecutive ranks are combined, and the root copies the result from there.
 */
public final class SrmReduce extends Reduce {
    /** Each of the two buffers of a rank; the paper leaves the size open. */
    static final long BUFFER_BYTES = 64 << 10;

    private static final int BUFFERS = 2;

    /** The only object that is needed. */
    public SrmReduce() {
        super(new Description("srm", true, "⌊log₂ p⌋ + c", "⌈log₂ p⌉·n at the root", "2 × 64 KiB",
                "SRM 2003, sections 2.2 and 2.4"));
    }

    @Override
    public void run(Team team, Area source, Area target, long bytes, Kernel kernel, int root) {
        int rank = team.rank();
        int size = team.size();
        int top = kernel.isCommutative() ? root : 0;
        int position = Math.floorMod(rank - top, size);
        int children = BinomialTree.children(position, size);
        boolean shows = rank != top || top != root;
        int reader = rank == top ? root : (BinomialTree.parent(position) + top) % size;

        long buffer = kernel.wholeUnits(Math.min(BUFFER_BYTES, team.windowBytesMax() / BUFFERS));
        long window = Math.min(bytes, BUFFERS * buffer);
        int chunks = Partition.chunks(bytes, buffer);
        Area buffers = shows ? team.show(window) : null;

        for (int chunk = 1; chunk <= chunks; chunk++) {
            long from = (chunk - 1) * buffer;
            long length = Math.min(buffer, bytes - from);
            long place = (chunk - 1) % BUFFERS * buffer;
            if (shows) {
                team.await(reader, Team.DONE, chunk - BUFFERS);
            }
            if (children == 0) {
                team.copy(source, from, buffers, place, length);
            }
            Area accumulated = source;
            long at = from;
            for (int index = 0; index < children; index++) {
                int child = (BinomialTree.child(position, index) + top) % size;
                team.await(child, Team.READY, chunk);
                team.combine(kernel, accumulated, at, team.shown(child, window), place, shows ? buffers : target,
                        shows ? place : from, length);
                accumulated = shows ? buffers : target;
                at = shows ? place : from;
            }
            if (shows) {
                team.post(Team.READY, chunk);
            }
            if (rank == root && top != root) {
                team.await(top, Team.READY, chunk);
                team.copy(team.shown(top, window), place, target, from, length);
            }
            team.post(Team.DONE, chunk);
        }
    }
}
