/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.flow;

import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.window.OperationWindows;
import org.tutti.memory.Words;

/**
 * A one-way stream of pieces from one node to another during one operation. The sending node has its {@link Outflow}
 * end, the receiving node its {@link Inflow} end; this class has what both ends count alike.
 *
 * <p><b>Life.</b> {@link Flows} makes an end for an edge when an algorithm first needs one, and keeps it as long as the
 * team. In each operation the algorithm opens the end again, with the other node, the length of the pieces and the
 * number of places. The flow ends with the operation: by then the algorithm has sent and taken all pieces.
 *
 * <p><b>Parts.</b> A flow goes over an <i>edge</i> of each node: a cell for short messages, an ARRIVED word and a
 * CREDIT word, in the operation's slot ({@link RingLayout}). A flow consists of pieces, which go through places. A
 * <i>piece</i> is the bytes that one put carries, or a few puts if the piece has {@linkplain #inParts parts}. A
 * <i>place</i> is a buffer at the receiver that holds one piece. The places of a flow have one length and lie one after
 * the other; piece k goes to place (k − 1) mod p of p places. The sender uses a place again when the receiver has
 * credited the piece that was there.
 *
 * <p><b>Words.</b> The ARRIVED word of the receiver's edge counts the pieces that have come. The CREDIT word of the
 * sender's edge counts the pieces that the receiver has taken. Data and credits have words of their own, so at the same
 * time any node may send data over the sender's edge.
 *
 * <p><b>Memory of the places.</b> The places lie in the cell of the receiver's edge, in the edge's eager buffer, or in
 * memory to which the receiver <i>invites</i> the sender (a rendezvous): a window, a share of the receiver's inbox, or
 * the caller's own memory. Without an invitation both ends know from the length of the message where the places are. If
 * the cell has room for them beside its ARRIVED word, they are in the cell, so a short message touches only the lines
 * of the word and of its bytes. Otherwise, and over a pair, they are in the eager buffer, which has an ARRIVED word of
 * its own.
 *
 * <p><b>Credits.</b> The places of a cell or eager buffer are promised: the sender needs no invitation, and sends as
 * many pieces as there are places without a credit. If the receiver invites, the invitation is the first credit, and
 * the credit of piece k has the value k + 1 instead of k. Before it sends a piece, the sender awaits the credit of the
 * piece that was in the same place before, so it is never more pieces ahead than there are places. The receiver credits
 * pieces when they fill half of the places, because that lets the sender go on, and only if a later piece awaits the
 * credit.
 *
 * <p>If many nodes may be invited at the same time, {@link RendezvousSchedule} orders the invitations.
 */
public abstract sealed class Flow permits Inflow, Outflow {
    /** The number of places where one is filled while another one is emptied. */
    public static final int PLACES = 2;

    /** The number of places that a sender gives for a flow to which it is yet to be invited. */
    public static final int INVITED = 0;

    /**
     * The longest message, in bytes, of which {@link #PLACES} pieces fit into a cell; longer ones may need eager
     * buffers.
     */
    public static final long SHORT_BYTES_MAX = RingLayout.EDGE_PAYLOAD_BYTES / PLACES;

    /** The longest piece, in bytes, where an eager buffer has {@link #PLACES} places. */
    public static final long PIECE_BYTES = RingLayout.EAGER_BUFFER_BYTES / PLACES;

    /** The length of a rank's inbox, in bytes. */
    public static final long INBOX_BYTES = OperationWindows.INBOX_BYTES;

    private static final long NOT_OPENED = -1;

    final Flows flows;
    final Edges edges;
    final int edge;
    int node;
    int edgeThere;
    boolean invites;
    boolean isEager;
    long pieceBytes;
    long places;
    long number;
    long before;
    private long openedIn = NOT_OPENED; // the operation's number; only assertions look
    private long parts;

    Flow(Flows flows, int edge) {
        this.flows = flows;
        this.edges = flows.edges;
        this.edge = edge;
    }

    /**
     * Counts the shares of the inbox through which messages go. Messages go through the inbox if they are longer than
     * an eager buffer and a share has room for more than an eager buffer.
     *
     * @param bytes the length of the message
     * @param flows the number of flows of an operation that may come to a node; 0 with one node
     * @return a share for each flow; 0 if the messages go through eager buffers
     */
    public static int shares(long bytes, int flows) {
        return bytes > RingLayout.EAGER_BUFFER_BYTES && flows > 0 && INBOX_BYTES / flows > RingLayout.EAGER_BUFFER_BYTES
                ? flows
                : 0;
    }

    /** Returns the length of a share of the inbox. */
    static long shareBytes(int shares) {
        return INBOX_BYTES / shares / Words.LINE_BYTES * Words.LINE_BYTES;
    }

    /**
     * Returns the longest piece of a transfer that is combined, through a share of the inbox or an eager buffer.
     */
    final long pieceBytes(Kernel kernel, int shares) {
        return kernel.wholeUnits(
                shares == 0 ? PIECE_BYTES : Math.min(flows.context.machine.packetBytes(), shareBytes(shares) / PLACES));
    }

    final void begin(int otherNode, int otherEdge, long longestPiece, long count, boolean invitation,
            long piecesBefore) {
        assert goesOn(otherNode, piecesBefore) : this + " is opened again with " + piecesBefore + " pieces before";
        node = otherNode;
        edgeThere = otherEdge;
        long piece = Math.max(1, Math.min(longestPiece, flows.operation.call.bytes()));
        long needed = Math.min(count, PLACES);
        invites = invitation;
        isEager = flows.context.layout.isPair(edge) || !invitation && piece * needed > RingLayout.EDGE_PAYLOAD_BYTES;
        pieceBytes = invites || isEager ? longestPiece : piece;
        places = invites || isEager ? count : needed;
        parts = 1;
        number = 0;
        before = piecesBefore;
        assert otherNode != flows.context.node : this + " goes to the node itself";
        assert invites || pieceBytes > 0 && places > 0 && places * pieceBytes <= placesBytes() : this;
    }

    /**
     * Returns whether the flow is opened once an operation for each node, or goes on after all that has come; for
     * assertions.
     */
    private boolean goesOn(int otherNode, long piecesBefore) {
        long opened = openedIn;
        openedIn = flows.operation.sequence;
        return opened != openedIn || otherNode != node || piecesBefore > 0 && piecesBefore >= arrival();
    }

    /** Returns whether the current operation has opened the flow; for assertions. */
    final boolean isOpen() {
        return openedIn == flows.operation.sequence;
    }

    /** Returns the length of all places of a flow without invitation; for assertions. */
    private long placesBytes() {
        return flows.context.layout.isPair(edge) ? flows.context.layout.pairEagerBytes()
                : isEager ? RingLayout.EAGER_BUFFER_BYTES : RingLayout.EDGE_PAYLOAD_BYTES;
    }

    /** Returns whether all that was begun in the current operation has been sent or taken; for assertions. */
    abstract boolean isDone();

    @Override
    public String toString() {
        return getClass().getSimpleName() + " over edge " + edge + " with node " + node + " by operation " + openedIn
                + ", with " + places + " places of " + pieceBytes + " bytes, after " + number + " pieces and " + before
                + " before,";
    }

    /**
     * Sets the number of parts of each piece of an open flow. Each part is sent and awaited by itself.
     *
     * @param count the number, 1 or more
     */
    public final void inParts(int count) {
        assert isOpen() && number == 0 && count > 0 : this + " is to have " + count + " parts";
        parts = count;
    }

    /** Returns the piece to which the last part belongs, from 1 on. */
    final long piece() {
        return parts == 1 ? number : (number - 1) / parts + 1;
    }

    /** Returns the offset of that piece's place from the first place. */
    final long place() {
        return (piece() - 1) % places * pieceBytes;
    }

    /** Returns the step of the ARRIVED word that counts the last piece, or part. */
    final long arrival() {
        return before + number;
    }

    /** Returns the step of the CREDIT word that credits a piece; for piece 0, the step of the invitation. */
    final long credit(long piece) {
        return before + (invites ? piece + 1 : piece);
    }

    /** Returns the number of pieces that are credited together. */
    final long together() {
        return Math.max(1, places / 2);
    }

    /**
     * Tells whether the sender awaits the credit of a piece, or of one that is credited together with it.
     *
     * @param piece the piece, from 1 on
     * @param places the number of places
     * @param pieces the number of pieces that there will be
     * @return whether it does
     */
    public static boolean isAwaited(long piece, long places, long pieces) {
        return piece - Math.max(1, places / 2) + places < pieces;
    }
}
