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
 * Helps ranks of one node to combine by index range: rank r combines part r of the elements of all ranks. This class
 * makes the elements of each rank readable for the others. If all ranks lend their callers' memory, the others read it
 * there. Otherwise each rank copies its elements into its window, chunk by chunk, and uses the two halves of the window
 * in turn. A window is the memory that a rank shows to the other ranks of its node.
 *
 * <p>A rank that lends copies nothing until it sees that another rank does not lend. It then copies its first chunk,
 * and all ranks wait for these copies in one more step. A rank that cannot lend waits at most for that one step more.
 */
public final class IndexRange {
    private IndexRange() {}

    /**
     * Divides the message into chunks.
     *
     * @param team the ranks
     * @param call the call
     * @param most the greatest length of a chunk, in bytes
     * @return the chunks, positioned before the first
     */
    public static Chunk chunks(Team team, Call call, long most) {
        return team.chunks(call.bytes(), call.kernel().wholeUnits(Math.min(most, team.windowBytesMax() / Chunk.HALVES)),
                Chunk.HALVES);
    }

    /**
     * Begins the operation. When this method returns, either all ranks have lent their memory, or all have shown their
     * first chunk.
     *
     * @param team the ranks, which have used no step of READY yet
     * @param call the call
     * @param chunk the chunks that {@link #chunks} returned
     * @param lends whether this rank lends its memory, as {@link ZeroCopyLoans#lend} returned it
     * @return the last step of READY that was used. If all ranks lend, the result is 0, although step 1 was used.
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
     * Copies a chunk into this rank's window, except the part that this rank combines, because no other rank reads that
     * part.
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
     * Returns the offset at which a rank's part of some elements begins.
     *
     * @param team the ranks
     * @param kernel the operator
     * @param length the length of all parts together, in bytes
     * @param localRank the local rank. If it is the number of local ranks, the result is the end of the last part.
     * @return the offset, in bytes
     */
    public static long start(Team team, Kernel kernel, long length, int localRank) {
        return Partition.start(length, kernel.unitBytes(), team.localSize(), localRank);
    }
}
