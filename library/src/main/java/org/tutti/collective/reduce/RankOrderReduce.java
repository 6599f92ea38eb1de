/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.reduce;

import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.stage.RunChain;

/**
 * Reduce in the order of the ranks wherever they are, for non-commutative operators: a chain of runs of consecutive
 * ranks ({@link RunChain}). Its last node sends the result to the root. There are as many steps a chunk as runs, and
 * two more; a node sends b bytes for each of its runs.
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
