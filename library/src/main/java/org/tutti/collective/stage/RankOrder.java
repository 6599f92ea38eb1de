/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.stage;

import org.tutti.collective.Call;
import org.tutti.collective.Chunk;
import org.tutti.collective.Team;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.machine.Area;
import org.tutti.collective.window.ZeroCopyLoans;

/**
 * Combining the elements that all ranks show, in the order of the ranks.
 */
public final class RankOrder {
    private static final long PIECE_BYTES = 64 << 10;

    private RankOrder() {}

    /**
     * Combines the same bytes of every rank, beginning with this rank's: first with those of higher ranks in ascending
     * order, then with those of lower ranks in descending order. This rank's bytes may lie where the result goes. The
     * rounding depends on the rank that combines, so it is for results that one rank computes.
     *
     * @param team the ranks; all others have posted the elements that are read here
     * @param call the call; its source has this rank's bytes
     * @param chunk the chunk that the others show
     * @param start the offset in the chunk, in bytes
     * @param bytes the number of bytes
     * @param target the area for the result
     * @param at the offset of the result, in bytes
     */
    public static void combineAround(Team team, Call call, Chunk chunk, long start, long bytes, Area target, long at) {
        around(team, call, chunk, start, bytes, target, at);
    }

    /**
     * Combines the same bytes of every rank as {@link #combineAround} does, if all ranks have lent their sources. Long
     * ranges go piece by piece, so that a partial result is still in the caches when it is combined with the next
     * rank's bytes.
     *
     * @param team the ranks
     * @param call the call; its source has this rank's bytes
     * @param start the offset in the sources, in bytes
     * @param bytes the number of bytes
     * @param target the area for the result
     * @param at the offset of the result, in bytes
     */
    public static void combineLent(Team team, Call call, long start, long bytes, Area target, long at) {
        long piece = call.kernel().wholeUnits(PIECE_BYTES);
        for (long done = 0; done < bytes; done += piece) {
            around(team, call, null, start + done, Math.min(piece, bytes - done), target, at + done);
        }
    }

    /** The others' bytes lie where they show the chunk; if that is null, in the sources that they lend. */
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
     * Combines a chunk of every rank, from the lowest rank to the highest, into the call's target. This rank's elements
     * are those that it shows. Every rank that combines gets the same bits.
     *
     * @param team the ranks, two or more; all have posted the elements that are read here
     * @param call the call
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
