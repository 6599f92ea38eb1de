/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import org.tutti.Collective;
import org.tutti.collective.Algorithm;
import org.tutti.collective.Team;
import org.tutti.collective.kernel.Kernel;

/**
 * The common part of broken copies of algorithms that move blocks directly between every two nodes. Ranks are placed in
 * blocks, equally many on each node.
 */
abstract class BrokenBlocks extends Algorithm {
    static final int MASTER = 0;
    static final long SHOWN = 1;
    private static final long BLOCK_BYTES_MAX = 4 << 10; // those of a node have room in a pair's eager buffer

    final Fault fault;

    BrokenBlocks(Collective collective, Fault fault) {
        super(collective, new Description("broken", Order.BLOCKS, "", "", "", "", ""));
        this.fault = fault;
    }

    @Override
    protected long operationBytesMax(Team team, Kernel kernel) {
        return BLOCK_BYTES_MAX;
    }

    @Override
    protected final boolean usesPairs() {
        return true;
    }

    /** The node at a distance, wrapping around. */
    static int node(Team team, int distance) {
        return Math.floorMod(team.node() + distance, team.nodes());
    }

    /** The rank of this node at a distance, wrapping around, by its place. */
    static int place(Team team, int distance) {
        return (team.localRank() + distance) % team.localSize();
    }

    @Override
    public final long memoryBytes(int nodes, int localRanks, long bytes) {
        return localRanks * 2L * nodes * localRanks * bytes; // in all operations of a call
    }
}
