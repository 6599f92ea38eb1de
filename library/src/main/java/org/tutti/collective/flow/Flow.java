/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.flow;

import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.window.OperationWindows;
import org.tutti.memory.Words;

/**
 * A one-way stream of pieces from the master of one node to another node, during one operation. The sending node has
 * its {@link Outflow} end, the receiving node its {@link Inflow} end. This class holds the state that both ends count
 * alike.
 *
 * <p><b>Life.</b> {@link Flows} makes an end for an edge when an algorithm first needs it, and keeps it as long as the
 * team. In each operation the algorithm opens the end again, with the other node, the length of the pieces and the
 * number of places. Further flows may follow over the same edge in the same operation ({@link Inflow#openInbox}, {@link
 * Inflow#openNext}). The steps of a later flow go on from the pieces before it. A flow ends with its operation at the
 * latest: by then the algorithm has sent and taken all pieces.
 *
 * <p><b>Parts.</b> A flow uses one <i>edge</i> of each of its two nodes. In each slot, an edge has an ARRIVED word,
 * beside the word a short payload, and a CREDIT word ({@link RingLayout}). A flow consists of pieces, which go through
 * places. A <i>piece</i> is the bytes that one put carries, or a few puts if the piece has {@linkplain #inParts parts};
 * a put writes bytes into another node's memory. A <i>place</i> is a buffer at the receiver that holds one piece. The
 * places of a flow have one length and lie one after the other; piece k goes to place (k − 1) mod p of p places. The
 * sender uses a place again once the receiver has credited the piece that was there.
 *
 * <p><b>Words.</b> The ARRIVED word of the receiver's edge counts the pieces that have come since the operation began,
 * over all flows of the edge. It counts each part of a piece. The CREDIT word of the sender's edge counts the pieces
 * that the receiver has taken. Data and credits use different words, so any node may send data to the sender over the
 * same edge on which the sender's credits arrive.
 *
 * <p><b>Memory of the places.</b> The places are in the payload of the receiver's edge, in the edge's eager buffer, or
 * in memory to which the receiver <i>invites</i> the sender (a rendezvous). Invited memory is a window, a share of the
 * receiver's inbox, or the caller's own memory. Without an invitation both ends compute from the length of the message
 * where the places are. If the places fit into the payload, they are there, at most {@value #PLACES} of them, so a
 * short message touches only the lines of the ARRIVED word and of its own bytes. All other places, and all places of a
 * pair, are in the eager buffer, which has an ARRIVED word of its own. A <i>pair</i> is the edge that a node has for
 * one other node alone.
 *
 * <p><b>Credits.</b> Into a payload or eager buffer the sender needs no invitation: with p places it sends the first p
 * pieces without a credit. If the receiver invites, the invitation is the first credit, and the credit of piece k has
 * the value k + 1 instead of k. Before the sender sends a piece, it awaits the credit of the piece that was in the same
 * place before, so it is never more pieces ahead than there are places. There are two exceptions. {@link
 * Outflow#signal} writes no bytes, so it needs no free place. A flow that {@link Outflow#openNext} has opened awaits no
 * credit, because the algorithm knows that the place is free. The receiver gives one credit for each half of the places
 * that it has taken, for each piece if there are 2 or 3 places, because that lets the sender go on early. It gives no
 * credit if no later piece awaits it.
 *
 * <p>If many nodes may be invited at the same time, {@link RendezvousSchedule} orders the invitations.
 */
public abstract sealed class Flow permits Inflow, Outflow {
    /** The number of places that suffices to fill one place while another one is emptied. */
    public static final int PLACES = 2;

    /**
     * The value that a sender passes as the number of places if the receiver will invite it. The invitation then
     * determines the number.
     */
    public static final int INVITED = 0;

    /**
     * The longest message, in bytes, for which {@link #PLACES} places fit into the payload of an edge. Longer messages
     * may need eager buffers.
     */
    public static final long SHORT_BYTES_MAX = RingLayout.EDGE_PAYLOAD_BYTES / PLACES;

    /** The longest piece, in bytes, for which an eager buffer has {@link #PLACES} places. */
    public static final long PIECE_BYTES = RingLayout.EAGER_BUFFER_BYTES / PLACES;

    /** The length of an inbox that no other rank of the node reads, in bytes. */
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
     * Returns the number of shares into which the inbox is divided. Messages go through the inbox if they are longer
     * than an eager buffer and a share is longer than an eager buffer.
     *
     * @param bytes the length of the message
     * @param flows the greatest number of flows that may come to a node in an operation; 0 with one node
     * @return {@code flows}, one share for each; 0 if the messages go through eager buffers
     */
    public static int shares(long bytes, int flows) {
        return bytes > RingLayout.EAGER_BUFFER_BYTES && flows > 0 && INBOX_BYTES / flows > RingLayout.EAGER_BUFFER_BYTES
                ? flows
                : 0;
    }

    /** Returns the length of a share of the inbox, in bytes: a multiple of a cache line. */
    static long shareBytes(int shares) {
        return INBOX_BYTES / shares / Words.LINE_BYTES * Words.LINE_BYTES;
    }

    /**
     * Returns the length of the longest piece of a transfer that is combined, in bytes. The transfer goes through a
     * share of the inbox, or through an eager buffer if there are no shares.
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
     * Returns whether opening the flow is correct: the current operation has not opened it for the same node, or the
     * flow goes on after all pieces that have come. For assertions.
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

    /** Returns the number of bytes that all places of a flow without invitation may have together; for assertions. */
    private long placesBytes() {
        return flows.context.layout.isPair(edge) ? flows.context.layout.pairEagerBytes()
                : isEager ? RingLayout.EAGER_BUFFER_BYTES : RingLayout.EDGE_PAYLOAD_BYTES;
    }

    /**
     * Returns whether every transfer that the current operation has begun at this end has been sent or taken; for
     * assertions.
     */
    abstract boolean isDone();

    @Override
    public String toString() {
        return getClass().getSimpleName() + " over edge " + edge + " with node " + node + " by operation " + openedIn
                + ", with " + places + " places of " + pieceBytes + " bytes, after " + number + " pieces and " + before
                + " before,";
    }

    /**
     * Sets the number of parts of each piece of an open flow. The sender sends each part, and the receiver awaits each
     * part, separately.
     *
     * @param count the number of parts, 1 or more
     */
    public final void inParts(int count) {
        assert isOpen() && number == 0 && count > 0 : this + " is to have " + count + " parts";
        parts = count;
    }

    /** Returns the number of the piece to which the last part belongs, from 1 on. */
    final long piece() {
        return parts == 1 ? number : (number - 1) / parts + 1;
    }

    /** Returns the offset of the current piece's place from the first place. */
    final long place() {
        return (piece() - 1) % places * pieceBytes;
    }

    /** Returns the step of the ARRIVED word that counts the current piece, or the current part. */
    final long arrival() {
        return before + number;
    }

    /** Returns the step of the CREDIT word that credits a piece; for piece 0, the step of the invitation. */
    final long credit(long piece) {
        return before + (invites ? piece + 1 : piece);
    }

    /** Returns the number of pieces that one credit covers: half of the places, 1 at least. */
    final long together() {
        return Math.max(1, places / 2);
    }

    /**
     * Returns whether the sender awaits the credit of a piece, or of a piece that shares its credit.
     *
     * @param piece the number of the piece, from 1 on
     * @param places the number of places
     * @param pieces the number of pieces that the flow will have
     * @return whether a later piece awaits the credit
     */
    public static boolean isAwaited(long piece, long places, long pieces) {
        return piece - Math.max(1, places / 2) + places < pieces;
    }
}
