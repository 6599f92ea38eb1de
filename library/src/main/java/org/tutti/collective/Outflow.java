/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import org.tutti.collective.kernel.Kernel;

/**
 * The sending end of a {@link Flow}: what a node sends another one in one operation, piece by piece. Both ends cut a
 * transfer of so many bytes the same way: it has one piece at least, if an empty one.
 */
public final class Outflow extends Flow {
    private static final int UNKNOWN = 0; // places, until the invitation has come

    private final Target target = new Target();
    private boolean credited;
    private Area source;
    private long from;
    private long left;
    private boolean sent;

    Outflow(Team team, int creditEdge) {
        super(team, creditEdge);
    }

    /**
     * Begins a flow of the current operation to a landing place.
     *
     * @param toNode the other node
     * @param edgeAtReceiver the edge there, over which its {@link Inflow} receives
     * @param longestPiece the length of the places
     * @param count how many places there are
     */
    public void open(int toNode, int edgeAtReceiver, long longestPiece, long count) {
        open(toNode, edgeAtReceiver, longestPiece, count, false);
        credited = true;
    }

    /** Says of an open flow that nobody gives credits: this node knows from elsewhere when a place is free. */
    public void withoutCredits() {
        credited = false;
    }

    /**
     * Begins a flow of the current operation to where the other node will invite this one.
     *
     * @param toNode the other node
     * @param edgeAtReceiver the edge there, over which its {@link Inflow} receives
     * @param longestPiece the length of the places, but for the last one
     */
    public void openInvited(int toNode, int edgeAtReceiver, long longestPiece) {
        open(toNode, edgeAtReceiver, longestPiece, UNKNOWN, true);
        credited = true;
    }

    /**
     * Begins a flow of what is combined.
     *
     * @param kernel the operator, whose units are not cut
     * @param toNode the other node
     * @param edgeAtReceiver the edge there, over which its {@link Inflow} receives
     * @param shares what {@link Flow#shares} has said
     */
    public void openTransfers(Kernel kernel, int toNode, int edgeAtReceiver, int shares) {
        open(toNode, edgeAtReceiver, pieceBytes(kernel, shares), shares == 0 ? PLACES : UNKNOWN, shares > 0);
        credited = true;
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
        if (places == UNKNOWN) {
            team.awaitInvitation(edge, node, target);
            places = (target.bytes() + pieceBytes - 1) / pieceBytes;
        }
        number++;
        if (credited) {
            team.awaitCredit(edge, credit(piece() - places), node);
        }
        if (invites) {
            team.put(node, target, place() + offset, area, at, bytes);
            team.signal(node, edgeThere, number);
        } else {
            team.put(node, edgeThere, number, area, at, place() + offset, bytes);
        }
    }

    /** Says that the next piece, which has no bytes, has come. */
    public void signal() {
        number++;
        team.signal(node, edgeThere, number);
    }

    /**
     * Begins a transfer, of which nothing is sent yet.
     *
     * @param area where the bytes are
     * @param at at which byte
     * @param bytes how many, 0 or more
     */
    public void begin(Area area, long at, long bytes) {
        source = area;
        from = at;
        left = bytes;
        sent = false;
    }

    /** Whether all of the transfer is sent. */
    boolean isSent() {
        return sent;
    }

    /** Sends the next piece of the transfer, when there is a place for it. */
    void sendNext() {
        long bytes = Math.min(left, pieceBytes);
        send(source, from, bytes);
        from += bytes;
        left -= bytes;
        sent = left == 0;
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
        while (!sent) {
            sendNext();
        }
    }
}
