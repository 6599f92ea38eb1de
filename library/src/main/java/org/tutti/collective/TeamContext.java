/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

import org.tutti.Topology;
import org.tutti.memory.Memory;
import org.tutti.memory.Waiter;
import org.tutti.memory.Words;

/**
 * One rank's view of a communicator: its members and their nodes, the communicator's block of shared memory, the
 * machine that reaches both, and the sequence of its operations. It never changes. Every part of a {@link Team} is
 * given the same one, and a team on another thread has one of its own, which differs in the machine.
 */
public final class TeamContext {
    /** The rank of a node that exchanges with other nodes, by its place there. */
    static final int MASTER = 0;

    final Machine machine;
    final Members members;
    final Memory memory;
    final long ringAddress;
    final MemorySegment ring;
    final RingLayout layout;
    final Reach reach; // null with one node
    final Ledger ledger;
    final Landings landings; // null with one node
    final MemorySegment fetched; // what was got last from another node; null with one
    final boolean blocking;

    final NodeView view;
    final Topology topology;
    final int rank;
    final int node;
    final int[] localRanks;
    final int localRank;
    final int localSize;

    /**
     * @param first the context of the rank's blocking calls, whose sequence this one shares; null if this is that one
     */
    TeamContext(Machine machine, Members members, Memory memory, long ringAddress, int rank, NodeView view, Reach reach,
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
        this.reach = reach;
        this.blocking = first == null;
        boolean alone = nodes() == 1;
        this.ledger = first != null ? first.ledger
                : new Ledger(members, ring, layout.left(0), localRanks, localRank, nodes());
        this.landings = alone ? null : first != null ? first.landings : new Landings(memory, ring, layout, nodes());
        long fetchedBytes = Math.max(RingLayout.CELL_BYTES, (long) view.ranksMax * Words.LINE_BYTES);
        this.fetched = alone ? null : Arena.ofAuto().allocate(fetchedBytes, Words.LINE_BYTES);
    }

    /** The context of a team of the same rank and communicator on other threads, which have another machine. */
    TeamContext forBackground(Machine background) {
        return new TeamContext(background, members, memory, ringAddress, rank, view, reach, this);
    }

    int size() {
        return topology.size();
    }

    int nodes() {
        return topology.nodes();
    }

    boolean isMaster() {
        return localRank == MASTER;
    }

    /** The place of a rank among those of this node, or −1 when it is on another node. */
    int localRankOf(int other) {
        return Math.max(-1, Arrays.binarySearch(localRanks, other));
    }

    /** The name of this rank in messages. */
    String describe() {
        return members.describe(rank);
    }

    /** Makes sure that no other thread is in a blocking call of the communicator, at best effort. */
    void checkIdle(String called) {
        if (ledger.blocking().isInside()) {
            throw ledger.blocking().refusal(describe(), called);
        }
    }

    /** Takes note that a blocking call begins: a team on another thread runs no blocking calls. */
    void enter(String called) {
        if (blocking) {
            ledger.blocking().enter(called);
        }
    }

    /** Takes note that a blocking call has ended. */
    void leave() {
        if (blocking) {
            ledger.blocking().leave();
        }
    }

    int master(int ofNode) {
        return topology.firstRankOf(ofNode);
    }

    /** The layout of the communicator's block on the node of another rank. */
    RingLayout layoutAt(int other) {
        return view.layoutOf(topology.nodeOf(other));
    }

    /** Gets bytes of the communicator's block on the node of another rank: into {@link #fetched}. */
    Machine.Reply get(int other, long offset, long bytes, Waiter.Check check) {
        return machine.get(reach.process(other), reach.ring(other), offset, fetched, 0, bytes, check);
    }

    /** Gets the left line of a rank on another node. */
    Machine.Reply getLeftLine(int other, Waiter.Check check) {
        return get(other, layoutAt(other).left(topology.placeOf(other)), Words.LINE_BYTES, check);
    }
}
