/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import org.tutti.collective.kernel.Kernel;

/**
 * What this node sends another one over an edge in one operation, piece by piece. The pieces go in turn to the places
 * of a ring at the receiver: the landing place of the edge, or for long messages a share of the receiver's inbox, to
 * which its {@link Inflow} has invited this node. A place is used again when the receiver has credited what was there.
 *
 * <p>Both sides count the pieces of an operation alike: a transfer of so many bytes is cut the same way by both, and
 * has one piece at least, if an empty one.
 */
public final class Outflow {
    private final Team team;
    private final int creditEdge;
    private int toNode;
    private int edge;
    private boolean invited;
    private Target target;
    private long ringBytes;
    private long number;

    private Area source;
    private long from;
    private long left;
    private long pieceBytes;
    private boolean sent;

    Outflow(Team team, int creditEdge) {
        this.team = team;
        this.creditEdge = creditEdge;
    }

    /**
     * Says where pieces of the current operation go to.
     *
     * @param node the other node
     * @param edgeThere the edge there, over which its {@link Inflow} receives
     * @param throughInbox whether it invites this node to its inbox
     */
    public void open(int node, int edgeThere, boolean throughInbox) {
        toNode = node;
        edge = edgeThere;
        invited = throughInbox;
        target = null;
        ringBytes = RingLayout.LANDING_BYTES;
        number = 0;
    }

    /**
     * Begins a transfer, of which nothing is sent yet.
     *
     * @param kernel the operator, whose units are not cut
     * @param area where the bytes are
     * @param start at which byte
     * @param bytes how many, 0 or more
     */
    public void begin(Kernel kernel, Area area, long start, long bytes) {
        if (invited && target == null) {
            target = team.awaitInvitationByCredit(creditEdge, 1, toNode);
            ringBytes = target.bytes();
        }
        source = area;
        from = start;
        left = bytes;
        pieceBytes = kernel.wholeUnits(Inflow.placeBytes(ringBytes));
        sent = false;
    }

    /**
     * {@return whether all of the transfer is sent}
     */
    boolean isSent() {
        return sent;
    }

    /**
     * Sends the next piece of the transfer, when there is a place for it.
     */
    void send() {
        long bytes = Math.min(left, pieceBytes);
        long places = ringBytes / Inflow.placeBytes(ringBytes);
        long place = number % places * Inflow.placeBytes(ringBytes);
        number++;
        team.awaitCredit(creditEdge, Inflow.credit(number - places, invited), toNode);
        if (invited) {
            team.put(toNode, target, place, source, from, bytes);
            team.signal(toNode, edge, number);
        } else {
            team.put(toNode, edge, number, source, from, place, bytes);
        }
        from += bytes;
        left -= bytes;
        sent = left == 0;
    }

    /**
     * Sends a transfer as a whole.
     *
     * @param kernel the operator, whose units are not cut
     * @param area where the bytes are
     * @param start at which byte
     * @param bytes how many, 0 or more
     */
    public void sendAll(Kernel kernel, Area area, long start, long bytes) {
        begin(kernel, area, start, bytes);
        while (!sent) {
            send();
        }
    }
}
