/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.layout;

import org.tutti.memory.Words;
import org.tutti.pattern.FibonacciTree;

/**
 * Computes the offsets of all words, cells and buffers in the two blocks of memory that a communicator has on one node.
 * The first block is called the communicator's <i>ring</i>; the ranks of the node share it. The second block is the
 * eager buffers, into which other nodes put longer messages. A layout is immutable and holds no memory. {@link
 * NodeView} makes one layout for each number of ranks on a node. The numbers of nodes and of local ranks determine the
 * layout, so every rank computes the same layout of any node.
 *
 * <p>A <i>slot</i> is memory for one operation at a time: cells for the ranks of the node, and edges to other nodes. A
 * <i>cell</i> is four lines of one rank; a line is a cache line of 64 bytes. An <i>edge</i> is an ARRIVED word with a
 * short payload, and a CREDIT word. Another node puts data beside the ARRIVED word. Credits raise the CREDIT word, and
 * invitations are put beside it. An edge belongs to the slot with its slot index, although the edges of all slots lie
 * before the cells.
 *
 * <p>The ring has these parts, one after the other:
 * <ul>
 * <li>a head, with the word that says that the communicator is broken;
 * <li>the edges of all slots;
 * <li>for each rank of the node its left line, with the number of operations that it has left;
 * <li>for each rank of the node its end line, which says what the rank has called, once it makes no more calls;
 * <li>the cells of each slot.
 * </ul>
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
 *  an end line: +0 1 + the number of operations that the rank has drawn in all; 0 while it may draw more
 *               +8 fingerprint of the rank's calls
 *
 *  a left line: +0 left word    +8 number of the group that the rank is making; 0 while it makes none
 *               +16 at the group's master the address of the group's block
 *               +24 number of operations that the rank had drawn before
 *               +32 the group's ranks, one bit each; the last bit stands for all ranks without a bit of their own
 *
 *  an edge:  +0     ARRIVED word   +8 fingerprint (tag)   +16 payload, 112 bytes
 *            +128   CREDIT word    +136 fingerprint   +144 invitation, 32 bytes
 *
 *  the cells of a slot:
 *           +---------------+---------------+-- … --+
 *           | cell, rank 0  | cell, rank 1  |       |          256 bytes each, by the ranks' order on the node
 *           +---------------+---------------+-- … --+
 *
 *  a cell:  +0    READY word      +8 fingerprint   +16 payload, 48 bytes; or the address of
 *                          the window, and at +40 the loans
 *           +64   descriptor of the call
 *           +128  DONE word
 *           +192  names of the descriptor
 *
 *  a descriptor: +0 sequence + 1 (word; 0 while it is being written)   +8 fingerprint   +16 hash of the call
 *                +24 count   +32 root, type and collective   +40 operator's unit and whether it commutes
 *                of blocks whose lengths all ranks know: +48 elements in all   +56 the longest block and its rank
 *      its names: +0 operator, 32 bytes   +32 algorithm, 32 bytes
 * </pre>
 *
 * <p>The fingerprint beside a word, its <i>tag</i>, is that of the sender's calls. Bit 0 is the sender's quiet flag.
 *
 * <p>Data that do not fit beside an ARRIVED word go to the <i>eager buffers</i>, a second block. For each edge of each
 * slot it has
 *
 * <pre>
 *            +0     ARRIVED word   +8 fingerprint
 *            +64    eager buffer, 2 × 32 KiB
 * </pre>
 *
 * <p>In each slot, after the eager buffers of the edges, the block has a <i>pair</i> for each node. Over it this node
 * and that node exchange messages of a length that both know. Any two nodes have a pair:
 *
 * <pre>
 *            +0     ARRIVED word   +8 fingerprint
 *            +64    CREDIT word    +72 fingerprint   +80 invitation, 32 bytes
 *            +128   eager buffer, 256 bytes to 16 KiB
 * </pre>
 *
 * <p>After all slots, the block has the <i>long buffers</i> of each pair, for messages that exceed the pair's eager
 * buffer. {@value #SLOTS_SHARING} slots share a long buffer, which is {@value #SLOTS_SHARING} times as long as that
 * eager buffer. With n long buffers, operation s uses long buffer s mod n.
 *
 * <p>A slot has one edge for each neighbour that a node can have in a tree, a dissemination or an exchange between the
 * nodes. The number of edges grows with the logarithm of the number of nodes.
 */
public final class RingLayout {
    /** The least number of slots of a communicator. */
    public static final int SLOTS_MIN = 16;

    /** The greatest number of slots of a communicator. */
    public static final int SLOTS_MAX = 64;

    /**
     * The number of low bits of an operation's word that hold the step of the algorithm. The bits above hold the number
     * of operations that have used the word's slot, this one included.
     */
    public static final int STEP_BITS = 20;

    /** The greatest step of an operation. */
    public static final int STEPS_MAX = (1 << STEP_BITS) - 1;

    private static final int MANY_RANKS = 4;
    private static final int CELLS_MAX = 1 << 14;
    private static final long EAGER_BUFFERS_BYTES_MAX = 8 << 20;

    /** The greatest number of bytes of data that fit beside a READY word, in its line. */
    public static final int PAYLOAD_BYTES = 48;

    /** The length of the eager buffer of an edge, in bytes. */
    public static final long EAGER_BUFFER_BYTES = 64 << 10;

    /** The greatest number of bytes of data that fit beside the ARRIVED word of an edge. */
    public static final int EDGE_PAYLOAD_BYTES = 112;

    /** The purpose of the eager buffers, for the message of the exception that a node has too little memory. */
    public static final String EAGER_BUFFERS_PURPOSE = "the eager buffers of other nodes' messages";

    /**
     * The offset in the ring of the broken word. The word encodes the reason why the communicator is broken and the
     * rank that broke it; it is 0 while the communicator is not broken.
     */
    public static final long BROKEN = 0;

    /** The offset in the ring of the EAGER_BUFFERS word, which becomes 1 when the eager buffers have been claimed. */
    public static final long EAGER_BUFFERS = 8;

    /** The offset in the ring of the address that the eager buffers have in the node's memory. */
    public static final long EAGER_BUFFERS_ADDRESS = 16;

    /** The offset in the ring of the handle under which the master has registered the eager buffers for other nodes. */
    public static final long EAGER_BUFFERS_HANDLE = 24;

    /** The offset, in a rank's left line, of the number of the group that the rank is making. */
    public static final long GROUP = 8;

    /** The offset, in the left line of a group's master, of the address of the group's block. */
    public static final long GROUP_ADDRESS = 16;

    /** The offset, in a rank's left line, of the number of operations that it had drawn before it made the group. */
    public static final long GROUP_DRAWN = 24;

    /** The offset, in a rank's left line, of the bits of the group's ranks. */
    public static final long GROUP_RANKS = 32;

    /** The offset of the READY word in a cell. */
    public static final long READY = 0;

    /** The distance of the payload from a READY or ARRIVED word, in bytes. */
    public static final long PAYLOAD = 16;

    /** The offset, in a cell, of the number that encodes how the rank of the cell lends memory. */
    public static final long LOANS = 40;

    /** The offset, in a cell, of the start of the lent source; the start of the lent target follows. */
    public static final long LOAN_STARTS = 48;

    /** The offset of the descriptor in a cell. */
    public static final long DESCRIPTOR = 64;

    /** The offset of the DONE word in a cell. */
    public static final long DONE = 128;

    /** The offset, in a descriptor, of the fingerprint of the history. */
    public static final long DESCRIPTOR_FINGERPRINT = 8;

    /** The offset, in a descriptor, of the hash of the call. */
    public static final long DESCRIPTOR_CALL = 16;

    /** The offset, in a descriptor, of the number of elements; negative for blocks of different lengths. */
    public static final long DESCRIPTOR_COUNT = 24;

    /** The offset, in a descriptor, of the call's root, element type and collective. */
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

    /** The length of a cell, in bytes. */
    public static final long CELL_BYTES = 256;

    static final long CREDIT = 2 * Words.LINE_BYTES;
    static final long EDGE_BYTES = CREDIT + Words.LINE_BYTES;

    /** The distance of an invitation from its CREDIT word, in bytes. */
    public static final long INVITATION = 16;

    /** The length of an invitation, in bytes. */
    public static final long INVITATION_BYTES = 32;

    /** The distance of an edge's eager buffer from its ARRIVED word, in bytes; pairs have another one. */
    public static final long EAGER_BUFFER = Words.LINE_BYTES;

    private static final long LANDED_BYTES = EAGER_BUFFER + EAGER_BUFFER_BYTES;
    private static final long PAIR_CREDIT = Words.LINE_BYTES;
    private static final long PAIR_EAGER_BUFFER = 2 * Words.LINE_BYTES;
    private static final int SLOTS_SHARING = 4;
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
     * Creates the layout of a communicator's blocks on a node.
     *
     * @param nodes the number of nodes of the communicator
     * @param localRanks the number of the communicator's ranks on the node
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
     * Returns the length of the eager buffer that a pair has in a slot. A pair is an edge that a node has for one other
     * node alone. These buffers of all pairs of a node together have {@value #PAIRS_BYTES_MAX} bytes at most, unless
     * each has only {@value #PAIR_BYTES_MIN} bytes.
     *
     * @param nodes the number of nodes of the communicator
     * @return a power of two from {@value #PAIR_BYTES_MIN} to {@value #PAIR_BYTES_MAX} bytes, the same on every node
     */
    public static long pairEagerBytes(int nodes) {
        long share = PAIRS_BYTES_MAX / ((long) nodes * slots(Math.max(2, nodes), 1));
        return Math.clamp(Long.highestOneBit(share), PAIR_BYTES_MIN, PAIR_BYTES_MAX);
    }

    /**
     * Returns the number of slots of a communicator. A slot is memory for one operation at a time. The number is also
     * the greatest number of operations in flight, begun by some ranks and not yet left by all.
     *
     * <p>On one node, few ranks have few slots, so that the cache lines of the slots are used again soon and stay in
     * caches. Many ranks mostly share cores. They have more slots, so that a rank that runs on a core can begin more
     * operations before it waits for a rank that has no core.
     *
     * <p>Between nodes, a rank that runs ahead must ask the other nodes whether slots are free. It asks once in as many
     * calls as there are slots. Therefore there are as many slots as fit, with their eager buffers, into {@value
     * #EAGER_BUFFERS_BYTES_MAX} bytes. With very many nodes even {@value #SLOTS_MIN} slots take more.
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

    /** {@return the number of slots, which is the greatest number of operations in flight} */
    public int slots() {
        return slots;
    }

    /** Returns the index of the slot that an operation uses, 0 to {@link #slots()} − 1. */
    public long slotIndex(long operation) {
        return operation & slots - 1;
    }

    /** Returns the generation of an operation: the number of earlier operations that used its slot. */
    long generation(long operation) {
        return operation >>> Integer.numberOfTrailingZeros(slots);
    }

    /**
     * Returns the value that the words of an operation have at step 0 of its algorithm. It is greater than all values
     * that the words had in earlier operations of the same slot.
     */
    public long base(long operation) {
        return (generation(operation) + 1) << STEP_BITS;
    }

    /**
     * Returns the number of edges of a slot, without pairs. A node uses an edge to exchange data with another node. One
     * edge is for a parent in a tree. The others are as many as the widest tree has children, or as an exchange between
     * nodes has rounds, if that is more.
     *
     * @param nodes the number of nodes of the communicator
     * @return the number of edges, 0 with one node
     */
    public static int edges(int nodes) {
        int rounds = Integer.SIZE - Integer.numberOfLeadingZeros(nodes - 1);
        return nodes == 1 ? 0 : 1 + Math.max(rounds, FibonacciTree.INSTANCE.children(0, nodes));
    }

    /** {@return the size of the communicator's block, in bytes} */
    public long bytes() {
        return slot(slots);
    }

    /**
     * {@return the size of the eager buffers, in bytes; 0 with one node}
     */
    public long eagerBuffersBytes() {
        return firstLongBuffer() + (long) nodes * longBuffers() * pairLongBytes();
    }

    /** Returns the length of the part of the eager buffers that belongs to one slot, in bytes. */
    private long landedOfSlot() {
        return edges * LANDED_BYTES + nodes * pairBytes;
    }

    private long firstLongBuffer() {
        return slots * landedOfSlot();
    }

    /**
     * Returns a description of the word at an offset in the communicator's block, for messages and drawings.
     *
     * @param offset the offset in the block, in bytes
     * @return the description, such as "READY of local rank 2 in slot 3", or "CREDIT of edge 1 in slot 0"
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
     * Returns a description of the word or buffer at an offset in the eager buffers, for messages.
     *
     * @param offset the offset in the block of the eager buffers, in bytes
     * @return the description, such as "eager buffer of edge 1 in slot 0"
     */
    public String describeEagerBuffers(long offset) {
        long inLong = offset - firstLongBuffer();
        if (inLong >= 0) {
            long index = inLong / pairLongBytes();
            return "long buffer " + index % longBuffers() + " of the pair with node " + index / longBuffers();
        }
        long inSlot = offset % landedOfSlot();
        long inPairs = inSlot - edges * LANDED_BYTES;
        String word = inPairs >= 0 && inPairs % pairBytes >= PAIR_CREDIT ? "CREDIT" : "ARRIVED at the eager buffer";
        return (isEagerBuffer(offset) ? "eager buffer" : word) + " of "
                + (inPairs < 0 ? "edge " + inSlot / LANDED_BYTES : "the pair with node " + inPairs / pairBytes)
                + " in slot " + offset / landedOfSlot();
    }

    /**
     * Returns whether an offset in the block of the eager buffers lies in a buffer. Otherwise it lies in the cache line
     * of a word.
     *
     * @param offset the offset in the block, in bytes
     * @return whether the offset lies in a buffer
     */
    public boolean isEagerBuffer(long offset) {
        long inSlot = offset % landedOfSlot();
        long inPairs = inSlot - edges * LANDED_BYTES;
        return offset >= firstLongBuffer() || (inPairs < 0 ? inSlot % LANDED_BYTES >= EAGER_BUFFER
                : inPairs % pairBytes >= PAIR_EAGER_BUFFER);
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

    /** Returns the offset of the cells of a slot. */
    public long slot(long index) {
        return firstSlot + index * slotBytes;
    }

    /**
     * Returns the offset of a rank's cell in a slot.
     *
     * @param slot the offset of the slot's cells
     * @param localRank the rank's index among the ranks of the node
     */
    public static long cell(long slot, int localRank) {
        return slot + localRank * CELL_BYTES;
    }

    long edge(long slotIndex, int edge) {
        return Words.LINE_BYTES + (slotIndex * edges + edge) * EDGE_BYTES;
    }

    /**
     * Returns the index of the edge that is the pair of this node and another node, an edge for these two nodes alone.
     * Pairs are numbered after the other edges.
     */
    public int pair(int node) {
        return edges + node;
    }

    /** Returns whether an edge is a pair, an edge for one other node alone. */
    public boolean isPair(int edge) {
        return edge >= edges;
    }

    /** Returns the length of the eager buffer that a pair has in a slot, in bytes. */
    public long pairEagerBytes() {
        return pairBytes - PAIR_EAGER_BUFFER;
    }

    /**
     * Returns the length of a long buffer of a pair. Only a message that exceeds this length needs an invitation.
     *
     * @param nodes the number of nodes of the communicator
     * @return the length in bytes, the same on every node
     */
    public static long pairLongBytes(int nodes) {
        return SLOTS_SHARING * pairEagerBytes(nodes);
    }

    /** Returns the length of a long buffer of a pair, in bytes. */
    public long pairLongBytes() {
        return SLOTS_SHARING * pairEagerBytes();
    }

    /**
     * Returns the number of long buffers of a pair, which operations use in turn. This is also the number of operations
     * after which a long buffer is used again.
     */
    public int longBuffers() {
        return slots / SLOTS_SHARING;
    }

    /** Returns the number of edges of a slot that are not pairs; 0 with one node. */
    public int edges() {
        return edges;
    }

    /** Returns the number of edges of a slot, pairs included. */
    public int edgesOfAllKinds() {
        return edges + nodes;
    }

    /**
     * Returns the offset, in the communicator's block, of the ARRIVED word of an edge that is not a pair. The payload
     * lies beside the word.
     */
    public long arrived(long slotIndex, int edge) {
        return edge(slotIndex, edge);
    }

    /**
     * Returns the offset of the CREDIT word of an edge. If the edge is a pair, the word is in the eager buffers,
     * otherwise in the communicator's block.
     */
    public long credit(long slotIndex, int edge) {
        return isPair(edge) ? eagerArrived(slotIndex, edge) + PAIR_CREDIT : edge(slotIndex, edge) + CREDIT;
    }

    /** Returns the offset, in the eager buffers, of the ARRIVED word of an edge's eager buffer. */
    public long eagerArrived(long slotIndex, int edge) {
        long slot = slotIndex * landedOfSlot();
        return isPair(edge) ? slot + edges * LANDED_BYTES + (edge - pair(0)) * pairBytes : slot + edge * LANDED_BYTES;
    }

    /** Returns the offset, in the eager buffers, of the long buffer that a pair has for a slot and those sharing it. */
    public long longBuffer(long slotIndex, int pair) {
        return firstLongBuffer()
                + ((pair - pair(0)) * (long) longBuffers() + slotIndex % longBuffers()) * pairLongBytes();
    }

    /** Returns the distance of an edge's eager buffer from the ARRIVED word before it, in bytes. */
    public long eagerBuffer(int edge) {
        return isPair(edge) ? PAIR_EAGER_BUFFER : EAGER_BUFFER;
    }
}
