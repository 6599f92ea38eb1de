/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.reduce;

import org.tutti.collective.Algorithm;
import org.tutti.collective.layout.CallShape;
import org.tutti.collective.stage.NodeTree;
import org.tutti.pattern.ChainTree;

/**
 * A reduce along a pipelined chain of nodes, as in Open MPI. Each node combines a chunk of its own ranks with the chunk
 * that arrives from the node behind it, and sends the result to the node before it. The first node is the root's node,
 * or node 0 for non-commutative operators. Every node receives and sends each byte at most once, for any number n of
 * nodes. The price is a chain of n − 1 steps.
 *
 * <pre>
 *  3 nodes, root on 0, chunks a b c:     2 –a→ 1   2 –b→ 1   2 –c→ 1
 *                                                  1 –a→ 0   1 –b→ 0   1 –c→ 0
 * </pre>
 */
public final class ChainReduce extends TwoLevelReduce {
    private static final FlatReduce FLAT = new FlatReduce();

    /** Creates the algorithm; one object serves all ranks. */
    public ChainReduce() {
        super(new Description("chain", Order.BLOCKS, "3·c + n − 1", "2·b·(p−1)/p + b", "b",
                "2 × 32 KiB, 64 KiB an edge; > 64 KiB 2 × 60 KiB, the inbox", "Tutti; pipelined chain, as in Open MPI"),
                new NodeTree(ChainTree.INSTANCE));
    }

    @Override
    protected Algorithm runsAs(CallShape shape) {
        return shape.nodes() == 2 ? FLAT : this;
    }

    @Override
    public long memoryBytes(int nodes, int localRanks, long bytes) {
        return memoryBytes(1, nodes, localRanks, bytes);
    }
}
