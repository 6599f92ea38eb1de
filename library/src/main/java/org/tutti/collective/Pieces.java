/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import org.tutti.collective.kernel.Kernel;

/**
 * Long exchanges over an edge of this node and one of another: in pieces of at most half a landing place, both ways at
 * the same time. The pieces over an edge are numbered 1, 2, 3, … in an operation; the halves are used in turn, and each
 * piece that has been taken is credited. Sender and receiver count alike: an exchange has the same number of pieces
 * whatever its bytes, some of them perhaps empty.
 */
public final class Pieces {
    /** The greatest piece. */
    public static final long BYTES_MAX = RingLayout.LANDING_BYTES / 2;

    private static final int HALVES = 2;

    private Pieces() {}

    /**
     * Counts the pieces of an exchange.
     *
     * @param bytesMax the most bytes that either side sends
     * @param kernel the operator, whose units are not cut
     * @return how many, 1 or more
     */
    public static int count(long bytesMax, Kernel kernel) {
        long piece = kernel.wholeUnits(BYTES_MAX);
        return Math.toIntExact(Math.max(1, (bytesMax + piece - 1) / piece));
    }

    /**
     * Sends a piece.
     *
     * @param team the ranks
     * @param kernel the operator
     * @param toNode the node that it goes to
     * @param edge the edge there
     * @param creditEdge the edge of this node that awaits credits for it
     * @param number the number of the exchange's first piece over that edge
     * @param index which piece of the exchange, from 0
     * @param source where the exchange's bytes are
     * @param from at which byte
     * @param length how many bytes the exchange sends
     */
    public static void send(Team team, Kernel kernel, int toNode, int edge, int creditEdge, long number, int index,
            Area source, long from, long length) {
        long piece = kernel.wholeUnits(BYTES_MAX);
        long start = Math.min(length, index * piece);
        long step = number + index;
        team.awaitCredit(creditEdge, step - HALVES, toNode);
        team.put(toNode, edge, step, source, from + start, half(step), Math.min(piece, length - start));
    }

    /**
     * Receives a piece, and combines it with what is there, or only copies it.
     *
     * @param team the ranks
     * @param kernel the operator
     * @param combines whether to combine
     * @param fromNode the node that it comes from; when it is below this one its elements are on the left
     * @param edge the edge of this node
     * @param creditEdge the edge of the other node that awaits credits for it
     * @param number the number of the exchange's first piece over that edge
     * @param index which piece of the exchange, from 0
     * @param target where the exchange's bytes go
     * @param to at which byte
     * @param length how many bytes the exchange receives
     */
    public static void receive(Team team, Kernel kernel, boolean combines, int fromNode, int edge, int creditEdge,
            long number, int index, Area target, long to, long length) {
        long piece = kernel.wholeUnits(BYTES_MAX);
        long start = Math.min(length, index * piece);
        long bytes = Math.min(piece, length - start);
        long step = number + index;
        long at = to + start;
        team.awaitArrival(edge, step, fromNode);
        Area landing = team.landing(edge);
        if (!combines) {
            team.copy(landing, half(step), target, at, bytes);
        } else if (fromNode < team.node()) {
            team.combine(kernel, landing, half(step), target, at, target, at, bytes);
        } else {
            team.combine(kernel, target, at, landing, half(step), target, at, bytes);
        }
        team.credit(fromNode, creditEdge, step);
    }

    private static long half(long step) {
        return (step - 1) % HALVES * BYTES_MAX;
    }
}
