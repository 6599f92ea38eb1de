/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import org.tutti.collective.kernel.Kernel;
import org.tutti.memory.Words;

/**
 * What this node receives from another one over an edge in one operation, piece by piece, as its {@link Outflow} sends
 * them: in the landing place of the edge, or for long messages in a share of this rank's inbox. So short messages need
 * no invitation, and long ones have room for as much as is under way while pieces are combined.
 *
 * <p><b>Credits.</b> The first credit of an inflow through the inbox is the invitation; then what has been taken is
 * credited when it is half of the ring, if as much may come that somebody waits for it. A sender waits for the credit
 * of the piece that was in its place before, so it is never more than a ring ahead, and half of one suffices to let it
 * go on. In an {@link #exchange} a node sends one piece more than it has received before it waits for the next one: if
 * all waited for credits, each would have sent less than the one that it waits for.
 *
 * <p>The inbox is free at the end of an operation: the algorithm takes all pieces that are sent to it. If the operation
 * fails, the others' right to put there is revoked before the memory is used again.
 */
public final class Inflow {
    /** The inbox of a rank. */
    public static final long INBOX_BYTES = 512 << 10;

    private static final long PLACE_BYTES_MAX = 64 << 10;
    private static final int PLACES_MIN = 2;

    private final Team team;
    private final int edge;
    private final Area ring = new Area();
    private int fromNode;
    private int creditEdge;
    private boolean invites;
    private long ringBytes;
    private long pieceBytes;
    private long piecesMax;
    private long number;

    private Area own;
    private long ownFrom;
    private Area target;
    private long to;
    private long left;
    private boolean received;

    Inflow(Team team, int edge) {
        this.team = team;
        this.edge = edge;
    }

    /**
     * Tells whether messages go through inboxes: when they are longer than a landing place, and a share of the inbox
     * has room for more than that.
     *
     * @param bytes the length of the message
     * @param shares how many inflows of an operation a node may have; 0 with one node
     * @return whether they do
     */
    public static boolean isThroughInbox(long bytes, int shares) {
        return bytes > RingLayout.LANDING_BYTES && shares > 0 && INBOX_BYTES / shares > RingLayout.LANDING_BYTES;
    }

    /**
     * Bounds the memory of a node that data come to.
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
        long landings = edges * Math.min(2 * bytes, RingLayout.LANDING_BYTES);
        return isThroughInbox(bytes, 1) ? Math.max(INBOX_BYTES, landings) : landings;
    }

    /** The longest piece in a ring. */
    static long placeBytes(long ringBytes) {
        return Math.min(PLACE_BYTES_MAX, ringBytes / PLACES_MIN);
    }

    /** The step of the credit for a piece: the first one is the invitation, if there is one. */
    static long credit(long piece, boolean invited) {
        return invited ? piece + 1 : piece;
    }

    /**
     * Says where pieces of the current operation come from, and invites that node to a share of the inbox if the
     * message is long.
     *
     * @param kernel the operator, whose units are not cut
     * @param node the other node
     * @param edgeThere the edge there that awaits credits
     * @param throughInbox whether to use the inbox
     * @param share which share of it, 0 to shares − 1
     * @param shares how many inflows of the operation use it
     * @param transfers how many transfers there will be at most
     * @param bytesMax how many bytes one of them has at most
     */
    public void open(Kernel kernel, int node, int edgeThere, boolean throughInbox, int share, int shares,
            long transfers, long bytesMax) {
        fromNode = node;
        creditEdge = edgeThere;
        invites = throughInbox;
        number = 0;
        if (throughInbox) {
            ringBytes = INBOX_BYTES / shares / Words.LINE_BYTES * Words.LINE_BYTES;
            ring.set(team.inbox(), share * ringBytes);
            team.inviteByCredit(fromNode, creditEdge, 1, ring, ringBytes);
        } else {
            ringBytes = RingLayout.LANDING_BYTES;
        }
        pieceBytes = kernel.wholeUnits(placeBytes(ringBytes));
        piecesMax = transfers * Math.max(1, (bytesMax + pieceBytes - 1) / pieceBytes);
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
        own = with;
        ownFrom = start;
        target = area;
        to = at;
        left = bytes;
        received = false;
    }

    /** Waits for the next piece, and takes it. Elements of lower nodes are on the left. */
    private void receive(Kernel kernel) {
        long bytes = Math.min(left, pieceBytes);
        long places = ringBytes / placeBytes(ringBytes);
        long place = number % places * placeBytes(ringBytes);
        number++;
        team.awaitArrival(edge, number, fromNode);
        Area arrived = invites ? ring : team.landing(edge);
        if (own == null) {
            team.copy(arrived, place, target, to, bytes);
        } else if (fromNode < team.node()) {
            team.combine(kernel, arrived, place, own, ownFrom, target, to, bytes);
        } else {
            team.combine(kernel, own, ownFrom, arrived, place, target, to, bytes);
        }
        long half = places / PLACES_MIN;
        if (number % half == 0 && number - half + places < piecesMax) { // else nobody awaits it
            team.credit(fromNode, creditEdge, credit(number, invites));
        }
        ownFrom += bytes;
        to += bytes;
        left -= bytes;
        received = left == 0;
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
        while (!received) {
            receive(kernel);
        }
    }

    /**
     * Takes the transfer that has begun, while another one that has begun is sent.
     *
     * @param kernel the operator
     * @param out what is sent
     */
    public void exchange(Kernel kernel, Outflow out) {
        out.send();
        while (!received) {
            if (!out.isSent()) {
                out.send();
            }
            receive(kernel);
        }
        while (!out.isSent()) {
            out.send();
        }
    }
}
