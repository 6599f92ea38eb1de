/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.flow;

import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.window.OperationWindows;
import org.tutti.memory.Words;

/**
 * One end of a flow. A flow is a one-way stream of pieces, the parts of messages, from the master of one node, its
 * first rank, to another node during one operation. The sending node has its {@link Outflow} end, the receiving node
 * its {@link Inflow} end. This class holds the state that both ends count in the same way.
 *
 * <p><b>Life.</b> {@link Flows} makes an end for an edge when an algorithm first needs it, and keeps it as long as the
 * team. In each operation the algorithm opens the end again, with the other node, the length of the pieces and the
 * number of places. Further flows may follow over the same edge in the same operation ({@link Inflow#openInbox}, {@link
 * Inflow#openNext}). The steps of a later flow go on from the pieces of the earlier ones. A flow ends with its
 * operation at the latest. By then the algorithm has sent and taken all pieces.
 *
 * <p><b>Parts.</b> A flow uses one <i>edge</i> of each of its two nodes. In each slot, the memory of one operation, an
 * edge has an ARRIVED word with a short payload beside it, and a CREDIT word ({@link RingLayout}). A flow consists of
 * pieces, which go through places. A <i>piece</i> is the bytes that one put writes into the other node's memory, or a
 * few puts if the piece has {@linkplain #inParts parts}. A <i>place</i> is a buffer at the receiver that holds one
 * piece. The places of a flow have one length and lie one after the other; piece k goes to place (k − 1) mod p of p
 * places. The sender uses a place again once the receiver has credited the piece that was there.
 *
 * <p><b>Words.</b> The ARRIVED word of the receiver's edge counts the pieces that have come since the operation began,
 * over all flows of the edge. It counts each part of a piece. The CREDIT word of the sender's edge counts the pieces
 * that the receiver has taken. Data and credits use different words. Therefore any node may send data to the sender
 * over the same edge over which the sender gets its credits.
 *
 * <p><b>Memory of the places.</b> The places are in the payload of the receiver's edge, in the eager buffer that the
 * edge has in the same slot, or in memory to which the receiver <i>invites</i> the sender (a rendezvous). Invited
 * memory is a window, a share of the receiver's inbox, an eager buffer over which nothing else comes, or the caller's
 * own memory. Without an invitation both ends compute from the length of the message where the places are. If the
 * places fit into the payload, they are there, at most {@value #PLACES} of them. A short message therefore touches only
 * the cache lines of the ARRIVED word and of its own bytes. All other places, and all places of a pair, are in the
 * eager buffer, which has an ARRIVED word of its own. A <i>pair</i> is the edge that a node has for one other node
 * alone. If the places do not fit into the eager buffer that the pair has in the slot, they are in the pair's <i>long
 * buffer</i>, a longer eager buffer that a few slots share. If only the sender knows the length of a piece, both ends
 * compute a place in the eager buffer, and another one in the long buffer for the <i>rest</i> of a longer piece.
 *
 * <p><b>Credits.</b> Into a payload or eager buffer the sender needs no invitation: with p places it sends the first p
 * pieces without a credit. If the receiver invites, the invitation is the first credit, and the credit of piece k has
 * the value k + 1 instead of k. Before the sender sends a piece, it awaits the credit of the piece that was in the same
 * place before, so it is never more pieces ahead than there are places. There are two exceptions. {@link
 * Outflow#signal} writes no bytes, so it needs no free place. A flow that {@link Outflow#openNext} has opened awaits no
 * credit, because the algorithm knows that the place is free. The receiver gives a credit whenever it has taken half as
 * many pieces as there are places, so that the sender can go on early. With 2 or 3 places it gives one for each piece.
 * It gives no credit that no later piece can await. The receiver may know only an upper bound of the number of pieces,
 * so a credit may be unneeded and arrive after the sender has left. It is then ignored, because no word is lowered.
 *
 * <p>If many nodes may be invited at the same time, {@link RendezvousSchedule} orders the invitations.
 */
public abstract sealed class Flow permits Inflow, Outflow {
    /** The number of places of a flow that suffices to fill one place while another one is emptied. */
    public static final int PLACES = 2;

    /**
     * The value that a sender passes as the number of places of a flow if the receiver will invite it. The length in
     * the invitation then determines the number.
     */
    public static final int INVITED = 0;

    /**
     * The length of the longest message, in bytes, for which {@link #PLACES} places fit into the payload of an edge,
     * the bytes beside its ARRIVED word. Longer messages may need eager buffers.
     */
    public static final long SHORT_BYTES_MAX = RingLayout.EDGE_PAYLOAD_BYTES / PLACES;

    /** The longest piece, in bytes, for which an eager buffer has {@link #PLACES} places. */
    public static final long PIECE_BYTES = RingLayout.EAGER_BUFFER_BYTES / PLACES;

    /** The length of an inbox that no other rank of the node reads, in bytes. */
    public static final long INBOX_BYTES = OperationWindows.INBOX_BYTES;

    private static final long NOT_OPENED = -1;
    private static final int PACKETS_MAX = 4; // two such pieces fit into the inbox
    private static final int MESSAGE_PIECES_MIN = 4;

    final Flows flows;
    final Edges edges;
    final int edge;
    int node;
    int edgeThere;
    boolean invites;
    boolean isEager;
    boolean isLong;
    long pieceBytes;
    long places;
    long number;
    long before;
    private long openedIn = NOT_OPENED; // the operation's number; only assertions look
    private long parts;
    private long restBytes; // the length of the place for the rest of a piece

    Flow(Flows flows, int edge) {
        this.flows = flows;
        this.edges = flows.edges;
        this.edge = edge;
    }

    /**
     * Returns the number of shares into which a node divides its inbox, the memory for long messages of other nodes.
     * Each flow that comes to the node has a share. Messages go through the inbox if they are longer than an eager
     * buffer, provided that a share is longer than an eager buffer.
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
     * Returns the length of the longest piece of a transfer that the receiver combines. The transfer goes through a
     * share of the receiver's inbox, or through an eager buffer if there are no shares. Such a piece is one packet, or
     * up to {@value #PACKETS_MAX} packets of a longer message. A longer piece costs less a byte, because one system
     * call sends it. A piece of several packets is at most a quarter of the message, so that the receiver combines a
     * piece while the next one arrives.
     *
     * @param kernel the operator; a piece holds whole units of it
     * @param shares the number of shares of the inbox, or 0
     * @return the length, in bytes
     */
    final long pieceBytes(Kernel kernel, int shares) {
        return kernel.wholeUnits(shares == 0 ? PIECE_BYTES
                : combinedPieceBytes(flows.operation.call.bytes(), flows.context.machine.packetBytes(),
                        shareBytes(shares) / PLACES));
    }

    /** Returns the length of a piece that the receiver combines, of a message and with places of given lengths. */
    static long combinedPieceBytes(long message, long packet, long place) {
        long packets = Math.clamp(message / MESSAGE_PIECES_MIN / packet, 1, PACKETS_MAX);
        return Math.min(packets * packet, place < packet ? place : place / packet * packet);
    }

    /** Returns the number of pieces of some bytes. If there are no bytes, one empty piece is sent. */
    static long piecesOf(long longestPiece, long bytes) {
        return Math.max(1, (bytes + longestPiece - 1) / longestPiece);
    }

    final void begin(int otherNode, int otherEdge, long longestPiece, long count, boolean invitation,
            long piecesBefore) {
        assert goesOn(otherNode, piecesBefore) : this + " is opened again with " + piecesBefore + " pieces before";
        node = otherNode;
        edgeThere = otherEdge;
        long piece = Math.max(1, Math.min(longestPiece, flows.operation.call.bytes()));
        long needed = Math.min(count, PLACES);
        invites = invitation;
        RingLayout layout = flows.context.layout;
        isEager = layout.isPair(edge) || !invitation && piece * needed > RingLayout.EDGE_PAYLOAD_BYTES;
        isLong = layout.isPair(edge) && !invitation && longestPiece * count > layout.pairEagerBytes();
        pieceBytes = invites || isEager ? longestPiece : piece;
        places = invites || isEager ? count : needed;
        parts = 1;
        restBytes = 0;
        number = 0;
        before = piecesBefore;
        assert otherNode != flows.context.node : this + " goes to the node itself";
        assert invites || pieceBytes > 0 && places > 0 && (places - 1) * pieceBytes < placesBytes() : this;
    }

    /**
     * Returns whether a flow may be opened, for assertions. It may if the current operation has not opened it for the
     * same node, or if it goes on after all pieces that have come.
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

    /**
     * Returns the length of the memory for the places of a flow without an invitation, in bytes; for assertions. The
     * last place may be shorter than the others.
     */
    final long placesBytes() {
        RingLayout layout = flows.context.layout;
        return isLong ? layout.pairLongBytes()
                : layout.isPair(edge) ? layout.pairEagerBytes()
                        : isEager ? RingLayout.EAGER_BUFFER_BYTES : RingLayout.EDGE_PAYLOAD_BYTES;
    }

    /**
     * Returns whether each transfer that the current operation has begun at this end has been sent or taken completely;
     * for assertions.
     */
    abstract boolean isDone();

    @Override
    public String toString() {
        return getClass().getSimpleName() + " over edge " + edge + " with node " + node + " by operation " + openedIn
                + ", with " + places + " places of " + pieceBytes + " bytes, after " + number + " pieces and " + before
                + " before,";
    }

    /**
     * Sets the number of parts of each piece of an open flow. The sender sends each part separately, and the receiver
     * awaits each part separately.
     *
     * @param count the number of parts of a piece, 1 or more
     */
    public final void inParts(int count) {
        assert isOpen() && number == 0 && count > 0 : this + " is to have " + count + " parts";
        parts = count;
    }

    /**
     * Lets the pieces of an open flow be longer than their places. The rest of such a piece goes to a place of its own
     * in the long buffer of the pair, the edge that two nodes have for each other alone. The flow has a place for each
     * piece, and all of its places are in the eager buffer of the pair.
     *
     * @param bytes the length of the longest rest, 0 or more, the same at both ends
     */
    public final void withRests(long bytes) {
        assert isOpen() && number == 0 && !invites && !isLong && flows.context.layout.isPair(edge)
                && places * bytes <= flows.context.layout.pairLongBytes() : this + " is to have rests of " + bytes;
        restBytes = bytes;
    }

    /** Returns the offset in the long buffer of the place for the rest of a piece, by the number of the piece. */
    final long restPlace(long numbered) {
        assert numbered > 0 && numbered <= places && restBytes > 0 : this + " has no rest of piece " + numbered;
        return (numbered - 1) * restBytes;
    }

    /** Returns whether a place and the place for its rest have room for a piece, for assertions. */
    final boolean holds(long bytes) {
        return bytes <= pieceBytes + restBytes;
    }

    /** Returns the number of the piece to which the part belongs that was sent or awaited last, from 1 on. */
    final long piece() {
        return parts == 1 ? number : (number - 1) / parts + 1;
    }

    /** Returns the offset of the current piece's place from the flow's first place, in bytes. */
    final long place() {
        return (piece() - 1) % places * pieceBytes;
    }

    /** Returns the step of the ARRIVED word that counts the current piece, or the current part. */
    final long arrival() {
        return before + number;
    }

    /**
     * Returns the step to which the credit of a piece raises the CREDIT word; for piece 0, the step of the invitation.
     */
    final long credit(long piece) {
        return before + (invites ? piece + 1 : piece);
    }

    /** Returns the number of pieces that one credit covers: half of the places, 1 at least. */
    final long together() {
        return Math.max(1, places / 2);
    }

    /**
     * Returns whether the sender of a flow awaits the credit that covers a piece. One credit may cover several pieces.
     *
     * @param piece the number of the piece, from 1 on
     * @param places the number of places, the buffers at the receiver
     * @param pieces the number of pieces that the flow will have
     * @return whether a later piece awaits the credit
     */
    public static boolean isAwaited(long piece, long places, long pieces) {
        return piece - Math.max(1, places / 2) + places < pieces;
    }
}
