/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.reducescatter;

import org.tutti.Collective;
import org.tutti.collective.Algorithm;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.stage.RunChain;

/**
 * A reduce-scatter for non-commutative operators and any placement of ranks on nodes. For each block it combines the
 * elements in the order of the ranks. A run is a sequence of consecutive ranks on one node, and the runs form a chain
 * ({@link RunChain}). The last node of the chain sends the result to the rank to which the block belongs.
 */
public final class RankOrderReduceScatter extends Algorithm {
    /** Creates the algorithm; one object serves all ranks. */
    public RankOrderReduceScatter() {
        super(Collective.REDUCE_SCATTER,
                new Description("rank-order", Order.ALWAYS, "p·n·c·(runs + 2)", "p²·n·b at a master",
                        "p·n·b for each run of a node", "3 × 32 KiB, 2 edges of 32 KiB", "this project"));
    }

    @Override
    protected long operationBytesMax(Team team, Kernel kernel) {
        long chunks = Team.STEPS_MAX / (team.size() * RunChain.stepsMax(team));
        if (chunks == 0) {
            throw new IllegalArgumentException(team.describe() + " called reduce-scatter with " + team.size()
                    + " ranks on " + team.nodes() + " nodes and an operator that does not commute, which are more than "
                    + "can be combined in their order; use groups of fewer ranks");
        }
        long bytes = Math.min(team.operationBytesMax() / team.size(), chunks * RunChain.chunkBytes(team, kernel));
        return Math.max(kernel.unitBytes(), kernel.wholeUnits(bytes));
    }

    @Override
    public long memoryBytes(int nodes, int localRanks, long bytes) {
        return RunChain.memoryBytes(nodes, localRanks, bytes);
    }

    @Override
    public void run(Team team, Call call) {
        RunChain.run(team, call, RunChain.EACH);
        team.noteAllAreHere(); // the result has a contribution of every rank
    }
}
