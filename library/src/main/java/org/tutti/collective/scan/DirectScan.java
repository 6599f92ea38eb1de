/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.scan;

import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.blocks.Contributions;

/**
 * A scan in which every rank combines the contributions of the ranks up to itself, in the order of the ranks. It reads
 * a contribution in the memory in which a rank of its node shows it, or in which it has arrived from another node
 * ({@link Contributions}). Each master, the first rank of its node, sends the contributions of its node directly to
 * every other master (Qian and Afsahi 2008, section 5.1.2). The algorithm takes one step in a node and n − 1 between n
 * nodes. It combines more than other scans, because the last rank combines all contributions. It works for every
 * placement of ranks on nodes.
 */
public final class DirectScan extends Scan {
    /**
     * Creates the algorithm; one object serves all ranks.
     *
     * @param exclusive true for an exclusive scan, which omits a rank's own elements from its result
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
        contributions.open(call.source(), call.bytes(), call.isInPlace(), 1);
        int last = isExclusive() ? team.rank() - 1 : team.rank();
        for (int rank = 0; rank <= last; rank++) {
            take(team, call, rank == 0, contributions.of(rank)); // in place, this rank's own block is in its window
        }
        contributions.complete();
    }
}
