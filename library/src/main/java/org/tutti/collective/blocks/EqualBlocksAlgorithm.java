/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.blocks;

import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.collective.Algorithm;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.layout.WindowSizes;
import org.tutti.memory.Words;

/**
 * The base class of algorithms for blocks of equal length. The ranks show all blocks in windows, the memory that they
 * share with the other ranks of their node. The masters, the ranks that exchange data with other nodes, send the blocks
 * over {@linkplain Team#pair pairs}. If the blocks are too long for a window, the call is divided into several
 * operations, unless the blocks {@linkplain #lands land}.
 */
public abstract class EqualBlocksAlgorithm extends Algorithm {
    /** The step that a rank posts with {@link Team#READY} when it has shown its data. */
    protected static final long SHOWN = 1;

    /**
     * The length in bytes of the shortest block that lands in the caller's memory though a window has room for it. A
     * shorter block is copied from the window in less time than it takes to register that memory and to revoke the
     * registration.
     */
    private static final long LANDING_BYTES_MIN = 128 << 10;

    /** The length in bytes of the longest block of an operation in which blocks land: more than any memory holds. */
    private static final long LANDING_OPERATION_BYTES_MAX = 1L << 47;

    /**
     * Creates an algorithm.
     *
     * @param collective the collective that the algorithm runs
     * @param description the algorithm's entry in the catalogue
     */
    protected EqualBlocksAlgorithm(Collective collective, Description description) {
        super(collective, description);
    }

    /**
     * Returns an upper bound on the number of blocks that are in the shared memory of a node during an operation. These
     * are the blocks that the ranks of the node show and the blocks that come to the node.
     *
     * @param nodes the number of nodes
     * @param ranks the number of ranks on all nodes
     * @param localRanks the number of ranks on the node
     * @return the bound on the number of blocks
     */
    protected abstract long blocksOnNode(int nodes, int ranks, int localRanks);

    @Override
    public final long memoryBytes(int nodes, int localRanks, long bytes) {
        return Math.min(blocksOnNode(nodes, nodes * localRanks, localRanks) * bytes,
                (localRanks + 1) * WindowSizes.WINDOW_BYTES_MAX);
    }

    @Override
    public long memoryBytes(Topology topology, int node, long bytes) {
        return blocksOnNode(topology.nodes(), topology.size(), topology.ranksOn(node)) * bytes;
    }

    @Override
    protected final long operationBytesMax(Team team, Kernel kernel) {
        if (landsLongBlocks() && isOneRankOnEachNode(team)) {
            return LANDING_OPERATION_BYTES_MAX;
        }
        long most = blockBytesMax(team);
        long bytes = kernel != null ? kernel.wholeUnits(most)
                : most > Words.LINE_BYTES ? most / Words.LINE_BYTES * Words.LINE_BYTES : most;
        if (bytes == 0) {
            throw new IllegalArgumentException(team.describe() + " called " + collective().label() + " with "
                    + team.size() + " ranks, of each of which a window has room for " + most + " bytes"
                    + (kernel == null ? "" : ", and the operator's unit has " + kernel.unitBytes())
                    + "; use groups of fewer ranks");
        }
        return bytes;
    }

    /**
     * Returns whether this algorithm lets long blocks land where each node has a single rank. If it does, {@link
     * #lands} tells which blocks are long, and a call is one operation however long the blocks are.
     *
     * @return false, unless an algorithm overrides this method
     */
    protected boolean landsLongBlocks() {
        return false;
    }

    /**
     * Returns whether the blocks of the current operation go from the caller's source to the caller's target ({@link
     * Landing}). The ranks then show no blocks, and invite other nodes to no window. Blocks land if they are long, and
     * each node has a single rank. Several ranks of a node would need an invitation with a distance of the blocks.
     *
     * <p>The algorithm must not send bytes of the target that a landing block replaces.
     *
     * @param team the team of the calling rank
     * @param call the call, with the blocks of the current operation
     * @return whether the blocks land, the same at every rank
     */
    protected final boolean lands(Team team, Call call) {
        return isOneRankOnEachNode(team) && (call.bytes() >= LANDING_BYTES_MIN || call.bytes() > blockBytesMax(team));
    }

    private static boolean isOneRankOnEachNode(Team team) {
        return team.ranksMax() == 1 && team.nodes() > 1;
    }

    /**
     * Returns the length of the longest block for which every rank's window has room, together with the other blocks
     * that the algorithm puts there.
     *
     * @param team the team of the calling rank
     * @return the length in bytes, the same at every rank; 0 if a window has no room even for blocks of one byte
     */
    protected long blockBytesMax(Team team) {
        return team.blockBytesMax();
    }

    @Override
    protected final boolean usesPairs() {
        return true;
    }
}
