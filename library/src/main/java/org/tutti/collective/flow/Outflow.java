/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.flow;

import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.machine.Area;

/**
 * The sending end of a {@link Flow}: what a node sends another one in one operation, piece by piece. Both ends cut a
 * transfer of so many bytes the same way: it has one piece at least, if an empty one.
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
     * @param count how many places there are, or {@link #INVITED}
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
     * @param piecesBefore how many pieces went there before
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
     * @param count how many pieces there will be, 1 or more
     * @see Inflow#openPair
     */
    public void openPair(int toNode, long longestPiece, int count) {
        open(toNode, flows.pairThere(), Math.max(1, longestPiece),
                flows.exceedsPair(count * longestPiece) ? INVITED : count);
    }

    /**
     * Opens a flow of what is combined.
     *
     * @param kernel the operator, whose units are not cut
     * @param toNode the other node
     * @param edgeAtReceiver the edge there, over which its {@link Inflow} receives
     * @param shares what {@link Flow#shares} has said
     */
    public void openTransfers(Kernel kernel, int toNode, int edgeAtReceiver, int shares) {
        open(toNode, edgeAtReceiver, pieceBytes(kernel, shares), shares == 0 ? PLACES : INVITED);
    }

    /**
     * Opens a flow of a single piece, which follows others over the edge that may have come from other nodes: this one
     * knows from elsewhere that the place is free.
     *
     * @param toNode the other node
     * @param edgeAtReceiver the edge there
     * @param before how many pieces have come over it
     */
    public void openNext(int toNode, int edgeAtReceiver, long before) {
        begin(toNode, edgeAtReceiver, PIECE_BYTES, 1, false, before);
        credited = false;
    }

    /**
     * Sends a piece, when there is a place for it.
     *
     * @param area where it is
     * @param at at which byte
     * @param bytes how many, 0 or more
     */
    public void send(Area area, long at, long bytes) {
        send(area, at, 0, bytes);
    }

    /**
     * Sends the next part of a piece.
     *
     * @param area where it is
     * @param at at which byte
     * @param offset at which byte of the place it belongs
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
     * {@return how many pieces more can be sent than the other end has taken, whatever else that waits for: fewer than
     * there are places, where several are credited together; of a flow whose sender is to be invited, once one was
     * sent}
     */
    public long ahead() {
        return places - together() + 1;
    }

    /** Says that the next piece, which has no bytes, has come. */
    public void signal() {
        number++;
        assert isOpen() : this + " signals what operation " + flows.operation.sequence + " has not opened";
        edges.signal(this);
    }

    /**
     * Begins a transfer, of which nothing is sent yet.
     *
     * @param area where the bytes are
     * @param at at which byte
     * @param bytes how many, 0 or more
     */
    public void begin(Area area, long at, long bytes) {
        assert !isOpen() || left <= 0 : this + " begins a transfer with " + left + " bytes left of the one before";
        source = area;
        from = at;
        left = bytes;
    }

    /** At which byte what is left of the transfer begins. */
    long position() {
        return from;
    }

    /** How many bytes are left of it. */
    long left() {
        return left;
    }

    @Override
    boolean isDone() {
        return !isOpen() || left == 0;
    }

    /** Sends the next piece of the transfer, when there is a place for it. */
    void sendNext() {
        long bytes = Math.min(left, pieceBytes);
        send(source, from, bytes);
        from += bytes;
        left -= bytes;
    }

    /**
     * Sends a transfer as a whole.
     *
     * @param area where the bytes are
     * @param at at which byte
     * @param bytes how many, 0 or more
     */
    public void sendAll(Area area, long at, long bytes) {
        begin(area, at, bytes);
        do {
            sendNext();
        } while (left > 0);
    }
}
