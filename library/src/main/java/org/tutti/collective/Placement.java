/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

import org.tutti.Topology;
import org.tutti.memory.Memory;
import org.tutti.memory.Waiter;
import org.tutti.memory.WaitingCall;
import org.tutti.memory.Words;
import org.tutti.pattern.LevelTree;

/**
 * Who takes part in a communicator and where, and what they do things with, as one rank sees it: the part of {@link
 * Team} that never changes. The other parts of a team find here what they have in common.
 */
class Placement {
    /** The rank of a node that exchanges with other nodes, by its place there. */
    public static final int MASTER = 0;

    final Machine machine;
    final Members members;
    final WindowPool pool;
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

    Placement(Machine machine, Members members, WindowPool pool, long ringAddress, int rank, NodeView view, Reach reach,
            Placement first) {
        this.view = view;
        this.topology = view.topology;
        this.rank = rank;
        this.node = view.node;
        this.localRanks = view.localRanks;
        this.localSize = localRanks.length;
        this.localRank = Arrays.binarySearch(localRanks, rank);
        this.machine = machine;
        this.members = members;
        this.pool = pool;
        this.memory = pool.memory;
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

    /**
     * {@return this rank, 0 to size − 1}
     */
    public int rank() {
        return rank;
    }

    /**
     * {@return how many ranks take part}
     */
    public int size() {
        return topology.size();
    }

    /**
     * {@return the address of the communicator's block on this node}
     */
    public long ringAddress() {
        return ringAddress;
    }

    /**
     * {@return this rank's place among the ranks of its node, in ascending order; those that share memory know each
     * other by it}
     */
    public int localRank() {
        return localRank;
    }

    /**
     * {@return how many of the ranks are on this node}
     */
    public int localSize() {
        return localSize;
    }

    /**
     * {@return how many ranks the node has that has most of them}
     */
    public int ranksMax() {
        return view.ranksMax;
    }

    /**
     * {@return whether this is the rank that talks to other nodes for its node: its first}
     */
    public boolean isMaster() {
        return localRank == MASTER;
    }

    /**
     * {@return the tree of this node's ranks that its levels make: flat when there are none}
     */
    public LevelTree levelTree() {
        return view.levelTree;
    }

    /**
     * {@return how many levels of groups there are inside this node, 0 for none}
     */
    public int levels() {
        return view.levels.length;
    }

    /**
     * Tells the size of the groups of a level, less than {@link #localSize()}; the last group may have fewer ranks.
     *
     * @param level 0 to {@link #levels()} − 1, from the smallest groups to the greatest
     * @return the ranks of a group
     */
    public int groupSize(int level) {
        return view.levels[level];
    }

    /**
     * {@return the number of this node}
     */
    public int node() {
        return node;
    }

    /**
     * {@return how many nodes the ranks are on}
     */
    public int nodes() {
        return topology.nodes();
    }

    /**
     * Tells on which node a rank is.
     *
     * @param other the rank
     * @return its node
     */
    public int nodeOf(int other) {
        return topology.nodeOf(other);
    }

    /**
     * Tells how many ranks a node has.
     *
     * @param ofNode the node
     * @return how many, 1 or more
     */
    public int ranksOn(int ofNode) {
        return topology.ranksOn(ofNode);
    }

    /**
     * Finds a rank by node and place.
     *
     * @param onNode the node
     * @param place its place there
     * @return the rank
     */
    public int rankAt(int onNode, int place) {
        return topology.rankAt(onNode, place);
    }

    /**
     * Tells the place of a rank among those of its node.
     *
     * @param other the rank
     * @return its place
     */
    public int placeOf(int other) {
        return topology.placeOf(other);
    }

    /**
     * Counts the ranks of the nodes before one: the position of its first rank where the blocks of all ranks lie node
     * by node, so that those of each node lie together.
     *
     * @param ofNode the node, or {@link #nodes}
     * @return how many ranks, 0 for node 0, and all before an end
     */
    public int position(int ofNode) {
        return view.positions[ofNode];
    }

    /**
     * {@return whether the ranks of each node follow each other, and so the nodes, too, in the order of the ranks}
     */
    public boolean isInBlocks() {
        return view.isInBlocks;
    }

    /**
     * Tells the place of a rank among those of this node.
     *
     * @param other the rank
     * @return its place, or −1 when it is on another node
     */
    public int localRankOf(int other) {
        return Math.max(-1, Arrays.binarySearch(localRanks, other));
    }

    /**
     * {@return the greatest number of bytes that {@link Team#show} can give a rank, the same at every rank: a power
     * of two}
     */
    public long windowBytesMax() {
        return view.windowBytesMax;
    }

    /**
     * {@return the longest message of one operation, in bytes, the same at every rank: so long that an algorithm stays
     * below {@link Team#STEPS_MAX} steps that takes {@value NodeView#STEPS_PER_RANK_AND_WINDOW} for each rank and each
     * greatest window that the message would fill}
     */
    public long operationBytesMax() {
        return view.operationBytesMax;
    }

    /**
     * {@return the longest block, in bytes, of which a window has room for as many as there are ranks, or would be if
     * each node had {@link #ranksMax}; the same at every rank, and 0 where there are very many}
     */
    public long blockBytesMax() {
        return view.blockBytesMax;
    }

    /**
     * {@return what to call this rank in messages}
     */
    public String describe() {
        return members.describe(rank);
    }

    /**
     * Describes another rank.
     *
     * @param other the rank
     * @return what to call it in messages
     */
    public String describe(int other) {
        return members.describe(other);
    }

    /**
     * Tells of a call of this rank, when nothing is known of for whom it waits.
     *
     * @param name the call, such as "barrier"
     * @return the call
     */
    public WaitingCall describeCall(String name) {
        return new WaitingCall(members.job(), members.rankInJob(rank), name, members.communicator(), 0,
                WaitingCall.UNKNOWN);
    }

    int master(int ofNode) {
        return topology.firstRankOf(ofNode);
    }

    /** The layout of the communicator's block on the node of another rank. */
    RingLayout layoutAt(int other) {
        return view.layoutOf(nodeOf(other));
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
