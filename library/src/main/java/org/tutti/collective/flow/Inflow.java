/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.flow;

import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.machine.Area;
import org.tutti.collective.operation.StepWords;
import org.tutti.collective.operation.TeamContext;
import org.tutti.collective.window.OperationWindows;
import org.tutti.pattern.RootedTree;

/**
 * The receiving end of a {@link Flow}, a stream of pieces of messages from another node. An algorithm opens it, awaits
 * one piece after the other, and releases each piece when it has taken it. An algorithm that combines elements takes a
 * whole transfer, which is several pieces, at a time ({@link #receiveAll}), or exchanges one with the other node
 * ({@link #exchange}).
 *
 * <p><b>Readers.</b> The node's master receives the pieces, and gives the credits. If other ranks of the node read the
 * pieces too, each of them opens its own end of the same flow. Such a rank awaits the pieces in the node's memory. If
 * the sender awaits the credit of a piece, the rank posts its DONE word when it has read the piece. The master gives
 * the credit after that. Therefore the algorithm must name the readers at the master ({@link #readBy}, {@link
 * #readByChildren}, {@link #readByAll}). The master must also await all pieces before it leaves the operation, even if
 * it reads none ({@link #awaitAll}).
 *
 * <p><b>Why an exchange ends.</b> In an exchange a node waits for a piece, or for the credit of a piece that it wants
 * to send. It waits for a piece only after it has sent all its pieces, or at least one more than it has taken. Before
 * it has taken all pieces, it sends only while it has sent fewer than {@value #AHEAD} pieces more than it has taken. A
 * flow has {@value Flow#PLACES} places or more, so a node waits for a credit only if two or more of its pieces are not
 * yet taken.
 * <ul>
 * <li>Suppose that both nodes A and B wait for credits. Let a be the number of pieces that A has sent. Then B has taken
 * at most a − 2, so B has not taken all pieces, and has sent fewer than a. In the same way A has sent fewer than B.
 * Both cannot be true.
 * <li>Suppose that both wait for pieces. Then each has taken all pieces that the other has sent. If one has sent all
 * its pieces, the other has taken all, and does not wait. Otherwise each has sent more than it has taken, hence more
 * than the other has sent. This cannot be true of both.
 * <li>Suppose that A waits for a piece and B for a credit. Then A has taken all pieces that B has sent. But B waits for
 * a credit only if A has not taken two of them.
 * </ul>
 *
 * <p><b>Why nothing is overwritten.</b> Within a flow, credits protect a place. Between operations, a payload or an
 * eager buffer is safe because a master puts into a slot only after all ranks of this node have left the slot's earlier
 * operation ({@link Edges}). Invited memory is safe because the algorithm takes all pieces that are sent there before
 * the master leaves the operation. The caller's memory, and an inbox that no other rank reads, are then free. A window,
 * and an inbox that all ranks of the node read ({@link #openInbox}), are free once they all have left the operation. If
 * the operation fails, the right of other nodes to put into the caller's memory or the inbox is revoked before the
 * memory is used again.
 */
public final class Inflow extends Flow {
    private static final int NOBODY = -1;
    private static final int ALL = -2;
    private static final int CHILDREN = -3;

    /**
     * The number of pieces that an exchange sends beyond those that it has taken. One piece is on its way while another
     * one is combined.
     */
    private static final int AHEAD = 2;

    private final Area memory = new Area();
    private final Area arrived = new Area();
    private final Area rest = new Area();
    private long pieces; // at most; 0 if the number is not checked and no piece is credited
    private long message; // the length of the message of blocks, or 0
    private int reader;
    private RootedTree readers; // if the readers are the master's children
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
     * Returns an upper bound on the memory into which other nodes put data that a node combines.
     *
     * @param nodes the number of nodes; a single node has no edges
     * @param edges the number of edges of the node over which data come
     * @param bytes the length of the message
     * @return the bound, in bytes
     */
    public static long memoryBytes(int nodes, int edges, long bytes) {
        if (nodes == 1) {
            return 0;
        }
        long eagerBuffers = edges * Math.min(PLACES * bytes, RingLayout.EAGER_BUFFER_BYTES);
        return shares(bytes, 1) > 0 ? Math.max(INBOX_BYTES, eagerBuffers) : eagerBuffers;
    }

    /**
     * Opens a flow of the current operation, without an invitation to the sender. The flow's places, its buffers for
     * pieces, are in the payload of the edge or in the edge's eager buffer.
     *
     * @param fromNode the sending node
     * @param edgeAtSender the edge of the sending node over which that node gets its credits
     * @param longestPiece the length of a place, in bytes
     * @param count the number of places
     * @param most the greatest number of pieces that the flow will have
     */
    public void open(int fromNode, int edgeAtSender, long longestPiece, long count, long most) {
        expect(fromNode, edgeAtSender, longestPiece, count, false, 0, most);
        edges.findPlaces(this, memory);
    }

    /**
     * Opens a flow of the current operation, and invites the other node to put its pieces into memory of this rank. The
     * memory is a window that this rank shows, or the caller's memory if it {@linkplain Area#isAddressable can be
     * addressed}. The algorithm must take every piece that the other node sends before this rank leaves the operation.
     * Leaving revokes the right to put into the caller's memory only.
     *
     * @param fromNode the sending node
     * @param edgeAtSender the edge of the sending node over which that node gets its credits
     * @param longestPiece the length of a place, the memory for one piece, in bytes; the last place may be shorter
     * @param most the greatest number of pieces that the flow will have
     * @param area the area that holds the places
     * @param at the offset of the first place in the area
     * @param bytes the length of all places together, in bytes, 1 or more
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
        message = 0;
        reader = NOBODY;
        isMastersInbox = false;
        afterThoseBefore = null;
        afterFirst = null;
    }

    /**
     * Opens a flow of the current operation over a {@linkplain Flows#pair pair}, the edge that this node has for one
     * other node alone. If all pieces fit into the pair's eager buffer, the flow's places are there. Otherwise they are
     * in a window, to which this node's master invites the other node. Other ranks of the node may read the pieces too,
     * each through its own end.
     *
     * @param fromNode the sending node
     * @param longestPiece the length of the longest piece, in bytes, 0 or more
     * @param count the number of pieces that the flow will have, 1 or more
     * @param window the master's window; ignored if the pieces fit into the eager buffer
     * @param at the offset of the first place in the window
     * @param room the number of places, one for a piece each, in the window
     * @see Outflow#openPair
     */
    public void openPair(int fromNode, long longestPiece, int count, Area window, long at, int room) {
        expectPair(fromNode, longestPiece, count, window, at, room);
        if (invites && flows.context.isMaster()) {
            invite();
        }
    }

    /**
     * Opens a flow of the current operation over a {@linkplain Flows#pair pair}, for one message of blocks. The bytes
     * of the message are adjacent, in the eager buffer of the pair if they fit. Otherwise they are in a window, to
     * which this node's master invites the other node. Other ranks of the node may read them too, each through its own
     * end.
     *
     * @param fromNode the sending node
     * @param block the length of each block, in bytes, 0 or more
     * @param bytes the length of the message, in bytes, 0 or more
     * @param window the master's window; ignored if the message fits into the eager buffer
     * @param at the offset of the message in the window
     * @see Outflow#openMessage
     */
    public void openMessage(int fromNode, long block, long bytes, Area window, long at) {
        openPieces(fromNode, flows.messagePieceBytes(block, bytes), bytes, window, at);
    }

    /**
     * Opens a flow for one message as {@link #openMessage} does, with pieces of a length that the algorithm chooses.
     *
     * @param fromNode the sending node
     * @param longestPiece the length of each piece except the last, in bytes, 1 or more
     * @param bytes the length of the message, in bytes, 0 or more
     * @param window the master's window; ignored if the message fits into the eager buffer
     * @param at the offset of the message in the window
     * @see Outflow#openPieces
     */
    public void openPieces(int fromNode, long longestPiece, long bytes, Area window, long at) {
        expectPieces(fromNode, longestPiece, bytes, window, at);
        if (invites && flows.context.isMaster()) {
            invite();
        }
    }

    /**
     * Opens a flow as {@link #openPieces} does, without inviting the other node. If the flow needs an invitation,
     * {@link #invite()} sends it later.
     */
    void expectPieces(int fromNode, long longestPiece, long bytes, Area window, long at) {
        int edgeThere = flows.pairThere();
        long count = piecesOf(longestPiece, bytes);
        if (!flows.exceedsPair(bytes)) {
            open(fromNode, edgeThere, longestPiece, count, count);
        } else {
            expect(fromNode, edgeThere, longestPiece, count, true, 0, count);
            memory.set(window.segment(), window.start() + at);
        }
        message = bytes;
    }

    /**
     * Waits for bytes of a message.
     *
     * @param at the offset of the bytes in the message
     * @param bytes the number of bytes, 0 or more
     * @return the memory that begins with these bytes, valid until bytes are awaited again
     */
    public Area awaitBytes(long at, long bytes) {
        assert at >= 0 && bytes >= 0 && at + bytes <= message
                : this + " awaits " + bytes + " bytes at " + at + " of a message of " + message;
        await(piecesOf(pieceBytes, at + bytes));
        arrived.set(memory.segment(), memory.start() + at);
        return arrived;
    }

    /**
     * Opens a flow over a pair, the edge that this node has for one other node alone, as {@link #openPair} does, but
     * does not invite the other node. If the flow needs an invitation, {@link #invite()} sends it later.
     */
    void expectPair(int fromNode, long longestPiece, int count, Area window, long at, int room) {
        int edgeThere = flows.pairThere();
        if (!flows.exceedsPair(count * longestPiece)) {
            open(fromNode, edgeThere, Math.max(1, longestPiece), count, count);
        } else {
            expect(fromNode, edgeThere, longestPiece, room, true, 0, count);
            memory.set(window.segment(), window.start() + at);
        }
    }

    /**
     * Invites the other node to put into the places that {@link #openPair}, {@link #expectPair} or {@link #openInbox}
     * has set. Only the master, the first rank of a node, invites.
     */
    void invite() {
        assert isOpen() && invites && number == 0 : this + " invites when it has begun";
        edges.invite(this, memory, message > 0 ? message : places * pieceBytes);
    }

    /**
     * Makes this flow send the invitation of another flow when an algorithm first awaits a piece of this flow. By then
     * the algorithm has taken all flows that were opened before this one.
     */
    void inviteWhenAwaited(Inflow other) {
        assert isOpen() && other.isOpen() && afterThoseBefore == null : this + " invites " + other;
        afterThoseBefore = other;
    }

    /** Makes this flow send the invitation of another flow when the first piece of this flow has come. */
    void inviteWhenItComes(Inflow other) {
        assert isOpen() && other.isOpen() && afterFirst == null : this + " invites " + other;
        afterFirst = other;
    }

    boolean isAsLongAs(Inflow other) {
        return places * pieceBytes == other.places * other.pieceBytes;
    }

    /**
     * Opens a flow over a pair as {@link #openPair(int, long, int, Area, long, int)} does, with one place for each
     * piece.
     *
     * @param fromNode the sending node
     * @param longestPiece the length of the longest piece, in bytes, 0 or more
     * @param count the number of pieces that the flow will have, 1 or more
     * @param window the master's window; ignored if the pieces fit into the eager buffer
     * @param at the offset of the first place in the window
     */
    public void openPair(int fromNode, long longestPiece, int count, Area window, long at) {
        openPair(fromNode, longestPiece, count, window, at, count);
    }

    /**
     * Opens a further flow of the current operation over a pair, the edge that this node has for one other node alone.
     * The flow's places are in a share of the inbox of this node's master. All ranks of the node find the pieces there,
     * once the master has {@linkplain OperationWindows#tellInbox announced} the inbox to them.
     *
     * @param fromNode the sending node
     * @param longestPiece the length of a place, the memory for one piece, in bytes
     * @param count the number of pieces that the flow will have
     * @param piecesBefore the number of pieces that earlier flows of the operation have brought over the pair
     * @param share the index of the share, from 0
     * @param room the length of each share, in bytes
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
     * Opens a flow of transfers that this rank combines with its own elements. The flow's places, its buffers for
     * pieces, are in a share of this rank's inbox, or in the eager buffer of the edge if there are no shares.
     *
     * @param kernel the operator; a piece holds whole units of it
     * @param fromNode the sending node
     * @param edgeAtSender the edge of the sending node over which that node gets its credits
     * @param share the index of the share of the inbox, 0 to {@code shares} − 1
     * @param shares the number of shares, from {@link Flow#shares}
     * @param transfers the greatest number of transfers that the flow will have
     * @param bytesMax the length of the longest transfer, in bytes
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
     * Opens a flow of a single piece that comes after other pieces over the same edge. The earlier pieces may be from
     * other nodes. This rank gives no credit for the piece.
     *
     * @param fromNode the sending node
     * @param before the number of pieces that have come over the edge in the operation
     */
    public void openNext(int fromNode, long before) {
        expect(fromNode, edge, PIECE_BYTES, 1, false, before, 0);
        edges.findPlaces(this, memory);
    }

    /**
     * Declares that all ranks of the node read the pieces of this flow, each through its own end of the flow or in the
     * master's window. The master then waits, before it gives a credit, until all ranks have read the piece.
     */
    public void readByAll() {
        reader = ALL;
    }

    /**
     * Declares that the master's children in a tree of the node's ranks read the pieces of this flow, each through its
     * own end of the flow or in the master's window. The master then waits, before it gives a credit, until these ranks
     * have read the piece.
     *
     * @param tree the tree of the node's ranks, with the master at its root
     */
    public void readByChildren(RootedTree tree) {
        reader = CHILDREN;
        readers = tree;
    }

    /**
     * Declares that one rank of the node reads the pieces of this flow. The master then waits, before it gives a
     * credit, until that rank has read the piece.
     *
     * @param localRank the local rank of the reader, its index on the node
     */
    public void readBy(int localRank) {
        reader = localRank;
    }

    /**
     * Waits for the next piece of the flow, or for the next part of a piece if the pieces have parts.
     *
     * @return the memory that begins with the piece, valid until the next piece is awaited
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

    /**
     * Returns the rest of the piece that was awaited last. The piece must be longer than its place.
     *
     * @return the memory that begins with the rest, valid until the next rest is asked for
     * @see #withRests
     */
    public Area rest() {
        assert isOpen() && number > 0 : this + " has awaited no piece with a rest";
        edges.findRest(this, rest);
        return rest;
    }

    /** Returns whether all pieces of the flow have come. The flow must have a place for each piece. */
    public boolean hasAll() {
        return edges.hasArrived(this, before + pieces);
    }

    /**
     * Waits for a given piece and all pieces before it. The flow must have a place for each piece.
     *
     * @param piece the number of the piece, from 1 on
     * @return the memory that begins with the piece, valid until another piece is awaited
     */
    public Area await(long piece) {
        number = piece - 1;
        return await();
    }

    /**
     * Waits for all pieces of the flow, which must have a place for each piece. If other ranks of the node read the
     * pieces, the master calls this method before it leaves the operation, because the pieces come to the master's
     * process.
     */
    public void awaitAll() {
        if (afterFirst != null) { // another node has to be invited before the last piece comes
            await(1);
        }
        await(pieces);
    }

    /**
     * Releases the last awaited piece, because this rank has taken it. If the sender awaits no credit for the piece,
     * this method does nothing. Otherwise the master, the first rank of the node, waits until all readers have taken
     * the piece, and gives the credit. Any other rank posts DONE, which tells the master that the rank has taken the
     * piece.
     */
    public void release() {
        if (isAwaited(piece(), places, pieces)) {
            release(0);
        }
    }

    /**
     * Releases the last awaited piece of one of several flows that follow each other in one operation. In these flows
     * every rank except the master posts DONE for each piece. The master waits for the readers and gives the credit, if
     * the sender awaits one.
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
            } else if (reader == CHILDREN) {
                flows.words.awaitChildren(readers, TeamContext.MASTER, StepWords.DONE, before + piece);
            } else if (reader != NOBODY && reader != flows.context.localRank) {
                flows.words.await(reader, StepWords.DONE, before + piece);
            }
            assert credits(credit(piece)) : this + " credits piece " + piece + " after step " + creditedLast;
            edges.credit(node, edgeThere, credit(piece));
        }
    }

    /**
     * Begins to take a transfer from the other node. This method only sets the memory for it; later calls receive the
     * pieces.
     *
     * @param with the elements with which the incoming ones are combined; null to copy the incoming elements
     * @param start the offset of the first of those elements in {@code with}
     * @param area the area for the result, which may be the same as {@code with}
     * @param at the offset of the result in {@code area}
     * @param bytes the length of the transfer, 0 or more
     */
    public void begin(Area with, long start, Area area, long at, long bytes) {
        assert !isOpen() || left <= 0 : this + " begins a transfer with " + left + " bytes left of the one before";
        own = with;
        ownFrom = start;
        target = area;
        to = at;
        left = bytes;
    }

    /**
     * Returns whether a credit has a greater step than the last one, and remembers the step; 0 resets the check. For
     * assertions.
     */
    private boolean credits(long step) {
        boolean follows = step == 0 || step > creditedLast;
        creditedLast = step;
        return follows;
    }

    @Override
    boolean isDone() {
        return !isOpen() || left == 0 && afterFirst == null && afterThoseBefore == null;
    }

    /**
     * Waits for the next piece of the transfer, combines or copies it, and releases it. Elements of lower nodes are the
     * left operands.
     */
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
     * Takes a whole transfer from the other node: waits for each piece, and combines or copies it.
     *
     * @param kernel the operator; ignored if {@code with} is null
     * @param with the elements with which the incoming ones are combined; null to copy the incoming elements
     * @param start the offset of the first of those elements in {@code with}
     * @param area the area for the result, which may be the same as {@code with}
     * @param at the offset of the result in {@code area}
     * @param bytes the length of the transfer, 0 or more
     */
    public void receiveAll(Kernel kernel, Area with, long start, Area area, long at, long bytes) {
        begin(with, start, area, at, bytes);
        do {
            receive(kernel);
        } while (left > 0);
    }

    /**
     * Exchanges transfers with another node: takes the transfer that has begun at this end, and meanwhile sends the
     * transfer that has begun at an outflow to the same node. The node combines the elements that it takes with its
     * own. Both transfers use the same areas, and an element has the same offset in each.
     *
     * <p>If {@code back} is true, a second pair of transfers follows without a wait in between. This node sends the
     * combined elements back, each piece as soon as it has been combined. It also takes the elements that the other
     * node has combined, in place of those that it has sent. The two pairs are the last step of a recursive halving and
     * the first step of the recursive doubling that follows.
     *
     * @param kernel the operator
     * @param out the outflow to the other node, which has begun the transfer to send
     * @param back whether both nodes send combined pieces back, so that both have the result of both transfers
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
                if (sent == given) { // all is sent that the other node combines: the combined pieces go back
                    out.begin(result, keptAt, keptBytes);
                }
                out.sendNext();
                sent++;
            }
            if (taken < takes) {
                if (taken == kept) { // all is combined: the pieces that the other node has combined come
                    begin(null, 0, result, givenAt, givenBytes);
                }
                receive(kernel);
            }
        }
    }

    private long piecesOf(long bytes) {
        return piecesOf(pieceBytes, bytes);
    }
}
