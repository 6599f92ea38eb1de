/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.flow;

import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.machine.Area;

/**
 * The sending end of a {@link Flow}. The master of a node opens it, and sends single pieces ({@link #send}) or a whole
 * transfer ({@link #sendAll}). Both ends cut a transfer into the same pieces. Each piece has the length of a place,
 * except the last, which may be shorter. An empty transfer has one empty piece.
 */
public final class Outflow extends Flow {
    final RendezvousTarget target = new RendezvousTarget();
    private boolean credited;
    private Area source;
    private long from;
    private long left;

    Outflow(Flows flows, int creditEdge) {
        super(flows, creditEdge);
    }

    /**
     * Opens a flow of the current operation.
     *
     * @param toNode the receiving node
     * @param edgeAtReceiver the edge of the receiving node over which its {@link Inflow} receives
     * @param longestPiece the length of a place, in bytes
     * @param count the number of places, or {@link #INVITED}
     */
    public void open(int toNode, int edgeAtReceiver, long longestPiece, long count) {
        assert !isOpen() : this + " is opened for credits of two nodes, or twice";
        begin(toNode, edgeAtReceiver, longestPiece, count, count == INVITED, 0);
        credited = true;
    }

    /**
     * Opens a further flow of the current operation over a pair. Its places are in the {@linkplain Inflow#openInbox
     * inbox} of the receiving node.
     *
     * @param toNode the receiving node
     * @param longestPiece the length of a place, in bytes
     * @param piecesBefore the number of pieces that earlier flows of the operation have sent over the pair
     */
    public void openInvited(int toNode, long longestPiece, long piecesBefore) {
        begin(toNode, flows.pairThere(), longestPiece, INVITED, true, piecesBefore);
        credited = true;
    }

    /**
     * Opens a flow of the current operation over a {@linkplain Flows#pair pair}.
     *
     * @param toNode the receiving node
     * @param longestPiece the length of the longest piece, in bytes, 0 or more
     * @param count the number of pieces that the flow will have, 1 or more
     * @see Inflow#openPair
     */
    public void openPair(int toNode, long longestPiece, int count) {
        open(toNode, flows.pairThere(), Math.max(1, longestPiece),
                flows.exceedsPair(count * longestPiece) ? INVITED : count);
    }

    /**
     * Opens a flow of transfers that the receiving node combines.
     *
     * @param kernel the operator; a piece holds whole units of it
     * @param toNode the receiving node
     * @param edgeAtReceiver the edge of the receiving node over which its {@link Inflow} receives
     * @param shares the number of shares, from {@link Flow#shares}
     */
    public void openTransfers(Kernel kernel, int toNode, int edgeAtReceiver, int shares) {
        open(toNode, edgeAtReceiver, pieceBytes(kernel, shares), shares == 0 ? PLACES : INVITED);
    }

    /**
     * Opens a flow of a single piece that goes after other pieces over the receiver's edge. The pieces before may be
     * those of other nodes. No credit is awaited, so the algorithm must know that the place is free.
     *
     * @param toNode the receiving node
     * @param edgeAtReceiver the edge of the receiving node
     * @param before the number of pieces that have come over that edge in the operation
     */
    public void openNext(int toNode, int edgeAtReceiver, long before) {
        begin(toNode, edgeAtReceiver, PIECE_BYTES, 1, false, before);
        credited = false;
    }

    /**
     * Waits until the next piece has a free place, and sends the piece.
     *
     * @param area the area that holds the piece
     * @param at the offset of the piece in the area
     * @param bytes the length of the piece, 0 or more
     */
    public void send(Area area, long at, long bytes) {
        send(area, at, 0, bytes);
    }

    /**
     * Waits until the current piece has a free place, and sends the next part of the piece.
     *
     * @param area the area that holds the part
     * @param at the offset of the part in the area
     * @param offset the offset of the part in the place
     * @param bytes the length of the part, 0 or more
     */
    public void send(Area area, long at, long offset, long bytes) {
        if (places == INVITED) {
            edges.awaitInvitation(this);
            places = (target.bytes + pieceBytes - 1) / pieceBytes;
        }
        number++;
        assert isOpen() && offset + bytes <= pieceBytes : this + " sends " + bytes + " bytes at " + offset;
        assert !invites || place() + offset + bytes <= target.bytes : this + " has " + target.bytes + " bytes there";
        if (credited) {
            edges.awaitCredit(edge, piece() <= places ? 0 : credit(piece() - places), node);
        }
        edges.put(this, area, at, offset, bytes);
    }

    /**
     * {@return the number of pieces by which this end can always be ahead of the other end: fewer than there are places
     * if one credit covers several pieces} If the receiver invites, the number is known only after a piece was sent.
     */
    public long ahead() {
        return places - together() + 1;
    }

    /** Sends the next piece without bytes. It needs no free place, so no credit is awaited. */
    public void signal() {
        number++;
        assert isOpen() : this + " signals what operation " + flows.operation.sequence + " has not opened";
        edges.signal(this);
    }

    /**
     * Begins to send a transfer to the other node.
     *
     * @param area the area that holds the transfer
     * @param at the offset of the transfer in the area
     * @param bytes the length of the transfer, 0 or more
     */
    public void begin(Area area, long at, long bytes) {
        assert !isOpen() || left <= 0 : this + " begins a transfer with " + left + " bytes left of the one before";
        source = area;
        from = at;
        left = bytes;
    }

    /** Returns the offset, in its area, of the bytes that the transfer has not sent. */
    long position() {
        return from;
    }

    /** Returns the number of bytes that the transfer has not sent. */
    long left() {
        return left;
    }

    @Override
    boolean isDone() {
        return !isOpen() || left == 0;
    }

    /** Waits until the next piece of the transfer has a free place, and sends the piece. */
    void sendNext() {
        long bytes = Math.min(left, pieceBytes);
        send(source, from, bytes);
        from += bytes;
        left -= bytes;
    }

    /**
     * Sends a whole transfer, piece by piece, and waits for a free place before each piece.
     *
     * @param area the area that holds the transfer
     * @param at the offset of the transfer in the area
     * @param bytes the length of the transfer, 0 or more
     */
    public void sendAll(Area area, long at, long bytes) {
        begin(area, at, bytes);
        do {
            sendNext();
        } while (left > 0);
    }
}
