/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.flow;

import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.window.OperationWindows;
import org.tutti.memory.Words;

/**
 * A one-way stream of pieces from a node to another one during one operation: what its two ends, {@link Outflow} and
 * {@link Inflow}, count alike. The pieces go in turn to places of the same length, which lie one after the other in the
 * cell of an edge, in its eager buffer, or in memory to which the receiver has invited the sender: a window, a share
 * of its inbox, the caller's. A place is used again when the receiver has credited what was there.
 *
 * <p><b>Cells and eager buffers.</b> Where nobody is invited, both ends know from the length of the message where it
 * goes: to the cell, beside the ARRIVED word, if that has room for the places; so a short message needs no line but
 * those that hold the word and its bytes. Else to the eager buffer of the edge, which has an ARRIVED word of its own.
 *
 * <p><b>Words.</b> The ARRIVED word of the receiver's cell or eager buffer counts what has come. The CREDIT word of
 * the sender's edge counts what was taken; where the receiver invites, the invitation is the first credit, and the
 * others are one greater. So data may come over the sender's edge at the same time, from any node.
 *
 * <p><b>Credits.</b> The places of a cell or eager buffer are promised: no invitation is needed, and as many pieces as
 * there are places go without a credit. What was taken is credited when it is half of the places, if a piece may follow
 * that waits for it: the sender awaits the credit of the piece that was in its place before, so it is never more than
 * all places ahead, and half of them suffices to let it go on.
 *
 * <p>Where many nodes may be invited at once, {@link RendezvousSchedule} say when each of them is.
 */
public abstract sealed class Flow permits Inflow, Outflow {
    /** How many places there are where one is filled while another one is emptied. */
    public static final int PLACES = 2;

    /** How many places there are at a receiver who is to invite the sender, until he has. */
    public static final int INVITED = 0;

    /** The longest message of which {@link #PLACES} pieces have room in a cell; longer ones may need eager buffers. */
    public static final long SHORT_BYTES_MAX = RingLayout.EDGE_PAYLOAD_BYTES / PLACES;

    /** The longest piece in a place of {@link #PLACES} of an eager buffer. */
    public static final long PIECE_BYTES = RingLayout.EAGER_BUFFER_BYTES / PLACES;

    /** The inbox of a rank. */
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
    private long openedIn = NOT_OPENED; // by which operation; only assertions look
    private long parts;

    Flow(Flows flows, int edge) {
        this.flows = flows;
        this.edges = flows.edges;
        this.edge = edge;
    }

    /**
     * Counts the shares of the inbox through which messages go: when they are longer than an eager buffer, and a share
     * has room for more than that.
     *
     * @param bytes the length of the message
     * @param flows how many flows of an operation may come to a node; 0 with one node
     * @return a share for each flow; 0 if they go through eager buffers
     */
    public static int shares(long bytes, int flows) {
        return bytes > RingLayout.EAGER_BUFFER_BYTES && flows > 0 && INBOX_BYTES / flows > RingLayout.EAGER_BUFFER_BYTES
                ? flows
                : 0;
    }

    /** A share of the inbox. */
    static long shareBytes(int shares) {
        return INBOX_BYTES / shares / Words.LINE_BYTES * Words.LINE_BYTES;
    }

    /** The longest piece of what is combined, which goes through a share of the inbox or an eager buffer. */
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

    /** Whether it is opened once in an operation for each node, or goes on after all that has come; for assertions. */
    private boolean goesOn(int otherNode, long piecesBefore) {
        long opened = openedIn;
        openedIn = flows.operation.sequence;
        return opened != openedIn || otherNode != node || piecesBefore > 0 && piecesBefore >= arrival();
    }

    /** Whether the present operation has opened it; for assertions. */
    final boolean isOpen() {
        return openedIn == flows.operation.sequence;
    }

    /** The length of all places at the receiver that invites nobody; for assertions. */
    private long placesBytes() {
        return flows.context.layout.isPair(edge) ? flows.context.layout.pairEagerBytes()
                : isEager ? RingLayout.EAGER_BUFFER_BYTES : RingLayout.EDGE_PAYLOAD_BYTES;
    }

    /** Whether all has gone or come that was begun in the present operation; for assertions. */
    abstract boolean isDone();

    @Override
    public String toString() {
        return getClass().getSimpleName() + " over edge " + edge + " with node " + node + " by operation " + openedIn
                + ", with " + places + " places of " + pieceBytes + " bytes, after " + number + " pieces and " + before
                + " before,";
    }

    /**
     * Says of an open flow that each piece comes in some parts, each of which is awaited for itself.
     *
     * @param count how many parts, 1 or more
     */
    public final void inParts(int count) {
        assert isOpen() && number == 0 && count > 0 : this + " is to have " + count + " parts";
        parts = count;
    }

    /** The piece to which the last part belongs, from 1 on. */
    final long piece() {
        return parts == 1 ? number : (number - 1) / parts + 1;
    }

    /** Where its place begins. */
    final long place() {
        return (piece() - 1) % places * pieceBytes;
    }

    /** What the ARRIVED word says when the last piece, or part, has come. */
    final long arrival() {
        return before + number;
    }

    /** The step of the credit for a piece; that of the invitation is one of none. */
    final long credit(long piece) {
        return before + (invites ? piece + 1 : piece);
    }

    /** How many pieces are credited together. */
    final long together() {
        return Math.max(1, places / 2);
    }

    /**
     * Tells whether somebody waits until a piece has been taken, or one that is credited together with it.
     *
     * @param piece the piece, from 1 on
     * @param places how many places there are
     * @param pieces how many pieces there will be
     * @return whether somebody does
     */
    public static boolean isAwaited(long piece, long places, long pieces) {
        return piece - Math.max(1, places / 2) + places < pieces;
    }
}
