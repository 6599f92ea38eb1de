/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.reduce;

import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.stage.ChengMasters;
import org.tutti.collective.stage.ChengSum;

/**
 * A reduce by Cheng's two-level scheme, which "works for any global collective operation" (section 3). In each node an
 * SMP master combines the elements of the node's ranks in shared memory, and the cluster master combines the sums of
 * the nodes ({@link ChengMasters}). In {@code cheng} the cluster master is the root. In {@code cheng-random} it is any
 * rank, so one more message may bring the total to the root's node. A chunk takes two steps to the root as the cluster
 * master. With drawn masters it takes up to five. On n nodes, n − 1 messages come to the cluster master's node.
 *
 * <p>{@link ChengSum} has the algorithm, and argues why nothing is overwritten and why it ends. Ranks that do not get
 * the total go on when their elements have been read, so only a long message, of several chunks, makes them wait.
 */
public final class ChengReduce extends Reduce {
    private final ChengMasters masters;

    /**
     * Creates the algorithm; one object serves all ranks.
     *
     * @param masters determines the masters of each operation
     */
    public ChengReduce(ChengMasters masters) {
        super(new Description(masters.algorithm(), Order.BLOCKS, masters.isDrawn() ? "5·c" : "2·c",
                "(p−1)·b at an SMP master", "(n−1)·b at the cluster master",
                "32 KiB a rank, 2 × 32 KiB an edge; n − 1 pairs", masters.source()));
        this.masters = masters;
    }

    /** {@return the masters of each operation} */
    public ChengMasters masters() {
        return masters;
    }

    @Override
    public long memoryBytes(int nodes, int localRanks, long bytes) {
        return ChengSum.memoryBytes(nodes, localRanks, bytes);
    }

    @Override
    protected boolean usesPairs() {
        return true;
    }

    @Override
    public void run(Team team, Call call) {
        ChengSum.run(team, call, masters);
    }
}
