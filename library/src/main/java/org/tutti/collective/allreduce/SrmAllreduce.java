/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allreduce;

import org.tutti.collective.Area;
import org.tutti.collective.Team;
import org.tutti.collective.kernel.Kernel;
import org.tutti.pattern.BinomialTree;
import org.tutti.pattern.Partition;

/**
 * SRM's allreduce in a node: a reduce by the binomial tree to rank 0, followed by a broadcast from there (paper:
 * section 2.2, "Shared Memory Allreduce"). Only leaves copy their elements; rank 0 combines into its buffer, from which
 * everybody copies the result.
 *
 * <p>Long messages go through two buffers a rank, in chunks: while chunk k is being combined, the result of chunk k − 1
 * is copied out (paper: section 2.4, figure 5, the stages inside a node). A rank's DONE word of chunk k says that it
 * has read its children's contributions and rank 0's result.
 */
public final class SrmAllreduce extends Allreduce {
    private static final int TOP = 0;
    private static final int BUFFERS = 2;
    private static final long BUFFER_BYTES = 64 << 10;

    /** The only object that is needed. */
    public SrmAllreduce() {
        super(new Description("srm", true, "⌊log₂ p⌋ + 1 + c", "⌈log₂ p⌉·n at rank 0", "2 × 64 KiB",
                "SRM 2003, sections 2.2 and 2.4"));
    }

    @Override
    public void run(Team team, Area source, Area target, long bytes, Kernel kernel) {
        long buffer = kernel.wholeUnits(Math.min(BUFFER_BYTES, team.windowBytesMax() / BUFFERS));
        long window = Math.min(bytes, BUFFERS * buffer);
        int chunks = Partition.chunks(bytes, buffer);
        Area buffers = team.show(window);
        for (int step = 1; step <= chunks + 1; step++) {
            if (step <= chunks) {
                contribute(team, source, bytes, kernel, buffer, window, buffers, step);
            }
            if (step > 1) {
                receive(team, target, bytes, buffer, window, buffers, step - 1);
            }
        }
    }

    private static void contribute(Team team, Area source, long bytes, Kernel kernel, long buffer, long window,
            Area buffers, int chunk) {
        int rank = team.rank();
        int children = BinomialTree.children(rank, team.size());
        long from = (chunk - 1) * buffer;
        long length = Math.min(buffer, bytes - from);
        long place = (chunk - 1) % BUFFERS * buffer;
        if (rank == TOP) {
            team.awaitOthers(Team.DONE, chunk - BUFFERS);
        } else {
            team.await(BinomialTree.parent(rank), Team.DONE, chunk - BUFFERS);
        }
        if (children == 0) {
            team.copy(source, from, buffers, place, length);
        }
        Area accumulated = source;
        long at = from;
        for (int index = 0; index < children; index++) {
            int child = BinomialTree.child(rank, index);
            team.await(child, Team.READY, chunk);
            team.combine(kernel, accumulated, at, team.shown(child, window), place, buffers, place, length);
            accumulated = buffers;
            at = place;
        }
        team.post(Team.READY, chunk);
    }

    private static void receive(Team team, Area target, long bytes, long buffer, long window, Area buffers, int chunk) {
        long from = (chunk - 1) * buffer;
        long length = Math.min(buffer, bytes - from);
        long place = (chunk - 1) % BUFFERS * buffer;
        if (team.rank() == TOP) {
            team.copy(buffers, place, target, from, length);
        } else {
            team.await(TOP, Team.READY, chunk);
            team.copy(team.shown(TOP, window), place, target, from, length);
        }
        team.post(Team.DONE, chunk);
    }
}
