/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.reduce;

import org.tutti.collective.Area;
import org.tutti.collective.RankOrder;
import org.tutti.collective.Team;
import org.tutti.collective.kernel.Kernel;
import org.tutti.pattern.Partition;

/**
 * Reduce, the flat baseline: every rank shows its elements and goes on, the root combines them all. Nobody but the root
 * waits when the message is a single chunk, so repeated reductions run ahead of the root by as many operations as there
 * are slots. Longer messages alternate between two parts of a rank's window.
 */
public final class FlatReduce extends Reduce {
    private static final int PARTS = 2;

    /** The only object that is needed. */
    public FlatReduce() {
        super(new Description("flat", Order.ALWAYS, false, "c + 1", "(p−1)·b at the root", "0", "min(b, 512 KiB)",
                "Tutti: baseline"));
    }

    @Override
    public void run(Team team, Area source, Area target, long bytes, Kernel kernel, int root) {
        long chunk = kernel.wholeUnits(team.windowBytesMax() / PARTS);
        long window = Math.min(bytes, PARTS * chunk);
        int chunks = Partition.chunks(bytes, chunk);
        boolean receives = team.localRank() == root;
        Area parts = receives ? null : team.show(window);
        for (int step = 1; step <= chunks; step++) {
            long from = (step - 1) * chunk;
            long length = Math.min(chunk, bytes - from);
            long place = (step - 1) % PARTS * chunk;
            if (receives) {
                team.awaitOthers(Team.READY, step);
                RankOrder.combineAround(team, kernel, source, from, window, place, target, from, length);
                team.post(Team.DONE, step);
            } else {
                team.await(root, Team.DONE, step - PARTS);
                team.copy(source, from, parts, place, length);
                team.post(Team.READY, step);
            }
        }
    }
}
