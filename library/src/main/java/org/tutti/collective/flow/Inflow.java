/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.flow;

import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.machine.Area;
import org.tutti.collective.operation.StepWords;
import org.tutti.collective.window.OperationWindows;

/**
 * The receiving end of a {@link Flow}: what comes to this node from another one in one operation, piece by piece. The
 * master awaits pieces and gives them back. Where other ranks of the node read them, too, each of these has the same
 * end: they are awaited in the node's memory, and a rank says DONE when it has read what somebody waits for; the master
 * gives back what all have read.
 *
 * <p>In an {@link #exchange} a node sends one piece more than it has taken before it waits for the next one: if all
 * waited for credits, each would have sent less than the one that it waits for.
 *
 * <p>The inbox, and memory of the caller, is free at the end of an operation: the algorithm takes all pieces that are
 * sent to it. If the operation fails, the others' right to put there is revoked before the memory is used again.
 */
public final class Inflow extends Flow {
    private static final int NOBODY = -1;
    private static final int ALL = -2;

    /** How many pieces an exchange has sent beyond those that it has taken: one is under way while one is combined. */
    private static final int AHEAD = 2;

    private final Area memory = new Area();
    private final Area arrived = new Area();
    private long pieces;
    private int reader;
    private boolean isMastersInbox;
    private long inboxAt;
    private Inflow afterThoseBefore; // to be invited when this one is awaited first
    private Inflow afterFirst; // to be invited when the first piece of this one has come

    private Area own;
    private long ownFrom;
    private Area target;
    private long to;
    private long left;
    private long creditedLast; // the step; only assertions look

    Inflow(Flows flows, int edge) {
        super(flows, edge);
    }

    /**
     * Bounds the memory of a node that data come to which are combined.
     *
     * @param nodes how many nodes there are; one has no edges
     * @param edges over how many edges of the node data come
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
     * @param count how many places there are
     * @param most how many pieces there will be at most
     */
    public void open(int fromNode, int edgeAtSender, long longestPiece, long count, long most) {
        expect(fromNode, edgeAtSender, longestPiece, count, false, 0, most);
        edges.findPlaces(this, memory);
    }

    /**
     * Opens a flow of the current operation to memory of this rank, and invites the other node there: until this rank
     * leaves the operation; the algorithm sees to it that nothing comes later. The memory is a window that this rank
     * shows, or the caller's if it {@linkplain Area#isAddressable can be addressed}.
     *
     * @param fromNode the other node
     * @param edgeAtSender the edge there that awaits credits
     * @param longestPiece the length of the places, but for the last one
     * @param most how many pieces there will be at most
     * @param area the memory
     * @param at at which byte it begins
     * @param bytes how many bytes of it, 1 or more
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
     * Opens a flow of the current operation over a {@linkplain Flows#pair pair}: to its eager buffer if all pieces
     * have room there, else to a window, to which this node's master invites the other node. Other ranks of the node
     * find what comes there, too, each by its own end.
     *
     * @param fromNode the other node
     * @param longestPiece the length of the pieces; it may be 0
     * @param count how many pieces there will be, 1 or more
     * @param window the master's window; not looked at if the pieces have room in the eager buffer
     * @param at at which byte the places begin there
     * @param room how many places there are
     * @see Outflow#openPair
     */
    public void openPair(int fromNode, long longestPiece, int count, Area window, long at, int room) {
        expectPair(fromNode, longestPiece, count, window, at, room);
        if (invites && flows.context.isMaster()) {
            invite();
        }
    }

    /** Opens a flow as {@link #openPair} does, but does not {@link #invite()} the other node yet. */
    void expectPair(int fromNode, long longestPiece, int count, Area window, long at, int room) {
        int edgeThere = flows.pairThere();
        if (!flows.exceedsPair(count * longestPiece)) {
            open(fromNode, edgeThere, Math.max(1, longestPiece), count, count);
        } else {
            expect(fromNode, edgeThere, longestPiece, room, true, 0, count);
            memory.set(window.segment(), window.start() + at);
        }
    }

    /** Invites the other node, at the master, to what it {@linkplain #expectPair expects} it to. */
    void invite() {
        assert isOpen() && invites && number == 0 : this + " invites when it has begun";
        edges.invite(this, memory, places * pieceBytes);
    }

    /** Has another flow invited when this one is awaited first: what was opened before it has been taken then. */
    void inviteWhenAwaited(Inflow other) {
        assert isOpen() && other.isOpen() && afterThoseBefore == null : this + " invites " + other;
        afterThoseBefore = other;
    }

    /** Has another flow invited when the first piece of this one has come. */
    void inviteWhenItComes(Inflow other) {
        assert isOpen() && other.isOpen() && afterFirst == null : this + " invites " + other;
        afterFirst = other;
    }

    boolean isAsLongAs(Inflow other) {
        return places * pieceBytes == other.places * other.pieceBytes;
    }

    /**
     * As {@link #openPair(int, long, int, Area, long, int)}, with a place for each piece.
     *
     * @param fromNode the other node
     * @param longestPiece the length of the pieces; it may be 0
     * @param count how many pieces there will be, 1 or more
     * @param window the master's window; not looked at if the pieces have room in the eager buffer
     * @param at at which byte the places begin there
     */
    public void openPair(int fromNode, long longestPiece, int count, Area window, long at) {
        openPair(fromNode, longestPiece, count, window, at, count);
    }

    /**
     * Opens another flow of the current operation over a pair: to a share of the inbox of this node's master, in which
     * all its ranks find what comes, once that has {@linkplain OperationWindows#tellInbox told} them where.
     *
     * @param fromNode the other node
     * @param longestPiece the length of the places
     * @param count how many pieces there will be
     * @param piecesBefore how many came before
     * @param share which share
     * @param room how many bytes a share has
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
     * Opens a flow of what is combined: through the eager buffer of the edge, or a share of this rank's inbox.
     *
     * @param kernel the operator, whose units are not cut
     * @param fromNode the other node
     * @param edgeAtSender the edge there that awaits credits
     * @param share which share of the inbox, 0 to shares − 1
     * @param shares what {@link Flow#shares} has said
     * @param transfers how many transfers there will be at most
     * @param bytesMax how many bytes one of them has at most
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
     * Opens a flow of a single piece, which follows others over the edge that may have come from other nodes. No place
     * is given back.
     *
     * @param fromNode the other node
     * @param before how many pieces have come over the edge
     */
    public void openNext(int fromNode, long before) {
        expect(fromNode, edge, PIECE_BYTES, 1, false, before, 0);
        edges.findPlaces(this, memory);
    }

    /**
     * Says that all ranks of the node read what comes, each by its own end of the flow or in the master's window.
     */
    public void readByAll() {
        reader = ALL;
    }

    /**
     * Says which rank of the node reads what comes.
     *
     * @param localRank the rank, by its place on the node
     */
    public void readBy(int localRank) {
        reader = localRank;
    }

    /**
     * Waits for the next piece, or the next part of one.
     *
     * @return where the piece begins, until the next one is awaited
     */
    public Area await() {
        number++;
        assert isOpen() && (pieces == 0 || piece() <= pieces) : this + " awaits a piece of " + pieces;
        if (afterThoseBefore != null) {
            afterThoseBefore.invite();
            afterThoseBefore = null;
        }
        edges.awaitArrival(this);
        if (isMastersInbox) { // which it has told of before it invited
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

    /** Tells whether all pieces have come that will, where each has a place of its own. */
    public boolean hasAll() {
        return edges.hasArrived(this, before + pieces);
    }

    /**
     * Waits for a certain piece, and all before it.
     *
     * @param piece the piece, from 1 on; there is a place for each
     * @return where it begins, until another one is awaited
     */
    public Area await(long piece) {
        number = piece - 1;
        return await();
    }

    /**
     * Waits for all pieces that will come, where each has a place of its own. A master does before it leaves, if other
     * ranks of its node read them: they come to its process.
     */
    public void awaitAll() {
        if (afterFirst != null) { // another node's turn comes before the last piece
            await(1);
        }
        await(pieces);
    }

    /**
     * Says that this rank has taken the last piece: the master, that all have who read it.
     */
    public void release() {
        if (isAwaited(piece(), places, pieces)) {
            release(0);
        }
    }

    /**
     * Says that this rank has taken the last piece, where flows follow each other in one operation and ranks say DONE
     * for each piece.
     *
     * @param before how many pieces of other flows this rank has taken
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
     * Begins a transfer, of which nothing is taken yet.
     *
     * @param with elements with which those that come are combined, or null when they are only copied
     * @param start at which byte these begin
     * @param area where the combination or the copy goes; it may be the same
     * @param at at which byte of it
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

    /** Whether a credit follows the last one, from which on none was sent for 0; for assertions. */
    private boolean credits(long step) {
        boolean follows = step == 0 || step > creditedLast;
        creditedLast = step;
        return follows;
    }

    @Override
    boolean isDone() {
        return !isOpen() || left == 0 && afterFirst == null && afterThoseBefore == null;
    }

    /** Waits for the next piece, and takes it. Elements of lower nodes are on the left. */
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
     * Takes a transfer as a whole; the parameters are those of {@link #begin}.
     *
     * @param kernel the operator
     * @param with elements with which those that come are combined, or null when they are only copied
     * @param start at which byte these begin
     * @param area where the combination or the copy goes; it may be the same
     * @param at at which byte of it
     * @param bytes how many, 0 or more
     */
    public void receiveAll(Kernel kernel, Area with, long start, Area area, long at, long bytes) {
        begin(with, start, area, at, bytes);
        do {
            receive(kernel);
        } while (left > 0);
    }

    /**
     * Takes the transfer that has begun, while another one to the same node, which has begun, is sent. The pieces of
     * both are combined with what lies in the same areas at the same bytes.
     *
     * @param kernel the operator
     * @param out what is sent
     * @param back whether each piece is sent back as soon as it has been combined, and the other node does the same:
     *             then both have the result of both transfers
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
            // no farther ahead, except for the rest when all is taken; a piece goes back only once it is combined
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

    /** A transfer has one piece at least, if an empty one. */
    private long piecesOf(long bytes) {
        return Math.max(1, (bytes + pieceBytes - 1) / pieceBytes);
    }
}
