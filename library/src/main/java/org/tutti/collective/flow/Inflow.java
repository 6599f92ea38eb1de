/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.flow;

import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.machine.Area;
import org.tutti.collective.operation.StepWords;
import org.tutti.collective.window.OperationWindows;

/**
 * The receiving end of a {@link Flow}: an algorithm opens it, awaits one piece after the other, and releases each piece
 * when it has taken it. An algorithm that combines takes a whole transfer at a time ({@link #receiveAll}), or exchanges
 * one with the other node ({@link #exchange}).
 *
 * <p>The node's master receives, and gives the credits. If other ranks of the node read the pieces too, each of them
 * opens its own end of the same flow. Such a rank awaits the pieces in the node's memory, and posts DONE when it has
 * read a piece for which the sender awaits the credit. The master credits the pieces that all readers have read.
 *
 * <p><b>Why an exchange ends.</b> A node sends up to {@value #AHEAD} pieces more than it has taken before it waits for
 * the next one, and a flow has {@value Flow#PLACES} places or more. If both nodes waited for credits, each would have
 * sent fewer pieces than the other, which cannot be.
 *
 * <p><b>Why nothing is overwritten.</b> The inbox, and the caller's memory, is free at the end of an operation, because
 * the algorithm takes all pieces that are sent to it. If the operation fails, the right of other nodes to put there is
 * revoked before the memory is used again.
 */
public final class Inflow extends Flow {
    private static final int NOBODY = -1;
    private static final int ALL = -2;

    /** The pieces that an exchange sends beyond those that it has taken: one is under way while one is combined. */
    private static final int AHEAD = 2;

    private final Area memory = new Area();
    private final Area arrived = new Area();
    private long pieces;
    private int reader;
    private boolean isMastersInbox;
    private long inboxAt;
    private Inflow afterThoseBefore; // invited when this one is first awaited
    private Inflow afterFirst; // invited when the first piece of this one has come

    private Area own;
    private long ownFrom;
    private Area target;
    private long to;
    private long left;
    private long creditedLast; // the last step that was credited; only assertions look

    Inflow(Flows flows, int edge) {
        super(flows, edge);
    }

    /**
     * Returns a bound on the memory into which a node receives data that it combines.
     *
     * @param nodes the number of nodes; one node has no edges
     * @param edges the number of edges of the node over which data come
     * @param bytes the length of the message
     * @return the bytes
     */
    public static long memoryBytes(int nodes, int edges, long bytes) {
        if (nodes == 1) {
            return 0;
        }
        long eagerBuffers = edges * Math.min(PLACES * bytes, RingLayout.EAGER_BUFFER_BYTES);
        return shares(bytes, 1) > 0 ? Math.max(INBOX_BYTES, eagerBuffers) : eagerBuffers;
    }

    /**
     * Opens a flow of the current operation to the cell of the edge or its eager buffer.
     *
     * @param fromNode the other node
     * @param edgeAtSender the edge there that awaits credits
     * @param longestPiece the length of the places
     * @param count the number of places
     * @param most the greatest number of pieces that there will be
     */
    public void open(int fromNode, int edgeAtSender, long longestPiece, long count, long most) {
        expect(fromNode, edgeAtSender, longestPiece, count, false, 0, most);
        edges.findPlaces(this, memory);
    }

    /**
     * Opens a flow of the current operation to memory of this rank, and invites the other node there. The memory is a
     * window that this rank shows, or the caller's memory if it {@linkplain Area#isAddressable can be addressed}. The
     * invitation ends when this rank leaves the operation, so the algorithm must take everything that the other node
     * sends.
     *
     * @param fromNode the other node
     * @param edgeAtSender the edge there that awaits credits
     * @param longestPiece the length of the places, except the last one, which may be shorter
     * @param most the greatest number of pieces that there will be
     * @param area the memory
     * @param at the offset of the first place in it
     * @param bytes the length of all places, 1 or more
     */
    public void invite(int fromNode, int edgeAtSender, long longestPiece, long most, Area area, long at, long bytes) {
        expect(fromNode, edgeAtSender, longestPiece, (bytes + longestPiece - 1) / longestPiece, true, 0, most);
        memory.set(area.segment(), area.start() + at);
        edges.invite(this, memory, bytes);
    }

    private void expect(int fromNode, int edgeAtSender, long longestPiece, long count, boolean invitation,
            long piecesBefore, long most) {
        begin(fromNode, edgeAtSender, longestPiece, count, invitation, piecesBefore);
        assert credits(0) : this;
        pieces = most;
        reader = NOBODY;
        isMastersInbox = false;
        afterThoseBefore = null;
        afterFirst = null;
    }

    /**
     * Opens a flow of the current operation over a {@linkplain Flows#pair pair}: to the pair's eager buffer if all
     * pieces have room there, else to a window, to which this node's master invites the other node. Other ranks of the
     * node may read the pieces too, each by its own end.
     *
     * @param fromNode the other node
     * @param longestPiece the length of the pieces; it may be 0
     * @param count the number of pieces that there will be, 1 or more
     * @param window the master's window; ignored if the pieces have room in the eager buffer
     * @param at the offset of the first place in it
     * @param room the number of places
     * @see Outflow#openPair
     */
    public void openPair(int fromNode, long longestPiece, int count, Area window, long at, int room) {
        expectPair(fromNode, longestPiece, count, window, at, room);
        if (invites && flows.context.isMaster()) {
            invite();
        }
    }

    /** Opens a flow as {@link #openPair} does, without inviting the other node: {@link #invite()} does that later. */
    void expectPair(int fromNode, long longestPiece, int count, Area window, long at, int room) {
        int edgeThere = flows.pairThere();
        if (!flows.exceedsPair(count * longestPiece)) {
            open(fromNode, edgeThere, Math.max(1, longestPiece), count, count);
        } else {
            expect(fromNode, edgeThere, longestPiece, room, true, 0, count);
            memory.set(window.segment(), window.start() + at);
        }
    }

    /** Invites the other node, at the master, to the memory that {@link #expectPair} was given. */
    void invite() {
        assert isOpen() && invites && number == 0 : this + " invites when it has begun";
        edges.invite(this, memory, places * pieceBytes);
    }

    /**
     * Has this flow invite another one when it is first awaited: all flows opened before this one have been taken then.
     */
    void inviteWhenAwaited(Inflow other) {
        assert isOpen() && other.isOpen() && afterThoseBefore == null : this + " invites " + other;
        afterThoseBefore = other;
    }

    /** Has this flow invite another one when its first piece has come. */
    void inviteWhenItComes(Inflow other) {
        assert isOpen() && other.isOpen() && afterFirst == null : this + " invites " + other;
        afterFirst = other;
    }

    boolean isAsLongAs(Inflow other) {
        return places * pieceBytes == other.places * other.pieceBytes;
    }

    /**
     * Opens a flow as {@link #openPair(int, long, int, Area, long, int)} does, with a place for each piece.
     *
     * @param fromNode the other node
     * @param longestPiece the length of the pieces; it may be 0
     * @param count the number of pieces that there will be, 1 or more
     * @param window the master's window; ignored if the pieces have room in the eager buffer
     * @param at the offset of the first place in it
     */
    public void openPair(int fromNode, long longestPiece, int count, Area window, long at) {
        openPair(fromNode, longestPiece, count, window, at, count);
    }

    /**
     * Opens another flow of the current operation over a pair: to a share of the inbox of this node's master. All ranks
     * of the node find the pieces there, once the master has {@linkplain OperationWindows#tellInbox told} them where
     * the inbox is.
     *
     * @param fromNode the other node
     * @param longestPiece the length of the places
     * @param count the number of pieces that there will be
     * @param piecesBefore the number of pieces that have come over the pair before
     * @param share the index of the share
     * @param room the length of a share
     */
    public void openInbox(int fromNode, long longestPiece, long count, long piecesBefore, int share, long room) {
        expect(fromNode, flows.pairThere(), longestPiece, room / longestPiece, true, piecesBefore, count);
        inboxAt = share * room;
        isMastersInbox = !flows.context.isMaster();
        if (flows.context.isMaster()) {
            memory.set(flows.windows.inbox(), inboxAt);
            invite();
        }
    }

    /**
     * Opens a flow of transfers that are combined: through the eager buffer of the edge, or a share of this rank's
     * inbox.
     *
     * @param kernel the operator; its units are not cut
     * @param fromNode the other node
     * @param edgeAtSender the edge there that awaits credits
     * @param share the index of the share of the inbox, 0 to shares − 1
     * @param shares the number that {@link Flow#shares} has returned
     * @param transfers the greatest number of transfers that there will be
     * @param bytesMax the length of the longest transfer
     */
    public void openTransfers(Kernel kernel, int fromNode, int edgeAtSender, int share, int shares, long transfers,
            long bytesMax) {
        long longest = pieceBytes(kernel, shares);
        if (shares == 0) {
            open(fromNode, edgeAtSender, longest, PLACES, 0);
        } else {
            memory.set(flows.windows.inbox(), 0);
            invite(fromNode, edgeAtSender, longest, 0, memory, share * shareBytes(shares),
                    shareBytes(shares) / longest * longest);
        }
        pieces = transfers * piecesOf(bytesMax); // only here, because the length of a piece is known only now
    }

    /**
     * Opens a flow of a single piece, which comes after other pieces over the same edge, perhaps of other nodes. The
     * piece is not credited.
     *
     * @param fromNode the other node
     * @param before the number of pieces that have come over the edge
     */
    public void openNext(int fromNode, long before) {
        expect(fromNode, edge, PIECE_BYTES, 1, false, before, 0);
        edges.findPlaces(this, memory);
    }

    /**
     * Says that all ranks of the node read the pieces, each by its own end of the flow or in the master's window.
     */
    public void readByAll() {
        reader = ALL;
    }

    /**
     * Says that one rank of the node reads the pieces.
     *
     * @param localRank its local rank
     */
    public void readBy(int localRank) {
        reader = localRank;
    }

    /**
     * Waits for the next piece, or the next part of one.
     *
     * @return the memory in which the piece begins, valid until the next one is awaited
     */
    public Area await() {
        number++;
        assert isOpen() && (pieces == 0 || piece() <= pieces) : this + " awaits a piece of " + pieces;
        if (afterThoseBefore != null) {
            afterThoseBefore.invite();
            afterThoseBefore = null;
        }
        edges.awaitArrival(this);
        if (isMastersInbox) { // the master has told where before it invited the sender
            flows.windows.findInbox(memory, inboxAt);
        }
        if (afterFirst != null) {
            afterFirst.invite();
            afterFirst = null;
        }
        assert places > 0 && memory.holds(place(), 1) : this + " looks at " + place() + " of " + memory;
        arrived.set(memory.segment(), memory.start() + place());
        return arrived;
    }

    /** Tells whether all pieces have come, where each piece has a place of its own. */
    public boolean hasAll() {
        return edges.hasArrived(this, before + pieces);
    }

    /**
     * Waits for a given piece and all before it, where each piece has a place of its own.
     *
     * @param piece the piece, from 1 on
     * @return the memory in which it begins, valid until another one is awaited
     */
    public Area await(long piece) {
        number = piece - 1;
        return await();
    }

    /**
     * Waits for all pieces, where each piece has a place of its own. If other ranks of the node read the pieces, the
     * master calls this before it leaves the operation, because the pieces come to the master's process.
     */
    public void awaitAll() {
        if (afterFirst != null) { // another node has to be invited before the last piece comes
            await(1);
        }
        await(pieces);
    }

    /**
     * Releases the last piece that this rank has awaited, because the rank has taken it. If the sender awaits the
     * credit, the master waits until all readers have taken the piece, and credits it.
     */
    public void release() {
        if (isAwaited(piece(), places, pieces)) {
            release(0);
        }
    }

    /**
     * Releases the last piece, where flows follow each other in one operation and ranks post DONE for each piece.
     *
     * @param before the number of pieces of other flows that this rank has taken in the operation
     */
    public void release(long before) {
        long piece = piece();
        assert piece > 0 && isOpen() : this + " gives back a piece that it has not awaited";
        if (!flows.context.isMaster()) {
            flows.words.post(StepWords.DONE, before + piece);
        } else if (isAwaited(piece, places, pieces) && piece % together() == 0) {
            if (reader == ALL) {
                flows.words.awaitOthers(StepWords.DONE, before + piece);
            } else if (reader != NOBODY && reader != flows.context.localRank) {
                flows.words.await(reader, StepWords.DONE, before + piece);
            }
            assert credits(credit(piece)) : this + " credits piece " + piece + " after step " + creditedLast;
            edges.credit(node, edgeThere, credit(piece));
        }
    }

    /**
     * Begins a transfer: nothing of it has been taken.
     *
     * @param with the elements with which the incoming ones are combined, or null to copy the incoming ones
     * @param start their offset in the area
     * @param area the area for the result; it may be the same
     * @param at the offset of the result in it
     * @param bytes how many, 0 or more
     */
    public void begin(Area with, long start, Area area, long at, long bytes) {
        assert !isOpen() || left <= 0 : this + " begins a transfer with " + left + " bytes left of the one before";
        own = with;
        ownFrom = start;
        target = area;
        to = at;
        left = bytes;
    }

    /** Returns whether a credit is greater than the last one, and remembers it; 0 starts anew. For assertions. */
    private boolean credits(long step) {
        boolean follows = step == 0 || step > creditedLast;
        creditedLast = step;
        return follows;
    }

    @Override
    boolean isDone() {
        return !isOpen() || left == 0 && afterFirst == null && afterThoseBefore == null;
    }

    /** Waits for the next piece of the transfer, and takes it. Elements of lower nodes are the left operands. */
    private void receive(Kernel kernel) {
        long bytes = Math.min(left, pieceBytes);
        Area piece = await();
        if (own == null) {
            flows.mover.copy(piece, 0, target, to, bytes);
        } else if (node < flows.context.node) {
            flows.mover.combine(kernel, piece, 0, own, ownFrom, target, to, bytes);
        } else {
            flows.mover.combine(kernel, own, ownFrom, piece, 0, target, to, bytes);
        }
        release();
        ownFrom += bytes;
        to += bytes;
        left -= bytes;
    }

    /**
     * Takes a whole transfer; the parameters are those of {@link #begin}.
     *
     * @param kernel the operator
     * @param with the elements with which the incoming ones are combined, or null to copy the incoming ones
     * @param start their offset in the area
     * @param area the area for the result; it may be the same
     * @param at the offset of the result in it
     * @param bytes how many, 0 or more
     */
    public void receiveAll(Kernel kernel, Area with, long start, Area area, long at, long bytes) {
        begin(with, start, area, at, bytes);
        do {
            receive(kernel);
        } while (left > 0);
    }

    /**
     * Takes the transfer that has begun at this end, and meanwhile sends the transfer that has begun at an outflow to
     * the same node. The pieces of both are combined with the elements in the same areas at the same offsets.
     *
     * @param kernel the operator
     * @param out the outflow
     * @param back whether each piece is sent back as soon as it has been combined, and the other node does the same, so
     *            that both nodes get the result of both transfers
     */
    public void exchange(Kernel kernel, Outflow out, boolean back) {
        Area result = target;
        long givenAt = out.position();
        long givenBytes = out.left();
        long keptAt = to;
        long keptBytes = left;
        long given = piecesOf(givenBytes);
        long kept = piecesOf(keptBytes);
        long sends = back ? given + kept : given;
        long takes = back ? kept + given : kept;
        assert isOpen() && out.isOpen() : this + " is exchanged with " + out;
        long sent = 0;
        for (long taken = 0; taken <= takes; taken++) {
            // no farther ahead, except when all is taken; and a piece goes back only after it is combined
            while (sent < sends && (sent < taken + AHEAD || taken == takes) && sent - given < taken) {
                if (sent == given) {
                    out.begin(result, keptAt, keptBytes);
                }
                out.sendNext();
                sent++;
            }
            if (taken < takes) {
                if (taken == kept) {
                    begin(null, 0, result, givenAt, givenBytes);
                }
                receive(kernel);
            }
        }
    }

    /** Returns the number of pieces of a transfer; an empty transfer has one empty piece. */
    private long piecesOf(long bytes) {
        return Math.max(1, (bytes + pieceBytes - 1) / pieceBytes);
    }
}
