/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.collective.flow.Flow;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.layout.Label;
import org.tutti.collective.layout.RingLayout;

/**
 * One way to run a collective: {@link #run} against a {@link Team}, with a name, a source and bounds on time and
 * memory. An algorithm has no state; one object serves all ranks.
 */
public abstract class Algorithm {
    /** The placements of ranks for which an algorithm combines only contributions of consecutive ranks. */
    public enum Order {
        /** Every placement; also for algorithms that combine nothing. */
        ALWAYS,
        /** Placements in which each node has consecutive ranks. */
        BLOCKS,
        /** All ranks on one node; between nodes operators must commute. */
        ONE_NODE
    }

    /**
     * The catalogue's description of an algorithm, with p ranks on each of n nodes, b bytes and c chunks.
     *
     * @param name its name in options and messages, at most 32 characters
     * @param order the placements for which operators need not commute
     * @param steps the longest chain of waits, each for another rank
     * @param memoryBytes the bytes that the busiest rank copies or reads from others of its node
     * @param railBytes the bytes that enter the busiest node, or leave it, whichever are more
     * @param memory the shared memory that a rank or node needs during an operation
     * @param source the publication, with the section
     */
    public record Description(String name, Order order, String steps, String memoryBytes,
            String railBytes, String memory, String source) {
        /**
         * Describes the same algorithm for nodes that exchange with several others in a step.
         *
         * @param ports the number of others; the name does not tell 1
         * @return the description, with the number in the name
         */
        public Description withPorts(int ports) {
            return ports == 1 ? this : new Description(name + "@" + ports + "-ports", order, steps, memoryBytes,
                    railBytes, memory, source);
        }

        /**
         * Describes the same algorithm with chunks of another length.
         *
         * @param chunkBytes the length, a multiple of 1 KiB
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
     * Makes an algorithm.
     *
     * @param collective the collective that it runs
     * @param description its description in the catalogue
     */
    protected Algorithm(Collective collective, Description description) {
        this.collective = collective;
        this.description = description;
        this.label = new Label(description.name());
    }

    /**
     * {@return the collective that it runs}
     */
    public final Collective collective() {
        return collective;
    }

    /**
     * {@return its description in the catalogue}
     */
    public final Description description() {
        return description;
    }

    /**
     * {@return its name as descriptors hold it}
     */
    public final Label label() {
        return label;
    }

    /**
     * Tells whether the algorithm combines only contributions of consecutive ranks, as operators need that do not
     * commute.
     *
     * @param topology the nodes of the ranks
     * @return whether it does
     */
    public final boolean keepsOrder(Topology topology) {
        return switch (description.order()) {
            case ALWAYS -> true;
            case BLOCKS -> topology.isInBlocks();
            case ONE_NODE -> topology.nodes() == 1;
        };
    }

    /**
     * Returns the length of the longest operation. A call with more bytes, for a rank or for a block, is cut into
     * several operations.
     *
     * @param team the ranks
     * @param kernel the operator, or null
     * @return the length in bytes, the same at every rank
     */
    protected long operationBytesMax(Team team, Kernel kernel) {
        return team.operationBytesMax();
    }

    /**
     * {@return whether masters exchange over {@linkplain Team#pair pairs}}
     */
    protected boolean usesPairs() {
        return false;
    }

    /**
     * Tells whether an operation needs the {@linkplain RingLayout eager buffers}.
     *
     * @param bytes the length of the message
     * @return whether it does, on several nodes
     */
    public final boolean usesEagerBuffers(long bytes) {
        return usesPairs() || bytes > Flow.SHORT_BYTES_MAX;
    }

    /**
     * Runs one operation of a call at this rank.
     *
     * @param team the ranks, two or more, inside the operation
     * @param call the call; its areas and its length are those of the operation
     */
    public abstract void run(Team team, Call call);

    /**
     * Returns a bound on the shared memory of one node in which an operation puts data: the windows that the node's
     * ranks show, and the eager buffers of its edges. Data that fit beside words do not count.
     *
     * @param nodes the number of nodes
     * @param localRanks the number of ranks on the node
     * @param bytes the length of the message
     * @return the bytes; on a node with so many ranks that its windows are smaller, more than it needs
     */
    public abstract long memoryBytes(int nodes, int localRanks, long bytes);

    /**
     * Returns a bound as {@link #memoryBytes(int, int, long)} does, where nodes may have different numbers of ranks,
     * and for all operations of a call together, because each operation may use other windows.
     *
     * @param topology the nodes of the ranks
     * @param node the node
     * @param bytes the length of the message
     * @return the bytes
     */
    public long memoryBytes(Topology topology, int node, long bytes) {
        return memoryBytes(topology.nodes(), topology.ranksOn(node), bytes);
    }

    /**
     * Returns the size of the windows of several ranks.
     *
     * @param ranks the number of ranks on the node that show one
     * @param bytes the length of the message
     * @param most the longest window
     * @return their bytes
     */
    protected static long windows(int ranks, long bytes, long most) {
        return ranks * Math.min(bytes, most);
    }

    /**
     * Counts the ranks of a node that may show a window because they pass data on to the group that they lead. The
     * levels are not known here, but a group has two ranks or more, so at most every second rank leads one.
     *
     * @param localRanks the number of ranks on the node
     * @return the greatest number that may lead a group, the root included
     */
    protected static int leaders(int localRanks) {
        return (localRanks + 1) / 2;
    }

    /**
     * Returns the size of the eager buffers of edges, each with two halves that are used in turn.
     *
     * @param nodes the number of nodes; one node has no edges
     * @param edges the number of edges of the node over which data come
     * @param bytes the length of the message
     * @return their bytes
     */
    protected static long eagerBuffers(int nodes, int edges, long bytes) {
        return nodes == 1 ? 0 : edges * Math.min(2 * bytes, RingLayout.EAGER_BUFFER_BYTES);
    }
}
