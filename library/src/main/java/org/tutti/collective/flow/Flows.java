/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.flow;

import java.util.Arrays;

import org.tutti.collective.operation.DataMover;
import org.tutti.collective.operation.Operation;
import org.tutti.collective.operation.StepWords;
import org.tutti.collective.operation.TeamContext;
import org.tutti.collective.window.OperationWindows;

/**
 * Holds the ends of all flows at one rank. A flow is a stream of pieces of messages from one node to another. For each
 * edge of the rank's node there are an {@link Inflow} and an {@link Outflow}, each created when an algorithm first
 * needs it. This object also keeps the parts of the team that the ends use. A team has one such object.
 */
public final class Flows {
    /**
     * The length of the shortest block that is a piece of its own in a long message. A fabric sends bytes of one run
     * from where they lie if there are so many, and copies bytes of several runs.
     */
    private static final long SEPARATE_BLOCK_BYTES_MIN = 16 << 10;

    /**
     * The length in bytes of the longest piece of a block. A master that sends to several nodes at the same time sends
     * each of them a piece in turn.
     */
    public static final long BLOCK_PIECE_BYTES_MAX = 1 << 20;

    final TeamContext context;
    final Operation operation;
    final StepWords words;
    final DataMover mover;
    final OperationWindows windows;
    final Edges edges;
    private Outflow[] outflows;
    private Inflow[] inflows;

    /**
     * Creates the table of a team's flows, from the parts of the team that the ends of flows use. The table is empty.
     */
    public Flows(TeamContext context, Operation operation, StepWords words, DataMover mover, OperationWindows windows,
            Edges edges) {
        this.context = context;
        this.operation = operation;
        this.words = words;
        this.mover = mover;
        this.windows = windows;
        this.edges = edges;
        this.inflows = new Inflow[context.layout.edges()];
        this.outflows = new Outflow[context.layout.edges()];
    }

    /**
     * Returns whether all transfers that the current operation has begun are sent or taken completely; for assertions.
     */
    public boolean areDone() {
        return areDone(inflows) && areDone(outflows);
    }

    private static boolean areDone(Flow[] flows) {
        for (Flow flow : flows) {
            if (flow != null && !flow.isDone()) {
                return false;
            }
        }
        return true;
    }

    /** Returns the receiving end of the flow that comes over an edge of this node, and creates it if necessary. */
    public Inflow inflow(int edge) {
        if (edge >= inflows.length) { // not all algorithms use pairs
            inflows = Arrays.copyOf(inflows, context.layout.edgesOfAllKinds());
        }
        if (inflows[edge] == null) {
            inflows[edge] = new Inflow(this, edge);
        }
        return inflows[edge];
    }

    /**
     * Returns the sending end of the flow that gets its credits over an edge of this node, and creates it if necessary.
     */
    public Outflow outflow(int edge) {
        if (edge >= outflows.length) {
            outflows = Arrays.copyOf(outflows, context.layout.edgesOfAllKinds());
        }
        if (outflows[edge] == null) {
            outflows[edge] = new Outflow(this, edge);
        }
        return outflows[edge];
    }

    /** Returns the index of the edge of this node that is its pair with another node, an edge for that node alone. */
    public int pair(int otherNode) {
        return context.layout.pair(otherNode);
    }

    /** Returns the index of the edge of any other node that is its pair with this node. */
    int pairThere() {
        return context.layout.pair(context.node);
    }

    /**
     * Returns the length of the pieces of a message of blocks over a pair, as {@link #messagePieceBytes(long, long,
     * long, int)} does for this rank's pairs and fabric.
     */
    public long messagePieceBytes(long block, long bytes) {
        return messagePieceBytes(block, bytes, context.layout.pairEagerBytes(), context.machine.packetBytes());
    }

    /**
     * Returns the length of the pieces of a message of blocks over a pair. A message that fits into the eager buffer
     * that the pair has in a slot is one piece. In a longer message, a piece has as many whole blocks as one packet
     * carries. Blocks of {@value #SEPARATE_BLOCK_BYTES_MIN} bytes or more are a piece each, or several pieces if they
     * have more than {@value #BLOCK_PIECE_BYTES_MAX} bytes.
     *
     * @param block the length of each block, in bytes, 0 or more
     * @param bytes the length of the message, in bytes, 0 or more
     * @param eagerBytes the length of the eager buffer that a pair has in a slot, in bytes
     * @param packetBytes the longest piece that the fabric sends as one packet, in bytes
     * @return the length of a piece in bytes, 1 or more
     */
    public static long messagePieceBytes(long block, long bytes, long eagerBytes, int packetBytes) {
        if (bytes <= eagerBytes) {
            return Math.max(1, bytes);
        }
        return block < SEPARATE_BLOCK_BYTES_MIN ? packetBytes / block * block : Math.min(block, BLOCK_PIECE_BYTES_MAX);
    }

    /** Returns whether a message is too long for the long buffer of a pair, so that the receiver invites the sender. */
    public boolean exceedsPair(long bytes) {
        return bytes > context.layout.pairLongBytes();
    }
}
