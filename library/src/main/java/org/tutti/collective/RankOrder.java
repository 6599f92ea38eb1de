/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import org.tutti.collective.kernel.Kernel;

/**
 * Combining what all ranks show, in the order of the ranks.
 */
public final class RankOrder {
    private static final long PIECE_BYTES = 64 << 10;

    private RankOrder() {}

    /**
     * Combines the same bytes of every rank, own ones included, around the own ones: first with those of higher ranks
     * in ascending order, then with those of lower ranks in descending order. The own bytes may lie where the result
     * goes. Which rank does it matters for the rounding of the result, so it is for results that one rank computes.
     *
     * @param team the ranks; all others have posted what is read here
     * @param kernel the operator
     * @param own this rank's bytes
     * @param ownOffset at which byte of the area
     * @param window the size that every rank has asked for with {@link Team#show}
     * @param place at which byte of each rank's window its contribution lies
     * @param target where the result goes
     * @param targetOffset at which byte of the area
     * @param bytes how many bytes
     */
    public static void combineAround(Team team, Kernel kernel, Area own, long ownOffset, long window, long place,
            Area target, long targetOffset, long bytes) {
        combineAround(team, kernel, own, ownOffset, false, window, place, target, targetOffset, bytes);
    }

    /**
     * Combines the same bytes of every rank as {@link #combineAround}, where all have lent their sources. Long ranges
     * go piece by piece, so that what was combined is still near when the next rank's bytes come.
     *
     * @param team the ranks
     * @param kernel the operator
     * @param own this rank's source
     * @param length how long the sources are
     * @param from from which byte of the sources on
     * @param target where the result goes
     * @param targetOffset at which byte of the area
     * @param bytes how many bytes
     */
    public static void combineLent(Team team, Kernel kernel, Area own, long length, long from, Area target,
            long targetOffset, long bytes) {
        long piece = kernel.wholeUnits(PIECE_BYTES);
        for (long done = 0; done < bytes; done += piece) {
            long at = from + done;
            combineAround(team, kernel, own, at, true, length, at, target, targetOffset + done,
                    Math.min(piece, bytes - done));
        }
    }

    private static void combineAround(Team team, Kernel kernel, Area own, long ownOffset, boolean lent, long length,
            long place, Area target, long targetOffset, long bytes) {
        Area accumulated = own;
        long at = ownOffset;
        for (int other = team.localRank() + 1; other < team.localSize(); other++) {
            team.combine(kernel, accumulated, at, contribution(team, other, lent, length), place, target, targetOffset,
                    bytes);
            accumulated = target;
            at = targetOffset;
        }
        for (int other = team.localRank() - 1; other >= 0; other--) {
            team.combine(kernel, contribution(team, other, lent, length), place, accumulated, at, target, targetOffset,
                    bytes);
            accumulated = target;
            at = targetOffset;
        }
    }

    private static Area contribution(Team team, int other, boolean lent, long length) {
        return lent ? team.loans().lent(other, Loans.SOURCE) : team.shown(other, length);
    }

    /**
     * Combines the same bytes of every rank, own ones as shown, from the lowest rank to the highest: every rank that
     * does it gets the same bits.
     *
     * @param team the ranks, two or more; all have posted what is read here
     * @param kernel the operator
     * @param shown this rank's own window
     * @param window the size that every rank has asked for with {@link Team#show}
     * @param place at which byte of each rank's window its contribution lies
     * @param target where the result goes
     * @param targetOffset at which byte of the area
     * @param bytes how many bytes
     */
    public static void combineAll(Team team, Kernel kernel, Area shown, long window, long place, Area target,
            long targetOffset, long bytes) {
        Area accumulated = window(team, 0, shown, window);
        long at = place;
        for (int rank = 1; rank < team.localSize(); rank++) {
            team.combine(kernel, accumulated, at, window(team, rank, shown, window), place, target, targetOffset,
                    bytes);
            accumulated = target;
            at = targetOffset;
        }
    }

    private static Area window(Team team, int rank, Area own, long window) {
        return rank == team.localRank() ? own : team.shown(rank, window);
    }
}
