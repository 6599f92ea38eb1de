/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.reduce;

import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.stage.RunChain;

/**
 * A reduce for non-commutative operators and any placement of ranks on nodes. It combines the elements in the order of
 * the ranks. A run is a sequence of consecutive ranks on one node, and the runs form a chain ({@link RunChain}). The
 * last node of the chain sends the result to the root. A chunk takes two more steps than there are runs. For b bytes, a
 * node sends b bytes for each of its runs.
 */
public final class RankOrderReduce extends Reduce {
    /** Creates the algorithm; one object serves all ranks. */
    public RankOrderReduce() {
        super(new Description("rank-order", Order.ALWAYS, "c·(runs + 2)", "p·b at a master",
                "b for each run of a node", "3 × 32 KiB, 2 edges of 32 KiB", "Tutti"));
    }

    @Override
    public long memoryBytes(int nodes, int localRanks, long bytes) {
        return RunChain.memoryBytes(nodes, localRanks, bytes);
    }

    @Override
    public void run(Team team, Call call) {
        RunChain.run(team, call, call.root());
    }
}
