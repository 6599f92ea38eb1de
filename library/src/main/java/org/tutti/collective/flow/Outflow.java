/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.flow;

import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.machine.Area;

/**
 * The sending end of a {@link Flow}: the master of a node opens it, and sends single pieces ({@link #send}) or a whole
 * transfer ({@link #sendAll}). Both ends cut a transfer of the same length into the same pieces: all have the length of
 * a place, except the last, and an empty transfer has one empty piece.
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
     * @param toNode the other node
     * @param edgeAtReceiver the edge there, over which its {@link Inflow} receives
     * @param longestPiece the length of the places
     * @param count the number of places, or {@link #INVITED}
     */
    public void open(int toNode, int edgeAtReceiver, long longestPiece, long count) {
        assert !isOpen() : this + " is opened for credits of two nodes, or twice";
        begin(toNode, edgeAtReceiver, longestPiece, count, count == INVITED, 0);
        credited = true;
    }

    /**
     * Opens another flow of the current operation over a pair, to the {@linkplain Inflow#openInbox inbox} there.
     *
     * @param toNode the other node
     * @param longestPiece the length of the places
     * @param piecesBefore the number of pieces that went over the pair before
     */
    public void openInvited(int toNode, long longestPiece, long piecesBefore) {
        begin(toNode, flows.pairThere(), longestPiece, INVITED, true, piecesBefore);
        credited = true;
    }

    /**
     * Opens a flow of the current operation over a {@linkplain Flows#pair pair}.
     *
     * @param toNode the other node
     * @param longestPiece the length of the pieces; it may be 0
     * @param count the number of pieces that there will be, 1 or more
     * @see Inflow#openPair
     */
    public void openPair(int toNode, long longestPiece, int count) {
        open(toNode, flows.pairThere(), Math.max(1, longestPiece),
                flows.exceedsPair(count * longestPiece) ? INVITED : count);
    }

    /**
     * Opens a flow of transfers that are combined.
     *
     * @param kernel the operator; its units are not cut
     * @param toNode the other node
     * @param edgeAtReceiver the edge there, over which its {@link Inflow} receives
     * @param shares the number that {@link Flow#shares} has returned
     */
    public void openTransfers(Kernel kernel, int toNode, int edgeAtReceiver, int shares) {
        open(toNode, edgeAtReceiver, pieceBytes(kernel, shares), shares == 0 ? PLACES : INVITED);
    }

    /**
     * Opens a flow of a single piece, which goes after other pieces over the receiver's edge, perhaps of other nodes.
     * No credit is awaited: the algorithm must know that the place is free.
     *
     * @param toNode the other node
     * @param edgeAtReceiver the edge there
     * @param before the number of pieces that have come over it
     */
    public void openNext(int toNode, int edgeAtReceiver, long before) {
        begin(toNode, edgeAtReceiver, PIECE_BYTES, 1, false, before);
        credited = false;
    }

    /**
     * Sends a piece, after it has waited for a free place.
     *
     * @param area the memory of the piece
     * @param at its offset in the area
     * @param bytes how many, 0 or more
     */
    public void send(Area area, long at, long bytes) {
        send(area, at, 0, bytes);
    }

    /**
     * Sends the next part of a piece, after it has waited for a free place.
     *
     * @param area the memory of the part
     * @param at its offset in the area
     * @param offset its offset in the place
     * @param bytes how many, 0 or more
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
     * {@return how many pieces this end can always send more than the other end has taken: fewer than there are places
     * if several are credited together; of a flow with invitation, known once a piece was sent}
     */
    public long ahead() {
        return places - together() + 1;
    }

    /** Sends the next piece, which has no bytes. */
    public void signal() {
        number++;
        assert isOpen() : this + " signals what operation " + flows.operation.sequence + " has not opened";
        edges.signal(this);
    }

    /**
     * Begins a transfer: nothing of it has been sent.
     *
     * @param area the memory of the bytes
     * @param at their offset in the area
     * @param bytes how many, 0 or more
     */
    public void begin(Area area, long at, long bytes) {
        assert !isOpen() || left <= 0 : this + " begins a transfer with " + left + " bytes left of the one before";
        source = area;
        from = at;
        left = bytes;
    }

    /** Returns the offset of the rest of the transfer in its area. */
    long position() {
        return from;
    }

    /** Returns the number of bytes left of the transfer. */
    long left() {
        return left;
    }

    @Override
    boolean isDone() {
        return !isOpen() || left == 0;
    }

    /** Sends the next piece of the transfer, after it has waited for a free place. */
    void sendNext() {
        long bytes = Math.min(left, pieceBytes);
        send(source, from, bytes);
        from += bytes;
        left -= bytes;
    }

    /**
     * Sends a whole transfer.
     *
     * @param area the memory of the bytes
     * @param at their offset in the area
     * @param bytes how many, 0 or more
     */
    public void sendAll(Area area, long at, long bytes) {
        begin(area, at, bytes);
        do {
            sendNext();
        } while (left > 0);
    }
}
