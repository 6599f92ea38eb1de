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
 * Makes the elements of each rank of a node readable for the other ranks, so that the ranks can combine by index range.
 * In this scheme the elements are divided into as many parts as the node has ranks, and rank r combines part r of all
 * ranks. If all ranks lend their callers' memory, the other ranks read the elements there. Otherwise each rank copies
 * its elements into its window, chunk by chunk, and uses the two halves of the window in turn. A window is memory that
 * a rank shows to the other ranks of its node.
 *
 * <p>A rank that lends its caller's memory copies nothing until it sees that another rank does not lend. It then copies
 * its first chunk, and all ranks wait for these copies in one more step. This is also the longest additional wait of a
 * rank that cannot lend.
 */
public final class IndexRange {
    private IndexRange() {}

    /**
     * Divides a call's message into chunks, of which two fit into a window.
     *
     * @param team the team of the calling rank
     * @param call the call
     * @param most the greatest length of a chunk, in bytes
     * @return the chunks, positioned before the first one
     */
    public static Chunk chunks(Team team, Call call, long most) {
        return team.chunks(call.bytes(), call.kernel().wholeUnits(Math.min(most, team.windowBytesMax() / Chunk.HALVES)),
                Chunk.HALVES);
    }

    /**
     * Finds out whether all ranks of the node lend their callers' memory to each other. When this method returns,
     * either all ranks lend, or each rank has copied its first chunk into its window for the other ranks to read.
     *
     * @param team the team of the calling rank, before the first step of the operation
     * @param call the call
     * @param chunk the chunks of the message, from {@link #chunks}
     * @param lends whether this rank lends its memory; the result of {@link ZeroCopyLoans#lend}
     * @return 0 if all ranks lend; otherwise the last step, 1 or 2, that this method has posted with {@link Team#READY}
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
     * Copies a chunk of this rank's elements into its window. The part of the chunk that this rank combines is not
     * copied, because no other rank reads it.
     *
     * @param team the team of the calling rank
     * @param call the call; its source has the elements
     * @param shown this rank's window, the memory that it shows to its node
     * @param chunk the chunk to copy
     */
    public static void copyIn(Team team, Call call, Area shown, Chunk chunk) {
        long start = start(team, call.kernel(), chunk.length(), team.localRank());
        long end = start(team, call.kernel(), chunk.length(), team.localRank() + 1);
        team.copy(call.source(), chunk.from(), shown, chunk.offset(), start);
        team.copy(call.source(), chunk.from() + end, shown, chunk.offset() + end, chunk.length() - end);
    }

    /**
     * Returns the offset at which a rank's part begins if elements are divided among the ranks of the node. No part
     * ends inside a unit of the operator.
     *
     * @param team the team of the calling rank
     * @param kernel the operator that will combine the elements
     * @param length the length of all parts together, in bytes
     * @param localRank the rank's index on its node. For the number of ranks on the node, the result is the end of the
     *            last part.
     * @return the offset from the first element, in bytes
     */
    public static long start(Team team, Kernel kernel, long length, int localRank) {
        return Partition.start(length, kernel.unitBytes(), team.localSize(), localRank);
    }
}
