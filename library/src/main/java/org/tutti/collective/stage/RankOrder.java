/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.stage;

import org.tutti.collective.Call;
import org.tutti.collective.Chunk;
import org.tutti.collective.Team;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.machine.Area;
import org.tutti.collective.window.ZeroCopyLoans;

/** Combines elements of all ranks of one node, in the order of the ranks. */
public final class RankOrder {
    private static final long PIECE_BYTES = 64 << 10;

    private RankOrder() {}

    /**
     * Combines one range of the elements of all ranks of the node. The method begins with this rank's elements. It
     * combines them with the elements of the higher ranks in ascending order, and then with the elements of the lower
     * ranks in descending order. This rank's elements may lie in the memory to which the result is written.
     *
     * <p>Each rank begins with its own elements, so two ranks that combine the same elements may round differently.
     * Therefore this method is for results that only one rank computes.
     *
     * @param team the team of the calling rank; the other ranks of the node have posted READY for their elements
     * @param call the call; its source has this rank's elements
     * @param chunk the chunk that the other ranks show in their windows
     * @param start the offset of the range in the chunk, in bytes
     * @param bytes the length of the range, in bytes
     * @param target the area for the result
     * @param at the offset of the result in the target, in bytes
     */
    public static void combineAround(Team team, Call call, Chunk chunk, long start, long bytes, Area target, long at) {
        around(team, call, chunk, start, bytes, target, at);
    }

    /**
     * Combines one range of the elements of all ranks of the node, which have lent their sources to each other. The
     * order of the ranks is that of {@link #combineAround}, so only one rank may compute a result. A long range is
     * combined piece by piece, so that a partial result is still in the caches when it is combined with the elements of
     * the next rank.
     *
     * @param team the team of the calling rank
     * @param call the call; its source has this rank's elements
     * @param start the offset of the range in the sources, in bytes
     * @param bytes the length of the range, in bytes
     * @param target the area for the result
     * @param at the offset of the result in the target, in bytes
     */
    public static void combineLent(Team team, Call call, long start, long bytes, Area target, long at) {
        long piece = call.kernel().wholeUnits(PIECE_BYTES);
        for (long done = 0; done < bytes; done += piece) {
            around(team, call, null, start + done, Math.min(piece, bytes - done), target, at + done);
        }
    }

    /**
     * Combines one range of the elements of all ranks. The other ranks' elements are in the chunk that they show. If
     * the chunk is null, they are in the sources that the ranks lend.
     */
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
     * Combines a chunk of all ranks of the node into the call's target, from the lowest rank to the highest. Every rank
     * shows its elements in its window, and this rank reads its own elements there, too. Every rank that combines the
     * chunk gets the same bits.
     *
     * @param team the team of the calling rank, on a node of two or more ranks; all have posted READY for the chunk
     * @param call the call
     * @param shown this rank's own window, the memory that it shows to the other ranks of its node
     * @param chunk the chunk to combine
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
