/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.stage;

import org.tutti.collective.Call;
import org.tutti.collective.Chunk;
import org.tutti.collective.Team;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.machine.Area;
import org.tutti.collective.window.ZeroCopyLoans;

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
     * @param call what is called; its source has this rank's bytes
     * @param chunk which chunk the others show
     * @param start at which byte of it to begin
     * @param bytes how many bytes
     * @param target where the result goes
     * @param at at which byte of the area
     */
    public static void combineAround(Team team, Call call, Chunk chunk, long start, long bytes, Area target, long at) {
        around(team, call, chunk, start, bytes, target, at);
    }

    /**
     * Combines the same bytes of every rank as {@link #combineAround}, where all have lent their sources. Long ranges
     * go piece by piece, so that what was combined is still near when the next rank's bytes come.
     *
     * @param team the ranks
     * @param call what is called; its source has this rank's bytes
     * @param start at which byte of the sources to begin
     * @param bytes how many bytes
     * @param target where the result goes
     * @param at at which byte of the area
     */
    public static void combineLent(Team team, Call call, long start, long bytes, Area target, long at) {
        long piece = call.kernel().wholeUnits(PIECE_BYTES);
        for (long done = 0; done < bytes; done += piece) {
            around(team, call, null, start + done, Math.min(piece, bytes - done), target, at + done);
        }
    }

    /** The others' bytes lie where they show the chunk; without a chunk, in the sources that they lend. */
    private static void around(Team team, Call call, Chunk shown, long start, long bytes, Area target, long at) {
        Kernel kernel = call.kernel();
        long theirs = shown == null ? start : shown.offset() + start;
        Area accumulated = call.source();
        long own = shown == null ? start : shown.from() + start;
        for (int other = team.localRank() + 1; other < team.localSize(); other++) {
            team.combine(kernel, accumulated, own, contribution(team, other, shown), theirs, target, at, bytes);
            accumulated = target;
            own = at;
        }
        for (int other = team.localRank() - 1; other >= 0; other--) {
            team.combine(kernel, contribution(team, other, shown), theirs, accumulated, own, target, at, bytes);
            accumulated = target;
            own = at;
        }
    }

    private static Area contribution(Team team, int other, Chunk shown) {
        return shown == null ? team.loans().lent(other, ZeroCopyLoans.SOURCE) : team.shown(other, shown.window());
    }

    /**
     * Combines a chunk of every rank, the own one as shown, from the lowest rank to the highest, to where it belongs in
     * the call's target: every rank that does it gets the same bits.
     *
     * @param team the ranks, two or more; all have posted what is read here
     * @param call what is called
     * @param shown this rank's own window
     * @param chunk the chunk
     */
    public static void combineAll(Team team, Call call, Area shown, Chunk chunk) {
        Area accumulated = window(team, 0, shown, chunk.window());
        long at = chunk.offset();
        for (int rank = 1; rank < team.localSize(); rank++) {
            team.combine(call.kernel(), accumulated, at, window(team, rank, shown, chunk.window()), chunk.offset(),
                    call.target(), chunk.from(), chunk.length());
            accumulated = call.target();
            at = chunk.from();
        }
    }

    private static Area window(Team team, int rank, Area own, long window) {
        return rank == team.localRank() ? own : team.shown(rank, window);
    }
}
