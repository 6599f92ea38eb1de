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
 * One rank's view of a communicator: its members and their nodes, the communicator's block of shared memory, the
 * machine that reaches both, and the sequence of its operations. It never changes. Every part of a {@code Team} is
 * given the same one, and a team on another thread has one of its own, which differs in the machine.
 */
public final class TeamContext {
    /** The rank of a node that exchanges with other nodes, by its place there. */
    public static final int MASTER = 0;

    public final Machine machine;
    public final Members members;
    public final Memory memory;
    public final long ringAddress;
    public final MemorySegment ring;
    public final RingLayout layout;
    public final EndpointTable endpoints; // null with one node
    public final OperationSequence operations;
    public final EagerBuffers eagerBuffers; // null with one node
    public final MemorySegment fetched; // what was got last from another node; null with one
    public final boolean blocking;

    public final NodeView view;
    public final Topology topology;
    public final int rank;
    public final int node;
    public final int[] localRanks;
    public final int localRank;
    public final int localSize;

    /**
     * @param first the context of the rank's blocking calls, whose sequence this one shares; null if this is that one
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

    /** The context of a team of the same rank and communicator on other threads, which have another machine. */
    public TeamContext forBackground(Machine background) {
        return new TeamContext(background, members, memory, ringAddress, rank, view, endpoints, this);
    }

    public int size() {
        return topology.size();
    }

    public int nodes() {
        return topology.nodes();
    }

    public boolean isMaster() {
        return localRank == MASTER;
    }

    /** The place of a rank among those of this node, or −1 when it is on another node. */
    public int localRankHere(int other) {
        return Math.max(-1, Arrays.binarySearch(localRanks, other));
    }

    /** The name of this rank in messages. */
    public String describe() {
        return members.describe(rank);
    }

    /** Makes sure that no other thread is in a blocking call of the communicator, at best effort. */
    public void checkIdle(String called) {
        if (operations.blocking().isInside()) {
            throw operations.blocking().refusal(describe(), called);
        }
    }

    /** Takes note that a blocking call begins: a team on another thread runs no blocking calls. */
    public void enter(String called) {
        if (blocking) {
            operations.blocking().enter(called);
        }
    }

    /** Takes note that a blocking call has ended. */
    public void leave() {
        if (blocking) {
            operations.blocking().leave();
        }
    }

    public int master(int ofNode) {
        return topology.firstRankOf(ofNode);
    }

    /** The layout of the communicator's block on the node of another rank. */
    public RingLayout layoutAt(int other) {
        return view.layoutOf(topology.nodeOf(other));
    }

    /** Gets bytes of the communicator's block on the node of another rank: into {@link #fetched}. */
    public Machine.Reply get(int other, long offset, long bytes, Waiter.Check check) {
        assert bytes <= fetched.byteSize() : bytes + " bytes are got where " + fetched.byteSize() + " have room";
        return machine.get(endpoints.process(other), endpoints.ring(other), offset, fetched, 0, bytes, check);
    }

    /** Gets the left line of a rank on another node. */
    public Machine.Reply getLeftLine(int other, Waiter.Check check) {
        return get(other, layoutAt(other).left(topology.localRankOf(other)), Words.LINE_BYTES, check);
    }
}
