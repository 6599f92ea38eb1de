/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.layout;

import org.tutti.memory.Words;
import org.tutti.pattern.FibonacciTree;

/**
 * The layout of the block of shared memory that a communicator has on one node, its <i>ring</i>, and of a second block,
 * its eager buffers: the offsets of all words, cells and buffers. A layout is immutable and holds no memory; {@link
 * NodeView} makes one for each number of ranks on a node. The numbers of nodes and of local ranks determine it, so
 * every rank computes the same layout of any node.
 *
 * <p>The block has, one after the other: the word that says that the communicator is broken; the edges through which
 * other nodes put data here; for each rank of the node a word that counts the operations it has left, and a line that
 * says at the end what it has called; and the slots. A cell of a slot is four lines of its rank:
 *
 * <pre>
 *  byte 0        64
 *   +------------+-----------------------+-----------------+--------+-- … --+---------+
 *   | head, a    | edges of all slots    | left and end: a | slot 0 |       | last    |
 *   | line       | (none on one node)    | line a rank each|        |       | slot    |
 *   +------------+-----------------------+-----------------+--------+-- … --+---------+
 *
 *  the head: +0     broken word    +8 EAGER_BUFFERS word   +16 address of the eager buffers
 *            +24 their handle for other nodes
 *
 *  an end line: +0 1 + the operations that its rank has drawn in all, 0 while it may draw more
 *               +8 fingerprint of its calls
 *
 *  a left line: +0 left word    +8 number of the group that its rank is making, 0 while it makes none
 *               +16 at the group's master the address of the group's block   +24 operations that the rank has drawn
 *               +32 the group's ranks, a bit each, the last one for all that have none
 *
 *  an edge:  +0     ARRIVED word   +8 fingerprint of the putter's calls   +16 payload, 112 bytes
 *            +128   CREDIT word    +136 fingerprint   +144 invitation, 32 bytes
 *
 *  a slot:  +---------------+---------------+-- … --+
 *           | cell, rank 0  | cell, rank 1  |       |          256 bytes each, by the ranks' order on the node
 *           +---------------+---------------+-- … --+
 *
 *  a cell:  +0    READY word      +8 fingerprint   +16 payload, 48 bytes; or where the window is, and at +40 the loans
 *           +64   descriptor of the call
 *           +128  DONE word
 *           +192  names of the descriptor
 *
 *  a descriptor: +0 sequence + 1 (word; 0 while it is being written)   +8 fingerprint   +16 hash of the call
 *                +24 count   +32 root, type and collective   +40 operator's unit and whether it commutes
 *                of blocks whose lengths all ranks know: +48 elements in all   +56 the longest, and whose it is
 *      its names: +0 operator, 32 bytes   +32 algorithm, 32 bytes
 * </pre>
 *
 * <p>Data that do not fit beside an ARRIVED word go to the <i>eager buffers</i>, which have for each edge of each slot
 *
 * <pre>
 *            +0     ARRIVED word   +8 fingerprint
 *            +64    eager buffer, 2 × 32 KiB
 * </pre>
 *
 * <p>and after them in each slot for each node a <i>pair</i>, over which that node and this one exchange messages of
 * which both know the length, as any two nodes can:
 *
 * <pre>
 *            +0     ARRIVED word   +8 fingerprint
 *            +64    CREDIT word    +72 fingerprint   +80 invitation, 32 bytes
 *            +128   eager buffer, 256 bytes to 16 KiB
 * </pre>
 *
 * <p>A slot has as many edges as a node can have neighbours in a tree, a dissemination or an exchange between the
 * nodes: their number grows with the logarithm of the number of nodes.
 */
public final class RingLayout {
    /** The least number of slots of a communicator. */
    public static final int SLOTS_MIN = 16;

    /** The greatest number of slots of a communicator. */
    public static final int SLOTS_MAX = 64;

    /** The number of low bits of a word that hold the step; the bits above hold the generation. */
    public static final int STEP_BITS = 20;

    /** The greatest step of an operation. */
    public static final int STEPS_MAX = (1 << STEP_BITS) - 1;

    private static final int MANY_RANKS = 4;
    private static final int CELLS_MAX = 1 << 14;
    private static final long EAGER_BUFFERS_BYTES_MAX = 8 << 20;

    /** The number of bytes of data that fit into the line of a READY word. */
    public static final int PAYLOAD_BYTES = 48;

    /** The length of the eager buffer of an edge, in bytes. */
    public static final long EAGER_BUFFER_BYTES = 64 << 10;

    /** The number of bytes of data that fit beside the ARRIVED word of an edge. */
    public static final int EDGE_PAYLOAD_BYTES = 112;

    /** The purpose of the eager buffers, for the message when there is too little memory. */
    public static final String EAGER_BUFFERS_PURPOSE = "the eager buffers of other nodes' messages";

    /**
     * The offset of the broken word, which says why the communicator is broken and by which rank; 0 while it is not.
     */
    public static final long BROKEN = 0;

    /** The offset of the word that becomes 1 when the eager buffers are there. */
    public static final long EAGER_BUFFERS = 8;

    /** The offset of the address of the eager buffers in the node's memory. */
    public static final long EAGER_BUFFERS_ADDRESS = 16;

    /** The offset of the handle by which other nodes reach the eager buffers in the master's process. */
    public static final long EAGER_BUFFERS_HANDLE = 24;

    /** The offset, in a rank's left line, of the number of the group that the rank makes. */
    public static final long GROUP = 8;

    /** The offset, in the left line of a group's master, of the address of the group's block. */
    public static final long GROUP_ADDRESS = 16;

    /** The offset, in a rank's left line, of the number of operations that it had drawn before it made the group. */
    public static final long GROUP_DRAWN = 24;

    /** The offset, in a rank's left line, of the ranks of the group that it makes, as far as there is room. */
    public static final long GROUP_RANKS = 32;

    /** The offset of a cell's READY word. */
    public static final long READY = 0;

    /** The distance of the payload from a READY or ARRIVED word. */
    public static final long PAYLOAD = 16;

    /**
     * The offset, in a cell, of the number that says how its rank lends memory.
     */
    public static final long LOANS = 40;

    /** The offset, in a cell, of the start of the lent source; that of the target follows. */
    public static final long LOAN_STARTS = 48;

    /** The offset of a cell's descriptor. */
    public static final long DESCRIPTOR = 64;

    /** The offset of a cell's DONE word. */
    public static final long DONE = 128;

    /** The offset, in a descriptor, of the fingerprint of the history. */
    public static final long DESCRIPTOR_FINGERPRINT = 8;

    /** The offset, in a descriptor, of the hash of the call. */
    public static final long DESCRIPTOR_CALL = 16;

    /** The offset, in a descriptor, of the number of elements; negative for blocks of different lengths. */
    public static final long DESCRIPTOR_COUNT = 24;

    /** The offset, in a descriptor, of root, type and collective. */
    public static final long DESCRIPTOR_KIND = 32;

    /** The offset, in a descriptor, of the operator's unit and whether it commutes. */
    public static final long DESCRIPTOR_TRAITS = 40;

    /** The offset, in a descriptor, of the number of elements in all blocks. */
    public static final long DESCRIPTOR_ELEMENTS = 48;

    /** The offset, in a descriptor, of the longest block and its rank. */
    public static final long DESCRIPTOR_LONGEST = 56;

    /** The offset, in a rank's end line, of the fingerprint of its calls. */
    public static final long END_FINGERPRINT = 8;

    /** The offset of the operator's name from the descriptor. */
    public static final long NAMES = 192 - DESCRIPTOR;

    /** The offset of the algorithm's name from the descriptor. */
    public static final long ALGORITHM_NAME = NAMES + 32;

    /** The length of a cell. */
    public static final long CELL_BYTES = 256;

    static final long CREDIT = 2 * Words.LINE_BYTES;
    static final long EDGE_BYTES = CREDIT + Words.LINE_BYTES;

    /** The distance of an invitation from a CREDIT word. */
    public static final long INVITATION = 16;

    /** The length of an invitation. */
    public static final long INVITATION_BYTES = 32;

    /** The distance of an edge's eager buffer from its ARRIVED word. */
    public static final long EAGER_BUFFER = Words.LINE_BYTES;

    private static final long LANDED_BYTES = EAGER_BUFFER + EAGER_BUFFER_BYTES;
    private static final long PAIR_CREDIT = Words.LINE_BYTES;
    private static final long PAIR_EAGER_BUFFER = 2 * Words.LINE_BYTES;
    private static final long PAIR_BYTES_MIN = 256;
    private static final long PAIR_BYTES_MAX = 16 << 10;
    private static final long PAIRS_BYTES_MAX = 2 << 20;

    private final int nodes;
    private final int slots;
    private final int edges;
    private final long firstLeft;
    private final long firstEnd;
    private final long firstSlot;
    private final long slotBytes;
    private final long pairBytes;

    /**
     * Makes the layout of a node.
     *
     * @param nodes the number of nodes of the communicator
     * @param localRanks the number of its ranks on the node
     */
    public RingLayout(int nodes, int localRanks) {
        this.nodes = nodes == 1 ? 0 : nodes;
        this.slots = slots(nodes, localRanks);
        this.edges = edges(nodes);
        this.firstLeft = edge(slots, 0);
        this.firstEnd = firstLeft + (long) localRanks * Words.LINE_BYTES;
        this.firstSlot = firstEnd + (long) localRanks * Words.LINE_BYTES;
        this.slotBytes = localRanks * CELL_BYTES;
        this.pairBytes = PAIR_EAGER_BUFFER + pairEagerBytes(nodes);
    }

    /**
     * Returns the length of the eager buffer of a pair: all pairs together have room in {@value #PAIRS_BYTES_MAX}
     * bytes, within limits.
     *
     * @param nodes the number of nodes of the communicator
     * @return a power of two from {@value #PAIR_BYTES_MIN} to {@value #PAIR_BYTES_MAX} bytes, the same on every node
     */
    public static long pairEagerBytes(int nodes) {
        long share = PAIRS_BYTES_MAX / ((long) nodes * slots(Math.max(2, nodes), 1));
        return Math.clamp(Long.highestOneBit(share), PAIR_BYTES_MIN, PAIR_BYTES_MAX);
    }

    /**
     * Returns the number of slots: of operations of a communicator that may be in flight, begun by some ranks and not
     * yet left by all.
     *
     * <p>On one node few ranks have few slots, so that the lines of the slots are soon used again and stay in caches.
     * Many ranks mostly share cores. They have more slots, so that a rank that has got a core can begin more operations
     * before it waits for one that has none.
     *
     * <p>Between nodes a rank that runs ahead has to ask the other nodes whether slots are free, once for as many calls
     * as there are slots. There are therefore as many slots as have room for their eager buffers in {@value
     * #EAGER_BUFFERS_BYTES_MAX} bytes; with very many nodes even {@value #SLOTS_MIN} slots take more.
     *
     * @param nodes the number of nodes of the communicator
     * @param localRanks the number of its ranks on this node
     * @return a power of two from {@value #SLOTS_MIN} to {@value #SLOTS_MAX}, the same on every node
     */
    public static int slots(int nodes, int localRanks) {
        if (nodes > 1) {
            long eagerBuffers = EAGER_BUFFERS_BYTES_MAX / EAGER_BUFFER_BYTES / edges(nodes);
            return Math.clamp(Long.highestOneBit(eagerBuffers), SLOTS_MIN, SLOTS_MAX);
        }
        return localRanks < MANY_RANKS ? SLOTS_MIN
                : Math.clamp(Integer.highestOneBit(CELLS_MAX / localRanks), SLOTS_MIN, SLOTS_MAX);
    }

    /**
     * {@return the number of slots: of operations that may be in flight}
     */
    public int slots() {
        return slots;
    }

    /** Returns the index of the slot in which an operation lives. */
    public long slotIndex(long operation) {
        return operation & slots - 1;
    }

    /** Returns the number of operations that have lived in an operation's slot before it. */
    long generation(long operation) {
        return operation >>> Integer.numberOfTrailingZeros(slots);
    }

    /** Returns the value of an operation's words at step 0, which is greater than all values of earlier generations. */
    public long base(long operation) {
        return (generation(operation) + 1) << STEP_BITS;
    }

    /**
     * Returns the number of edges of a slot: one for a parent, and as many more as the widest tree has children, or an
     * exchange has rounds.
     *
     * @param nodes the number of nodes of the communicator
     * @return the number, 0 with one node
     */
    public static int edges(int nodes) {
        int rounds = Integer.SIZE - Integer.numberOfLeadingZeros(nodes - 1);
        return nodes == 1 ? 0 : 1 + Math.max(rounds, FibonacciTree.INSTANCE.children(0, nodes));
    }

    /**
     * {@return the size of the block, in bytes}
     */
    public long bytes() {
        return slot(slots);
    }

    /**
     * {@return the size of the eager buffers, in bytes; 0 with one node}
     */
    public long eagerBuffersBytes() {
        return slots * landedOfSlot();
    }

    /** Returns the length of a slot's part of the eager buffers. */
    private long landedOfSlot() {
        return edges * LANDED_BYTES + nodes * pairBytes;
    }

    /**
     * Describes the word at an offset in the block, for messages and drawings.
     *
     * @param offset the offset
     * @return a description, such as "READY of local rank 2 in slot 3", or "CREDIT of edge 1 in slot 0"
     */
    public String describe(long offset) {
        if (offset < Words.LINE_BYTES) {
            return part(offset, "the broken word", EAGER_BUFFERS_ADDRESS, "where the eager buffers are", EAGER_BUFFERS,
                    "EAGER_BUFFERS");
        }
        if (offset >= firstSlot) {
            long inSlot = (offset - firstSlot) % slotBytes;
            return part(inSlot % CELL_BYTES, "READY", DONE, "DONE", DESCRIPTOR, "descriptor") + " of local rank "
                    + inSlot / CELL_BYTES + " in slot " + (offset - firstSlot) / slotBytes;
        }
        if (offset >= firstEnd) {
            return "the end line of local rank " + (offset - firstEnd) / Words.LINE_BYTES;
        }
        if (offset >= firstLeft) {
            return "the left word of local rank " + (offset - firstLeft) / Words.LINE_BYTES;
        }
        long edge = (offset - edge(0, 0)) / EDGE_BYTES;
        return ((offset - edge(0, 0)) % EDGE_BYTES < CREDIT ? "ARRIVED" : "CREDIT") + " of edge " + edge % edges
                + " in slot " + edge / edges;
    }

    /**
     * Describes the word or buffer at an offset in the eager buffers, for messages.
     *
     * @param offset the offset
     * @return a description, such as "eager buffer of edge 1 in slot 0"
     */
    public String describeEagerBuffers(long offset) {
        long inSlot = offset % landedOfSlot();
        long inPairs = inSlot - edges * LANDED_BYTES;
        String word = inPairs >= 0 && inPairs % pairBytes >= PAIR_CREDIT ? "CREDIT" : "ARRIVED at the eager buffer";
        return (isEagerBuffer(offset) ? "eager buffer" : word) + " of "
                + (inPairs < 0 ? "edge " + inSlot / LANDED_BYTES : "the pair with node " + inPairs / pairBytes)
                + " in slot " + offset / landedOfSlot();
    }

    /**
     * Tells whether an offset in the second block lies in an eager buffer, and not in a word.
     *
     * @param offset the offset
     * @return whether it does
     */
    public boolean isEagerBuffer(long offset) {
        long inSlot = offset % landedOfSlot();
        long inPairs = inSlot - edges * LANDED_BYTES;
        return inPairs < 0 ? inSlot % LANDED_BYTES >= EAGER_BUFFER : inPairs % pairBytes >= PAIR_EAGER_BUFFER;
    }

    private static String part(long at, String first, long last, String lastName, long middle, String middleName) {
        return at >= last ? lastName : at >= middle ? middleName : first;
    }

    /** Returns the offset of a rank's left line, which begins with its left word. */
    public long left(int localRank) {
        return firstLeft + (long) localRank * Words.LINE_BYTES;
    }

    /** Returns the offset of a rank's end line. */
    public long end(int localRank) {
        return firstEnd + (long) localRank * Words.LINE_BYTES;
    }

    /** Returns the offset of a slot. */
    public long slot(long index) {
        return firstSlot + index * slotBytes;
    }

    /** Returns the offset of a rank's cell in the slot at an offset. */
    public static long cell(long slot, int localRank) {
        return slot + localRank * CELL_BYTES;
    }

    long edge(long slotIndex, int edge) {
        return Words.LINE_BYTES + (slotIndex * edges + edge) * EDGE_BYTES;
    }

    /**
     * Returns the edge that is the pair of this node and another one: pairs are counted after the edges of the trees.
     */
    public int pair(int node) {
        return edges + node;
    }

    /** Tells whether an edge is a pair. */
    public boolean isPair(int edge) {
        return edge >= edges;
    }

    /** Returns the length of a pair's eager buffer. */
    public long pairEagerBytes() {
        return pairBytes - PAIR_EAGER_BUFFER;
    }

    /** Returns the number of edges of a slot that are no pairs; 0 with one node. */
    public int edges() {
        return edges;
    }

    /** Returns the number of edges of a slot, pairs included. */
    public int edgesOfAllKinds() {
        return edges + nodes;
    }

    /** Returns the offset of the ARRIVED word of an edge that is no pair; the payload lies beside it. */
    public long arrived(long slotIndex, int edge) {
        return edge(slotIndex, edge);
    }

    /**
     * Returns the offset of the CREDIT word of an edge: in the block, or in the eager buffers if the edge is a pair.
     */
    public long credit(long slotIndex, int edge) {
        return isPair(edge) ? eagerArrived(slotIndex, edge) + PAIR_CREDIT : edge(slotIndex, edge) + CREDIT;
    }

    /** Returns the offset, in the eager buffers, of the ARRIVED word of an edge's eager buffer. */
    public long eagerArrived(long slotIndex, int edge) {
        long slot = slotIndex * landedOfSlot();
        return isPair(edge) ? slot + edges * LANDED_BYTES + (edge - pair(0)) * pairBytes : slot + edge * LANDED_BYTES;
    }

    /** Returns the distance of an edge's eager buffer from that word. */
    public long eagerBuffer(int edge) {
        return isPair(edge) ? PAIR_EAGER_BUFFER : EAGER_BUFFER;
    }
}
