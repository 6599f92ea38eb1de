/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.flow;

import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.machine.Area;
import org.tutti.fabric.PutSource;

/**
 * The sending end of a {@link Flow}, a stream of pieces of messages to another node. The master of a node opens it, and
 * sends single pieces ({@link #send}) or a whole transfer ({@link #sendAll}). Both ends cut a transfer into the same
 * pieces. Each piece has the length of a place, the receiver's buffer for it, except the last, which may be shorter. An
 * empty transfer has one empty piece.
 */
public final class Outflow extends Flow {
    final RendezvousTarget target = new RendezvousTarget();
    private final PutSource piece = new PutSource();
    private boolean credited;
    private long message; // the length of the message
    private long position; // in the message, of the next byte
    private Area source;
    private long from;
    private long left;

    Outflow(Flows flows, int creditEdge) {
        super(flows, creditEdge);
    }

    /**
     * Opens a flow of the current operation to another node.
     *
     * @param toNode the receiving node
     * @param edgeAtReceiver the edge of the receiving node over which its {@link Inflow} receives
     * @param longestPiece the length of a place, the receiver's buffer for one piece, in bytes
     * @param count the number of places, or {@link #INVITED} if the receiver invites this node to its memory
     */
    public void open(int toNode, int edgeAtReceiver, long longestPiece, long count) {
        assert !isOpen() : this + " is opened for credits of two nodes, or twice";
        begin(toNode, edgeAtReceiver, longestPiece, count, count == INVITED, 0);
        credited = true;
    }

    /**
     * Opens a further flow of the current operation over a pair, the edge that two nodes have for each other alone. The
     * flow's places, its buffers for pieces, are in the {@linkplain Inflow#openInbox inbox} of the receiving node.
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
     * Opens a flow of the current operation over a {@linkplain Flows#pair pair}, the edge that two nodes have for each
     * other alone.
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
     * Opens a flow of transfers that the receiving node combines with its own elements.
     *
     * @param kernel the operator; a piece holds whole units of it
     * @param toNode the receiving node
     * @param edgeAtReceiver the edge of the receiving node over which its {@link Inflow} receives
     * @param shares the number of shares of the receiver's inbox, from {@link Flow#shares}
     */
    public void openTransfers(Kernel kernel, int toNode, int edgeAtReceiver, int shares) {
        open(toNode, edgeAtReceiver, pieceBytes(kernel, shares), shares == 0 ? PLACES : INVITED);
    }

    /**
     * Opens a flow of a single piece that goes after other pieces over the receiver's edge. The earlier pieces may be
     * from other nodes. This node awaits no credit, so the algorithm must know that the receiver's buffer is free.
     *
     * @param toNode the receiving node
     * @param edgeAtReceiver the edge of the receiving node over which the piece arrives
     * @param before the number of pieces that have come over that edge in the operation
     */
    public void openNext(int toNode, int edgeAtReceiver, long before) {
        begin(toNode, edgeAtReceiver, PIECE_BYTES, 1, false, before);
        credited = false;
    }

    /**
     * Waits until the receiver has a free place, a buffer, for the next piece, and sends the piece. If the piece is
     * longer than its place, its {@linkplain #withRests rest} is sent before the bytes whose arrival is counted.
     *
     * @param area the area that holds the piece
     * @param at the offset of the piece in the area
     * @param bytes the length of the piece, 0 or more
     */
    public void send(Area area, long at, long bytes) {
        if (bytes > pieceBytes) {
            sendRest(area, at + pieceBytes, bytes - pieceBytes);
        }
        send(area, at, 0, Math.min(bytes, pieceBytes));
    }

    private void sendRest(Area area, long at, long bytes) {
        assert isOpen() && holds(pieceBytes + bytes) && area.holds(at, bytes) : this + " sends a rest of " + bytes;
        piece.add(area.segment(), area.start() + at, bytes);
        try {
            edges.putRest(this, piece, number + 1);
        } finally {
            piece.clear();
        }
    }

    /**
     * Waits until the receiver has a free place, a buffer, for the current piece, and sends the next part of the piece.
     *
     * @param area the area that holds the part
     * @param at the offset of the part in the area
     * @param offset the offset of the part in the place
     * @param bytes the length of the part, 0 or more
     */
    public void send(Area area, long at, long offset, long bytes) {
        assert area.holds(at, bytes) : this + " sends " + bytes + " bytes at " + at + " of " + area;
        piece.add(area.segment(), area.start() + at, bytes);
        sendPiece(offset);
    }

    private void sendPiece(long offset) {
        long bytes = piece.bytes();
        if (places == INVITED) {
            edges.awaitInvitation(this);
            places = (target.bytes + pieceBytes - 1) / pieceBytes;
        }
        number++;
        assert isOpen() && offset + bytes <= pieceBytes : this + " sends " + bytes + " bytes at " + offset;
        assert place() + offset + bytes <= (invites ? target.bytes : placesBytes()) : this + " sends " + bytes
                + " bytes at " + offset;
        if (credited) {
            edges.awaitCredit(edge, piece() <= places ? 0 : credit(piece() - places), node);
        }
        try {
            edges.put(this, piece, offset);
        } finally {
            piece.clear();
        }
    }

    /**
     * {@return the number of pieces that this end can always send beyond those that the other end has taken} It is less
     * than the number of places if one credit covers several pieces. If the receiver invites this node, the number is
     * known only after a piece was sent.
     */
    public long ahead() {
        return places - together() + 1;
    }

    /**
     * Sends the next piece without bytes, so that only its arrival is counted. This method awaits no credit, because
     * the piece needs no free place.
     */
    public void signal() {
        number++;
        assert isOpen() : this + " signals what operation " + flows.operation.sequence + " has not opened";
        edges.signal(this);
    }

    // ---- messages of blocks

    /**
     * Opens a flow of the current operation over a {@linkplain Flows#pair pair}, for one message. A message is a
     * sequence of blocks, which the sender {@linkplain #add adds} from where they lie. Blocks that lie in several runs
     * of memory leave with one put. At the receiver the bytes of the message are adjacent. A message of 0 bytes is sent
     * as one empty piece, by this method.
     *
     * @param toNode the receiving node
     * @param block the length of each block, in bytes, 0 or more. It determines the {@linkplain Flows#messagePieceBytes
     *            length of the pieces}
     * @param bytes the length of the message, in bytes, 0 or more
     * @see Inflow#openMessage
     */
    public void openMessage(int toNode, long block, long bytes) {
        openPieces(toNode, flows.messagePieceBytes(block, bytes), bytes);
    }

    /**
     * Opens a flow for one message as {@link #openMessage} does, with pieces of a length that the algorithm chooses.
     *
     * @param toNode the receiving node
     * @param longestPiece the length of each piece except the last, in bytes, 1 or more
     * @param bytes the length of the message, in bytes, 0 or more
     * @see Inflow#openPieces
     */
    public void openPieces(int toNode, long longestPiece, long bytes) {
        open(toNode, flows.pairThere(), longestPiece,
                flows.exceedsPair(bytes) ? INVITED : piecesOf(longestPiece, bytes));
        message = bytes;
        position = 0;
        if (bytes == 0) {
            sendPiece(0);
        }
    }

    /**
     * Adds bytes to the message. When they fill a piece or end the message, this method waits until the piece has a
     * free place, and sends it. The bytes must not change before then.
     *
     * @param area the area that holds the bytes
     * @param at the offset of the bytes in the area
     * @param bytes the number of bytes, 0 or more
     */
    public void add(Area area, long at, long bytes) {
        assert isOpen() && position + bytes <= message && area.holds(at, bytes)
                : this + " adds " + bytes + " bytes at " + at + " of " + area + " at byte " + position + " of "
                        + message;
        long added = 0;
        while (added < bytes) {
            long part = Math.min(bytes - added, pieceBytes - piece.bytes());
            piece.add(area.segment(), area.start() + at + added, part);
            added += part;
            position += part;
            if (piece.bytes() == pieceBytes || position == message) {
                sendPiece(0);
            }
        }
    }

    /**
     * Continues the message at an offset, at which a piece begins unless the offset is that of the next byte. The
     * receiver does not read the bytes in between. Bytes that have been added before are sent.
     *
     * @param offset the offset in the message of the next byte that is sent
     */
    public void skipTo(long offset) {
        assert offset >= position && offset <= message : this + " skips from " + position + " to " + offset;
        while (position < offset && number * pieceBytes < offset) {
            sendPiece(0);
        }
        position = offset;
    }

    // ---- transfers

    /**
     * Begins to send a transfer to the other node. This method only sets the memory that holds it; later calls send the
     * pieces.
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
        return !isOpen() || left == 0 && position == message;
    }

    /** Waits until the receiver has a free place for the next piece of the transfer, and sends the piece. */
    void sendNext() {
        long bytes = Math.min(left, pieceBytes);
        send(source, from, bytes);
        from += bytes;
        left -= bytes;
    }

    /**
     * Sends a whole transfer, piece by piece. Waits before each piece until the receiver has a free place for it.
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
