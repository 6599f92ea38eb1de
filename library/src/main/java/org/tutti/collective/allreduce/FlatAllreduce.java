/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allreduce;

import org.tutti.collective.Area;
import org.tutti.collective.RankOrder;
import org.tutti.collective.Team;
import org.tutti.collective.kernel.Kernel;
import org.tutti.pattern.Partition;

/**
 * Allreduce, the flat baseline: every rank shows its elements, and every rank combines them all, in the order of the
 * ranks, so that all get the same bits. One step; for few ranks and few bytes nothing is faster.
 *
 * <p>Long messages alternate between two parts of a rank's window. No rank says when it has read a part: one that shows
 * chunk k has read chunk k − 1 of everybody, so whoever has seen everybody's chunk k may overwrite chunk k − 1.
 */
public final class FlatAllreduce extends Allreduce {
    private static final int PARTS = 2;

    /** The only object that is needed. */
    public FlatAllreduce() {
        super(new Description("flat", Order.ALWAYS, false, "c", "(p−1)·b", "0", "min(b, 512 KiB)",
                "Tutti: baseline"));
    }

    @Override
    public void run(Team team, Area source, Area target, long bytes, Kernel kernel) {
        long chunk = kernel.wholeUnits(team.windowBytesMax() / PARTS);
        long window = Math.min(bytes, PARTS * chunk);
        int chunks = Partition.chunks(bytes, chunk);
        Area parts = team.show(window);
        for (int step = 1; step <= chunks; step++) {
            long from = (step - 1) * chunk;
            long length = Math.min(chunk, bytes - from);
            long place = (step - 1) % PARTS * chunk;
            team.copy(source, from, parts, place, length);
            team.post(Team.READY, step);
            team.awaitOthers(Team.READY, step);
            RankOrder.combineAll(team, kernel, parts, window, place, target, from, length);
        }
    }
}
