/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.stage;

import org.tutti.collective.Call;
import org.tutti.collective.Chunk;
import org.tutti.collective.Team;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.machine.Area;
import org.tutti.collective.window.ZeroCopyLoans;
import org.tutti.pattern.Partition;

/**
 * Combining by index range on one node: rank r combines part r of the elements of all ranks. This class brings the
 * contributions to where all ranks can read them: straight from the callers' memory if all ranks lend it, else through
 * the two parts of a window, chunk after chunk.
 *
 * <p>A rank that could lend has copied nothing when it sees that others do not lend. It copies its elements then, and
 * all ranks wait for it in a step of its own. A rank that cannot lend never waits for more than that step.
 */
public final class IndexRange {
    private IndexRange() {}

    /**
     * Cuts the message into chunks.
     *
     * @param team the ranks
     * @param call the call
     * @param most how long a chunk may be
     * @return the chunks, before the first
     */
    public static Chunk chunks(Team team, Call call, long most) {
        return team.chunks(call.bytes(), call.kernel().wholeUnits(Math.min(most, team.windowBytesMax() / Chunk.HALVES)),
                Chunk.HALVES);
    }

    /**
     * Begins the operation: afterwards all ranks have lent their memory, or all have shown the first chunk.
     *
     * @param team the ranks, which have used no step yet
     * @param call the call
     * @param chunk the result of {@link #chunks}
     * @param lends whether this rank lends its memory, from {@link ZeroCopyLoans#lend}
     * @return the last step of READY that was used; or 0 if all ranks lend, after step 1
     */
    public static int meet(Team team, Call call, Chunk chunk, boolean lends) {
        long bytes = call.bytes();
        if (!lends) {
            showFirst(team, call, chunk);
        }
        int step = 1;
        team.post(Team.READY, step);
        team.awaitOthers(Team.READY, step);
        int lenders = lends ? 1 : 0;
        for (int other = 0; other < team.localSize(); other++) {
            lenders += other != team.localRank() && team.loans().isLending(other, bytes) ? 1 : 0;
        }
        if (lenders == team.localSize()) {
            return 0;
        }
        if (lenders > 0) {
            if (lends) {
                showFirst(team, call, chunk);
            }
            step++;
            team.post(Team.READY, step);
            team.awaitOthers(Team.READY, step);
        }
        return step;
    }

    private static void showFirst(Team team, Call call, Chunk chunk) {
        Area parts = team.show(chunk.window());
        chunk.moveTo(1);
        copyIn(team, call, parts, chunk);
        chunk.moveTo(0);
    }

    /**
     * Copies a chunk into this rank's window, without the part that this rank combines: no other rank reads it.
     *
     * @param team the ranks
     * @param call the call
     * @param shown this rank's window
     * @param chunk the chunk
     */
    public static void copyIn(Team team, Call call, Area shown, Chunk chunk) {
        long start = start(team, call.kernel(), chunk.length(), team.localRank());
        long end = start(team, call.kernel(), chunk.length(), team.localRank() + 1);
        team.copy(call.source(), chunk.from(), shown, chunk.offset(), start);
        team.copy(call.source(), chunk.from() + end, shown, chunk.offset() + end, chunk.length() - end);
    }

    /**
     * Returns where a rank's part of some elements begins.
     *
     * @param team the ranks
     * @param kernel the operator
     * @param length the bytes of all parts
     * @param localRank the local rank; the number of local ranks gives the end of the last part
     * @return the offset, in bytes
     */
    public static long start(Team team, Kernel kernel, long length, int localRank) {
        return Partition.start(length, kernel.unitBytes(), team.localSize(), localRank);
    }
}
