/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.operation;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

import org.tutti.Topology;
import org.tutti.collective.layout.NodeView;
import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.machine.Machine;
import org.tutti.collective.members.EndpointTable;
import org.tutti.collective.members.Members;
import org.tutti.memory.Memory;
import org.tutti.memory.Waiter;
import org.tutti.memory.Words;

/**
 * A rank's view of a communicator. It has the communicator's ranks and their nodes, the communicator's block of shared
 * memory, the machine that reaches memory and other nodes, and the sequence of the communicator's operations.
 *
 * <p>A team, the object that runs a rank's operations, makes one context when it is created, and all parts of the team
 * share it. The fields never change, and the context lives as long as the team. Only the content of {@link #fetched}
 * changes: each {@link #get} overwrites it. A rank may have several teams for one communicator. Their contexts share
 * the sequence and the eager buffers. Each context has its own {@code fetched}, and the machine of the threads that run
 * its team, one at a time.
 */
public final class TeamContext {
    /**
     * The local rank of a node's master. The master is the node's first rank in the communicator, which exchanges data
     * with other nodes.
     */
    public static final int MASTER = 0;

    /** The machine through which the team reaches memory and other nodes. */
    public final Machine machine;

    /** The lives of the communicator's ranks: which of them have failed or left the job. */
    public final Members members;

    /** The memory that the ranks of this node share. */
    public final Memory memory;

    /** The address of the communicator's block in that memory. */
    public final long ringAddress;

    /**
     * The communicator's block on this node, also called its ring: words, cells and edges, laid out by {@link #layout}.
     */
    public final MemorySegment ring;

    /** The layout of the communicator's block on this node. */
    public final RingLayout layout;

    /** The processes and regions of the ranks on other nodes; null with one node. */
    public final EndpointTable endpoints;

    /** The numbers, history and progress that all operations of the communicator share at this rank. */
    public final OperationSequence operations;

    /** The eager buffers of this node, and the handles of those of other nodes; null with one node. */
    public final EagerBuffers eagerBuffers;

    /**
     * The bytes that the last {@link #get} has fetched from another node. The next get overwrites them. Null with one
     * node.
     */
    public final MemorySegment fetched;

    /** Whether the team runs the rank's blocking calls; false for a team of non-blocking calls. */
    public final boolean blocking;

    /** The ranks and nodes of the communicator, as all ranks of this node see them. */
    public final NodeView view;

    /** The nodes of the communicator's ranks. */
    public final Topology topology;

    /** This rank, 0 to {@link #size()} − 1. */
    public final int rank;

    /** This rank's node, 0 to {@link #nodes()} − 1. */
    public final int node;

    /** The ranks of this node in ascending order; the index of a rank in this array is its local rank. */
    public final int[] localRanks;

    /** The index of this rank in {@link #localRanks}. */
    public final int localRank;

    /** The number of ranks on this node. */
    public final int localSize;

    /**
     * Creates the context of a team at one rank.
     *
     * @param machine the machine of the threads that run the team
     * @param members the lives of the communicator's ranks: which of them have failed or left the job
     * @param memory the memory that the ranks of the node share
     * @param ringAddress the address of the communicator's block in the node's memory
     * @param rank this rank
     * @param view the ranks and nodes of the communicator, as this node sees them
     * @param endpoints the processes and regions of the ranks on other nodes; null with one node
     * @param first the context for the rank's blocking calls, which shares its sequence and eager buffers with the new
     *            context; null if the new context is itself the one for blocking calls
     */
    public TeamContext(Machine machine, Members members, Memory memory, long ringAddress, int rank, NodeView view,
            EndpointTable endpoints,
            TeamContext first) {
        this.view = view;
        this.topology = view.topology;
        this.rank = rank;
        this.node = view.node;
        this.localRanks = view.localRanks;
        this.localSize = localRanks.length;
        this.localRank = Arrays.binarySearch(localRanks, rank);
        this.machine = machine;
        this.members = members;
        this.memory = memory;
        this.ringAddress = ringAddress;
        this.layout = view.layoutOf(node);
        this.ring = memory.block(ringAddress, layout.bytes());
        this.endpoints = endpoints;
        this.blocking = first == null;
        boolean alone = nodes() == 1;
        this.operations = first != null ? first.operations
                : new OperationSequence(members, ring, layout.left(0), localRanks, localRank, nodes());
        this.eagerBuffers =
                alone ? null : first != null ? first.eagerBuffers : new EagerBuffers(memory, ring, layout, nodes());
        long fetchedBytes = Math.max(RingLayout.CELL_BYTES, (long) view.ranksMax * Words.LINE_BYTES);
        this.fetched = alone ? null : Arena.ofAuto().allocate(fetchedBytes, Words.LINE_BYTES);
    }

    /**
     * Creates the context of another team of the same rank and communicator, which runs non-blocking calls.
     *
     * @param background the machine of the threads that will run the new team
     */
    public TeamContext forBackground(Machine background) {
        return new TeamContext(background, members, memory, ringAddress, rank, view, endpoints, this);
    }

    /** {@return the number of the communicator's ranks} */
    public int size() {
        return topology.size();
    }

    /** {@return the number of nodes} */
    public int nodes() {
        return topology.nodes();
    }

    /** {@return whether this rank is its node's master} */
    public boolean isMaster() {
        return localRank == MASTER;
    }

    /** Returns the local rank of a rank of this node, or −1 if the rank is on another node. */
    public int localRankHere(int other) {
        return Math.max(-1, Arrays.binarySearch(localRanks, other));
    }

    /** Returns the name of this rank in messages. */
    public String describe() {
        return members.describe(rank);
    }

    /**
     * Throws {@link IllegalStateException} if a thread is in a blocking call of the communicator. The check works at
     * best effort, because it reads plain fields.
     *
     * @param called the name of the call that this thread is about to make
     */
    public void checkIdle(String called) {
        if (operations.blocking().isInside()) {
            throw operations.blocking().refusal(describe(), called);
        }
    }

    /** Notes that a blocking call begins. Does nothing if this is the context of a team for non-blocking calls. */
    public void enter(String called) {
        if (blocking) {
            operations.blocking().enter(called);
        }
    }

    /** Notes that a blocking call has ended. Does nothing if this is the context of a team for non-blocking calls. */
    public void leave() {
        if (blocking) {
            operations.blocking().leave();
        }
    }

    /** Returns the master of a node: its first rank. */
    public int master(int ofNode) {
        return topology.firstRankOf(ofNode);
    }

    /** Returns the layout of the communicator's block on the node of another rank. */
    public RingLayout layoutAt(int other) {
        return view.layoutOf(topology.nodeOf(other));
    }

    /**
     * Copies bytes of the communicator's block on another node into {@link #fetched}, and waits until they have
     * arrived.
     *
     * @param other a rank on the other node
     * @param offset the offset of the bytes in the block on that node
     * @param bytes the number of bytes, from 1 to the size of {@link #fetched}
     * @param check a check that may end the wait by throwing
     * @return {@link Machine.Reply#GIVEN} if the bytes have arrived; otherwise the reason why not
     */
    public Machine.Reply get(int other, long offset, long bytes, Waiter.Check check) {
        assert bytes <= fetched.byteSize() : bytes + " bytes are got where " + fetched.byteSize() + " have room";
        return machine.get(endpoints.process(other), endpoints.ring(other), offset, fetched, 0, bytes, check);
    }

    /**
     * Copies the left line of a rank on another node into {@link #fetched}, and returns what {@link #get} returns. The
     * line holds the number of operations that the rank has left.
     */
    public Machine.Reply getLeftLine(int other, Waiter.Check check) {
        return get(other, layoutAt(other).left(topology.localRankOf(other)), Words.LINE_BYTES, check);
    }
}
