/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allreduce;

import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.stage.ChengMasters;
import org.tutti.collective.stage.ChengSum;

/**
 * An allreduce by Cheng's two-level global sum (section 3). In each node an SMP master combines the elements of the
 * node's ranks in shared memory. One of the SMP masters is the cluster master ({@link ChengMasters}). It combines the
 * sums of all nodes, and the total is put into each node's shared memory, from which every rank copies it. A chunk
 * takes three steps, and two more if SMP masters are not the first ranks of their nodes. On n nodes, n − 1 messages
 * come to the cluster master's node and n − 1 leave it. {@link ChengSum} has the algorithm, and argues why nothing is
 * overwritten and why it ends.
 */
public final class ChengAllreduce extends Allreduce {
    private final ChengMasters masters;

    /**
     * Creates the algorithm; one object serves all ranks.
     *
     * @param masters determines the masters of each operation
     */
    public ChengAllreduce(ChengMasters masters) {
        super(new Description(masters.algorithm(), Order.BLOCKS, masters.isDrawn() ? "5·c, and n − 1 puts in a row"
                : "3·c, and n − 1 puts in a row", "(p−1)·b at an SMP master", "(n−1)·b at the cluster master",
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
