/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.collective.flow.Flow;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.layout.Label;
import org.tutti.collective.layout.RingLayout;

/**
 * What all algorithms tell about themselves. An algorithm is a plain method against {@link Team} and has no state; one
 * object serves all ranks.
 */
public abstract class Algorithm {
    /** For which placements of the ranks an algorithm combines the contributions of consecutive ranks only. */
    public enum Order {
        /** For every placement; also said of algorithms that combine nothing. */
        ALWAYS,
        /** When each node's ranks follow each other. */
        BLOCKS,
        /** When all ranks are on one node; between nodes operators must commute. */
        ONE_NODE
    }

    /**
     * What the catalogue says of an algorithm, with p ranks on each of n nodes, b bytes and c chunks.
     *
     * @param name how it is called in options and messages, at most 32 characters
     * @param order when operators need not commute
     * @param steps how many times some rank waits for another, one after the other
     * @param memoryBytes how many bytes the busiest rank copies or reads from others of its node
     * @param railBytes how many bytes enter or leave the busiest node, whichever is more
     * @param memory the shared memory that a rank or node needs while it runs
     * @param source where it was published, with the section
     */
    public record Description(String name, Order order, String steps, String memoryBytes,
            String railBytes, String memory, String source) {
        /**
         * Describes the same algorithm where a node exchanges with several others in a step.
         *
         * @param ports with how many; of one the name does not speak
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
     * @param collective what it does
     * @param description what the catalogue says of it
     */
    protected Algorithm(Collective collective, Description description) {
        this.collective = collective;
        this.description = description;
        this.label = new Label(description.name());
    }

    /**
     * {@return what it does}
     */
    public final Collective collective() {
        return collective;
    }

    /**
     * {@return what the catalogue says of it}
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
     * Tells whether it combines the contributions of consecutive ranks only, as operators need that do not commute.
     *
     * @param topology where the ranks are
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
     * Bounds the length of an operation: a call with more bytes, a rank's or a block's, is several operations.
     *
     * @param team the ranks
     * @param kernel the operator, or null
     * @return bytes, the same at every rank
     */
    protected long operationBytesMax(Team team, Kernel kernel) {
        return team.operationBytesMax();
    }

    /**
     * {@return whether masters exchange by {@linkplain Team#pair pairs}}
     */
    protected boolean usesPairs() {
        return false;
    }

    /**
     * Tells whether the {@linkplain RingLayout eager buffers} are needed.
     *
     * @param bytes the length of the message
     * @return whether they are, on several nodes
     */
    public final boolean usesEagerBuffers(long bytes) {
        return usesPairs() || bytes > Flow.SHORT_BYTES_MAX;
    }

    /**
     * Does an operation of a call at this rank.
     *
     * @param team the ranks, two or more, inside the operation
     * @param call what is called; its areas and its length are those of the operation
     */
    public abstract void run(Team team, Call call);

    /**
     * Bounds the shared memory of one node in which an operation puts data: the windows that the node's ranks show, and
     * the eager buffers of its edges. What fits beside words counts for nothing.
     *
     * @param nodes how many nodes there are
     * @param localRanks how many ranks the node has
     * @param bytes the length of the message
     * @return the bytes; on a node so wide that its windows are smaller, more than it needs
     */
    public abstract long memoryBytes(int nodes, int localRanks, long bytes);

    /**
     * Bounds the shared memory of a node as {@link #memoryBytes(int, int, long)} does, where nodes may have different
     * numbers of ranks, and in all operations of a call together: each may use other windows.
     *
     * @param topology where the ranks are
     * @param node the node
     * @param bytes the length of the message
     * @return the bytes
     */
    public long memoryBytes(Topology topology, int node, long bytes) {
        return memoryBytes(topology.nodes(), topology.ranksOn(node), bytes);
    }

    /**
     * Counts the windows of ranks.
     *
     * @param ranks how many ranks of the node show one
     * @param bytes the length of the message
     * @param most the longest window
     * @return their bytes
     */
    protected static long windows(int ranks, long bytes, long most) {
        return ranks * Math.min(bytes, most);
    }

    /**
     * Counts the ranks of a node that may show a window because they hand on data to the group that they lead: levels
     * are not known here, but a group has two ranks or more, so at most one for each two.
     *
     * @param localRanks how many ranks the node has
     * @return how many may lead a group, the root included
     */
    protected static int leaders(int localRanks) {
        return (localRanks + 1) / 2;
    }

    /**
     * Counts the eager buffers of edges, each with two halves in turn.
     *
     * @param nodes how many nodes there are; one has no edges
     * @param edges over how many edges of the node data come
     * @param bytes the length of the message
     * @return their bytes
     */
    protected static long eagerBuffers(int nodes, int edges, long bytes) {
        return nodes == 1 ? 0 : edges * Math.min(2 * bytes, RingLayout.EAGER_BUFFER_BYTES);
    }
}
