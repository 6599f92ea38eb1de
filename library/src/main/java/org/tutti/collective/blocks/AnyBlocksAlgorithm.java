/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.blocks;

import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.collective.Algorithm;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.layout.RingLayout;

/**
 * A gather, scatter, allgather or all-to-all with blocks of any length. Only the sender and the receiver of a block
 * need to know its length. Blocks of equal length are allowed, too. {@link BlockExchange} does the work. The first
 * bytes of all blocks are sent together and eagerly, that is, to memory that is reserved for them at the receiver. The
 * other bytes are sent node by node and by rendezvous, that is, after the receiver has invited the sender.
 */
public final class AnyBlocksAlgorithm extends Algorithm {
    private static final int LEFT_BYTES = 2 * Long.BYTES; // the bytes left for a reader, and the rounding of a chunk

    /**
     * Creates the algorithm for a collective.
     *
     * @param collective a gather, a scatter, an allgather or an all-to-all
     */
    public AnyBlocksAlgorithm(Collective collective) {
        super(collective, new Description("blocks", Order.ALWAYS, "1, n − 1 more between nodes; 2 more a round",
                "2·b·p·n", "b·p·(n − 1); all-to-all b·p²·(n − 1)", "up to 1.25 MiB a rank, 2 MiB at masters",
                "this project, after Qian, Afsahi 2008, section 5.1.3, and Portals' eager and rendezvous"));
    }

    @Override
    protected long operationBytesMax(Team team, Kernel kernel) {
        return BlockExchange.of(team, collective()).blockBytesMax();
    }

    @Override
    protected boolean usesPairs() {
        return true;
    }

    @Override
    public long memoryBytes(int nodes, int localRanks, long bytes) {
        return Math.min(memoryBytes(nodes, nodes * localRanks, localRanks, bytes),
                BlockExchange.usedBytesMax(nodes, localRanks)
                        + nodes * (RingLayout.pairEagerBytes(nodes) + RingLayout.pairLongBytes(nodes)));
    }

    @Override
    public long memoryBytes(Topology topology, int node, long bytes) {
        return memoryBytes(topology.nodes(), topology.size(), topology.ranksOn(node), bytes);
    }

    /**
     * Returns an upper bound on the memory for the blocks that the ranks of a node show and the blocks that come to the
     * node. The sum is doubled, because a chunk of a block may be as short as the number that stands in front of it.
     */
    static long memoryBytes(int nodes, int ranks, int localRanks, long bytes) {
        long shown = (nodes + 1L + ranks) * LEFT_BYTES + ranks * bytes;
        long arrived = nodes == 1 ? 0 : ranks * (bytes + LEFT_BYTES);
        return 2 * localRanks * (shown + arrived);
    }

    @Override
    public void run(Team team, Call call) {
        BlockExchange.of(team, collective()).run(call);
    }
}
