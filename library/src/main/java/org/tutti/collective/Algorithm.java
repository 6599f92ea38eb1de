/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.collective.flow.Flow;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.layout.Label;
import org.tutti.collective.layout.RingLayout;

/**
 * One way to run a collective. A subclass implements {@link #run} with the methods of a {@link Team}, and has a name, a
 * source and bounds on time and memory. An algorithm has no state, so one object serves all ranks.
 */
public abstract class Algorithm {
    /** The placements of ranks on nodes with which an algorithm combines only contributions of consecutive ranks. */
    public enum Order {
        /** Every placement. Also for algorithms that combine nothing. */
        ALWAYS,
        /** Placements in which each node has consecutive ranks. */
        BLOCKS,
        /** Placements with all ranks on one node. On several nodes, operators must commute. */
        ONE_NODE
    }

    /**
     * The description of an algorithm in the catalogue. In formulas there are p ranks on each of n nodes, b bytes and c
     * chunks.
     *
     * @param name the name in options and messages, at most 32 characters
     * @param order the placements with which operators need not commute
     * @param steps the length of the longest chain of waits, each for another rank
     * @param memoryBytes the bytes that the busiest rank copies, or reads from other ranks of its node
     * @param railBytes the bytes that enter or leave the busiest node, whichever are more
     * @param memory the shared memory that a rank or node needs during an operation
     * @param source the publication, with the section
     */
    public record Description(String name, Order order, String steps, String memoryBytes,
            String railBytes, String memory, String source) {
        /**
         * Returns the description of the same algorithm for nodes that exchange with several other nodes in a step.
         *
         * @param ports the number of other nodes, 1 or more
         * @return the description, with the number in the name unless it is 1
         */
        public Description withPorts(int ports) {
            return ports == 1 ? this : new Description(name + "@" + ports + "-ports", order, steps, memoryBytes,
                    railBytes, memory, source);
        }

        /**
         * Returns the description of the same algorithm with chunks of another length.
         *
         * @param chunkBytes the length in bytes, a multiple of 1 KiB
         * @return the description, with the length in the name
         */
        public Description withChunk(long chunkBytes) {
            return new Description(name + "@" + (chunkBytes >> 10) + "k", order, steps, memoryBytes, railBytes, memory,
                    source);
        }
    }

    private final Collective collective;
    private final Description description;
    private final Label label;

    /**
     * Creates an algorithm.
     *
     * @param collective the collective that the algorithm runs
     * @param description the description in the catalogue
     */
    protected Algorithm(Collective collective, Description description) {
        this.collective = collective;
        this.description = description;
        this.label = new Label(description.name());
    }

    /** {@return the collective that the algorithm runs} */
    public final Collective collective() {
        return collective;
    }

    /** {@return the description of the algorithm in the catalogue} */
    public final Description description() {
        return description;
    }

    /** {@return the name of the algorithm in the form that descriptors of calls hold} */
    public final Label label() {
        return label;
    }

    /**
     * Returns whether the algorithm combines only contributions of consecutive ranks with a placement of ranks.
     * Operators that do not commute need this.
     *
     * @param topology the nodes of the ranks
     * @return whether non-commutative operators are allowed
     */
    public final boolean keepsOrder(Topology topology) {
        return switch (description.order()) {
            case ALWAYS -> true;
            case BLOCKS -> topology.isInBlocks();
            case ONE_NODE -> topology.nodes() == 1;
        };
    }

    /**
     * Returns the length of the longest operation. If a call has more bytes, for a rank or for a block, it is cut into
     * several operations.
     *
     * @param team the team that runs the call
     * @param kernel the operator, or null if nothing is combined
     * @return the length in bytes, the same at every rank
     */
    protected long operationBytesMax(Team team, Kernel kernel) {
        return team.operationBytesMax();
    }

    /** {@return whether masters exchange data over {@linkplain Team#pair pairs}} */
    protected boolean usesPairs() {
        return false;
    }

    /**
     * Returns whether an operation needs the {@linkplain RingLayout eager buffers} if there are several nodes.
     *
     * @param bytes the length of the message
     * @return whether it needs them
     */
    public final boolean usesEagerBuffers(long bytes) {
        return usesPairs() || bytes > Flow.SHORT_BYTES_MAX;
    }

    /**
     * Runs one operation of a call at this rank. The operation has begun; the caller leaves it afterwards.
     *
     * @param team the team of this rank, with two or more ranks
     * @param call the call, with the areas and the length of the operation
     */
    public abstract void run(Team team, Call call);

    /**
     * Returns an upper bound on the shared memory of one node in which an operation puts data: the windows that the
     * node's ranks show, and the eager buffers of its edges. Data beside words do not count.
     *
     * @param nodes the number of nodes
     * @param localRanks the number of ranks on the node
     * @param bytes the length of the message
     * @return the bound in bytes. If a node has so many ranks that its windows are smaller, the bound is greater than
     *         the need
     */
    public abstract long memoryBytes(int nodes, int localRanks, long bytes);

    /**
     * Returns an upper bound as {@link #memoryBytes(int, int, long)} does, for nodes that may have different numbers of
     * ranks. It holds for all operations of a call together, because each operation may use other windows.
     *
     * @param topology the nodes of the ranks
     * @param node the node
     * @param bytes the length of the message
     * @return the bound in bytes
     */
    public long memoryBytes(Topology topology, int node, long bytes) {
        return memoryBytes(topology.nodes(), topology.ranksOn(node), bytes);
    }

    /**
     * Returns the size of the windows of several ranks together.
     *
     * @param ranks the number of ranks on the node that show a window
     * @param bytes the length of the message
     * @param most the length of the longest window, in bytes
     * @return the size in bytes
     */
    protected static long windows(int ranks, long bytes, long most) {
        return ranks * Math.min(bytes, most);
    }

    /**
     * Returns the greatest number of ranks of a node that may show a window because they pass data on to the group that
     * they lead. The levels are not known here. A group has two ranks or more, so at most every second rank leads one.
     *
     * @param localRanks the number of ranks on the node
     * @return the greatest number of ranks that may lead a group, the root included
     */
    protected static int leaders(int localRanks) {
        return (localRanks + 1) / 2;
    }

    /**
     * Returns the size of the eager buffers of edges. Each buffer has two halves that are used in turn.
     *
     * @param nodes the number of nodes; one node has no edges
     * @param edges the number of edges of the node over which data come
     * @param bytes the length of the message
     * @return the size in bytes
     */
    protected static long eagerBuffers(int nodes, int edges, long bytes) {
        return nodes == 1 ? 0 : edges * Math.min(2 * bytes, RingLayout.EAGER_BUFFER_BYTES);
    }
}
