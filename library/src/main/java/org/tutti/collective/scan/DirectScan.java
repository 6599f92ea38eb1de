/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.scan;

import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.blocks.Contributions;

/**
 * A scan in which every rank combines the contributions of the ranks before it, in their order, where these are shown
 * or have arrived ({@link Contributions}). Between nodes masters send to each other directly (Qian and Afsahi 2008,
 * section 5.1.2). One step in a node and n − 1 between nodes, but the most work: the last rank combines all
 * contributions. It is right for every placement.
 */
public final class DirectScan extends Scan {
    /**
     * @param exclusive true if a rank's own elements are left out
     */
    public DirectScan(boolean exclusive) {
        super(exclusive, new Description("direct", Order.ALWAYS, "1, n − 1 more between nodes", "b·p·n", "b·p·(n − 1)",
                "p·n·b at masters, b at others", "Qian, Afsahi 2008, section 5.1.2, and combining"));
    }

    @Override
    protected long blocksOnNode(int nodes, int ranks, int localRanks) {
        return ranks;
    }

    @Override
    public void run(Team team, Call call) {
        Contributions contributions = Contributions.of(team);
        contributions.open(call.source(), call.bytes(), call.isInPlace());
        int last = isExclusive() ? team.rank() - 1 : team.rank();
        for (int rank = 0; rank <= last; rank++) {
            take(team, call, rank == 0, contributions.of(rank)); // in place, this rank's own block is in its window
        }
        contributions.complete();
    }
}
