/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.blocks;

import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.collective.Algorithm;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.layout.CallShape;

/**
 * A gather, scatter, allgather or all-to-all with blocks of any length by an algorithm for blocks of equal length, the
 * carrier. The carrier moves a record for each block, with the length of the block and its first bytes ({@link
 * BlockRecords}). The other bytes of longer blocks go as in {@link AnyBlocksAlgorithm}: node by node, after the
 * receiver has invited the sender. Between two nodes that have no longer blocks for each other, only messages of the
 * carrier are sent.
 *
 * <p>The records are one operation of the carrier, or several if its operations are shorter than a record. One further
 * operation moves the bytes that are left. All ranks of an allgather know all lengths, so they omit this operation if
 * no block is longer than a record. In the other collectives only two ranks know the length of a block, and the number
 * of operations must be the same at all ranks.
 */
public final class CarriedBlocksAlgorithm extends Algorithm {
    /** The greatest number of bytes of a block that the carrier moves. */
    public static final long CARRIED_BYTES_MAX = Sections.RECORD_BYTES - Sections.LEFT_BYTES;

    private final EqualBlocksAlgorithm carrier;

    private CarriedBlocksAlgorithm(EqualBlocksAlgorithm carrier) {
        super(carrier.collective(), carrier.description());
        this.carrier = carrier;
    }

    /**
     * Returns the algorithm that runs calls with blocks of any length if an algorithm is requested for a collective.
     *
     * @param requested the requested algorithm
     * @return the algorithm, with the same name; the requested algorithm itself if it runs such calls
     */
    public static Algorithm of(Algorithm requested) {
        return requested instanceof EqualBlocksAlgorithm equal && !requested.collective().combines()
                ? new CarriedBlocksAlgorithm(equal)
                : requested;
    }

    private BlockExchange exchange(Team team) {
        return BlockExchange.ofRest(team, collective());
    }

    @Override
    protected long operationBytesMax(Team team, Kernel kernel) {
        return exchange(team).blockBytesMax();
    }

    private long recordOperations(Team team) {
        return Math.ceilDiv(Sections.RECORD_BYTES, carrier.operationBytesMax(team, null));
    }

    @Override
    protected long furtherOperations(Team team, Call call) {
        boolean areShort = collective() == Collective.ALLGATHER
                && call.longestBlockBytes(team.size()) <= CARRIED_BYTES_MAX;
        return recordOperations(team) - (areShort ? 1 : 0);
    }

    /** Returns the algorithm with the carrier that really moves the records, which are equal blocks. */
    @Override
    protected Algorithm runsAs(CallShape shape) {
        return of(carrier.actual(shape.withEqualBlocks(Sections.RECORD_BYTES)));
    }

    /** Returns the name of the carrier, and says that the algorithm blocks moves the other bytes, if there are any. */
    @Override
    public String describe(CallShape shape) {
        return super.describe(shape) + ", rest by blocks";
    }

    @Override
    protected boolean usesPairs() {
        return true;
    }

    @Override
    public long memoryBytes(int nodes, int localRanks, long bytes) {
        return carrier.memoryBytes(nodes, localRanks, Sections.RECORD_BYTES)
                + AnyBlocksAlgorithm.memoryBytes(nodes, nodes * localRanks, localRanks, bytes);
    }

    @Override
    public long memoryBytes(Topology topology, int node, long bytes) {
        return carrier.memoryBytes(topology, node, Sections.RECORD_BYTES) + AnyBlocksAlgorithm
                .memoryBytes(topology.nodes(), topology.size(), topology.ranksOn(node), bytes);
    }

    @Override
    public void run(Team team, Call call) {
        long index = 1 + furtherOperations(team, call) - call.operationsLeft();
        if (index < recordOperations(team)) {
            exchange(team).records().run(call, carrier, index == 0);
        } else {
            exchange(team).run(call);
        }
    }
}
