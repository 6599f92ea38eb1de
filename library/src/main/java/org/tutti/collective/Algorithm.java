/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.collective.flow.Flow;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.layout.CallShape;
import org.tutti.collective.layout.Label;
import org.tutti.collective.layout.RingLayout;

/**
 * An algorithm for one of the collectives. A subclass implements {@link #run} with the methods of a {@link Team}, a
 * rank's handle on a communicator. Its {@link Description} has the name, the publication, and bounds on time and
 * memory. An algorithm has no state, so one object serves all ranks.
 */
public abstract class Algorithm {
    /**
     * The placements of ranks on nodes with which an algorithm combines contributions in the order of the ranks. Only
     * with these placements may it run operators that do not commute.
     */
    public enum Order {
        /** Every placement. Algorithms that combine nothing have this order, too. */
        ALWAYS,
        /** Placements in which each node has consecutive ranks. */
        BLOCKS,
        /** Placements with all ranks on one node. If there are several nodes, operators must commute. */
        ONE_NODE
    }

    /**
     * The description of an algorithm in the catalogue, the list of algorithms that users can name. Costs are formulas
     * in four letters: there are n nodes with p ranks each, and a message has b bytes and is moved in c chunks.
     *
     * @param name the algorithm's name in options and messages, at most 32 characters
     * @param order the placements of ranks on nodes with which operators need not commute
     * @param steps the number of waits in the longest chain of waits; each wait is for another rank
     * @param memoryBytes the bytes that the busiest rank copies, or reads from other ranks of its node
     * @param railBytes the bytes that enter the busiest node or that leave it, whichever are more
     * @param memory the shared memory that a rank or a node needs while the algorithm runs
     * @param source the publication and section that describe the algorithm
     */
    public record Description(String name, Order order, String steps, String memoryBytes,
            String railBytes, String memory, String source) {
        /**
         * Returns the description of the variant of this algorithm in which a node exchanges data with several other
         * nodes in a step.
         *
         * @param ports the number of other nodes with which a node exchanges data in a step, 1 or more
         * @return a description with that number in the name
         */
        public Description withPorts(int ports) {
            return new Description(name + "@" + ports + "-ports", order, steps, memoryBytes, railBytes, memory,
                    source);
        }

        /**
         * Returns the description of the variant of this algorithm that moves messages in chunks of a given length.
         *
         * @param chunkBytes the length of a chunk in bytes, a multiple of 1 KiB
         * @return a description with that length in the name
         */
        public Description withChunk(long chunkBytes) {
            return new Description(name.split("@")[0] + "@" + (chunkBytes >> 10) + "k", order, steps, memoryBytes,
                    railBytes, memory, source);
        }
    }

    private final Collective collective;
    private final Description description;
    private final Label label;

    /**
     * Creates an algorithm.
     *
     * @param collective the collective that the algorithm runs
     * @param description the description of the algorithm in the catalogue
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
     * Returns whether the algorithm combines contributions in the order of the ranks, for a given placement of the
     * ranks on nodes. Operators that do not commute need this order.
     *
     * @param topology the placement of the ranks on nodes
     * @return whether the algorithm may run operators that do not commute
     */
    public final boolean keepsOrder(Topology topology) {
        return switch (description.order()) {
            case ALWAYS -> true;
            case BLOCKS -> topology.isInBlocks();
            case ONE_NODE -> topology.nodes() == 1;
        };
    }

    /**
     * Returns the greatest length of one operation, one run of this algorithm. A call with more bytes, for a rank or
     * for a block, is cut into several operations.
     *
     * @param team the team that runs the call
     * @param kernel the operator, or null if the collective combines nothing
     * @return the greatest length in bytes, the same at every rank
     */
    protected long operationBytesMax(Team team, Kernel kernel) {
        return team.operationBytesMax();
    }

    /**
     * Returns the number of operations that follow the first one in a call with blocks of different lengths that
     * combines nothing. Such a call is not cut into operations by the length of its blocks, because not all ranks need
     * to know the lengths.
     *
     * @param team the team that runs the call
     * @param call the call
     * @return the number, 0 or more, the same at every rank
     */
    protected long furtherOperations(Team team, Call call) {
        return 0;
    }

    /**
     * {@return whether masters, the ranks that exchange data between nodes, use {@linkplain Team#pair pairs} for it}
     */
    protected boolean usesPairs() {
        return false;
    }

    /**
     * Returns whether an operation of this algorithm may need eager buffers if there are several nodes. An {@linkplain
     * RingLayout eager buffer} is memory into which another node may put a message without an invitation.
     *
     * @param bytes the length of the message
     * @return false if no operation with such a message needs eager buffers
     */
    public final boolean mayUseEagerBuffers(long bytes) {
        return usesPairs() || bytes > Flow.SHORT_BYTES_MAX;
    }

    /**
     * Returns whether an operation of this algorithm needs eager buffers on several nodes. If not, the nodes invite
     * each other to other memory, and the master, the first rank of a node, need not claim the eager buffers. These
     * have 8 MiB on each of two nodes, which are filled with zeros once for a communicator. For a
     * message of 57 to 112 bytes the answer true may be in vain. If the answer false is wrong, the ranks wait for ever.
     *
     * @param team the team that runs the operation
     * @param call the call, with the length of the operation
     * @return whether the operation needs eager buffers
     */
    protected boolean usesEagerBuffers(Team team, Call call) {
        return mayUseEagerBuffers(call.bytes());
    }

    /**
     * Returns the algorithm whose steps this algorithm takes in calls of a certain shape. On one node, for example,
     * nothing distinguishes algorithms that differ only between nodes. That algorithm may itself take the steps of a
     * further one.
     *
     * @param shape the facts of the call
     * @return the other algorithm; this one if its steps are its own
     */
    protected Algorithm runsAs(CallShape shape) {
        return this;
    }

    /**
     * Returns the algorithm that really runs when this one is chosen for a call. Both take the same steps.
     *
     * @param shape the facts of the call
     * @return the algorithm, which takes steps of its own; this one if it does
     */
    public final Algorithm actual(CallShape shape) {
        Algorithm actual = this;
        Algorithm next = runsAs(shape);
        while (!next.description.name.equals(actual.description.name)) {
            actual = next;
            next = actual.runsAs(shape);
        }
        return actual;
    }

    /**
     * Returns the name of this algorithm in messages about a call. If another algorithm really runs, the name says so.
     *
     * @param shape the facts of the call
     * @return the name, such as "bruck" or "bruck: ring on one node"
     */
    public String describe(CallShape shape) {
        String actual = actual(shape).description.name;
        return actual.equals(description.name) ? actual : description.name + ": " + actual + " " + shape.describe();
    }

    /**
     * Runs one operation of a call at this rank. The caller has begun the operation, and leaves it after this method
     * has returned.
     *
     * @param team the team of this rank; its communicator has two or more ranks
     * @param call the call; it has the memory areas and the length of the current operation
     */
    public abstract void run(Team team, Call call);

    /**
     * Returns an upper bound on the shared memory of one node that an operation fills with data. This memory consists
     * of the windows in which the node's ranks show data to each other, and of the eager buffers for messages from
     * other nodes. Short data that are stored beside a synchronization word do not count.
     *
     * @param nodes the number of nodes
     * @param localRanks the number of ranks on the node
     * @param bytes the length of the message
     * @return the bound in bytes. It may be far above the need if a node has so many ranks that its windows are smaller
     */
    public abstract long memoryBytes(int nodes, int localRanks, long bytes);

    /**
     * Returns an upper bound on the shared memory of one node that a call fills with data, if nodes may have different
     * numbers of ranks. The bound holds for all operations of the call together, because each operation may use other
     * windows.
     *
     * @param topology the placement of the ranks on nodes
     * @param node the node whose memory counts
     * @param bytes the length of the message
     * @return the bound in bytes
     */
    public long memoryBytes(Topology topology, int node, long bytes) {
        return memoryBytes(topology.nodes(), topology.ranksOn(node), bytes);
    }

    /**
     * Returns the total size of the windows of several ranks of a node. A window is memory in which a rank shows data
     * to the other ranks of its node.
     *
     * @param ranks the number of ranks on the node that show a window
     * @param bytes the length of the message
     * @param most the greatest length of a window, in bytes
     * @return the total size in bytes
     */
    protected static long windows(int ranks, long bytes, long most) {
        return ranks * Math.min(bytes, most);
    }

    /**
     * Returns an upper bound on the number of ranks of a node that lead a group of the node's ranks. A leader shows a
     * window, because it passes data on to its group. This method does not know the groups of the node. A group has two
     * ranks or more, so at most every second rank leads one.
     *
     * @param localRanks the number of ranks on the node
     * @return the bound, with the root counted as a leader
     */
    protected static int leaders(int localRanks) {
        return (localRanks + 1) / 2;
    }

    /**
     * Returns the total size of the eager buffers that one node fills in an operation. Each edge, the node's end of a
     * link to another node, has an eager buffer with two halves that are used in turn.
     *
     * @param nodes the number of nodes; a single node has no edges
     * @param edges the number of edges over which data come to the node
     * @param bytes the length of the message
     * @return the total size in bytes
     */
    protected static long eagerBuffers(int nodes, int edges, long bytes) {
        return nodes == 1 ? 0 : edges * Math.min(2 * bytes, RingLayout.EAGER_BUFFER_BYTES);
    }
}
