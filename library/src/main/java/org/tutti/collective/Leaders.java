/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import org.tutti.pattern.Partition;

/**
 * How the {@linkplain Team#leaders leaders} of a node share what it exchanges with other nodes: of k leaders the j-th
 * exchanges the j-th part of a vector with the j-th ones of the other nodes, in whose memory the same part lies. In the
 * node the vector is in memory that all its ranks share, so nothing is copied for it.
 *
 * <pre>
 *  2 nodes, 2 leaders:   node 0                                  node 1
 *                        rank 0   [ part 0 |        ]    ↔    [ part 0 |        ]   rank 3
 *                        rank 1   [        | part 1 ]    ↔    [        | part 1 ]   rank 4
 *                        rank 2   reads both                  reads both            rank 5
 * </pre>
 *
 * <p>With one leader, the master, its part is all.
 *
 * <p><b>Why they do not meet.</b> An operation with k leaders has k numbers that follow each other, and so the slots of
 * all of them: in the first the ranks of a node have their words, and leader j exchanges over the edges of the j-th,
 * which no other rank of its node uses. A rank enters the operation when the last of the k slots is free, as if it were
 * k operations, and leaves all of them at once. What leaders put and what they write of the vector lies apart; what
 * others read of it, they read after the leader's next READY word.
 */
public final class Leaders {
    private Leaders() {}

    /**
     * Tells where the part of a leader begins.
     *
     * @param team the ranks
     * @param unitBytes what is not cut
     * @param length the bytes of all parts
     * @param leader which leader, by its place on the node; their number for the end of the last part
     * @return at which byte; the first part is the longest
     */
    public static long start(Team team, long unitBytes, long length, int leader) {
        return Partition.start(length, unitBytes, team.leaders(), leader);
    }

    /**
     * Tells how long the longest part is.
     *
     * @param team the ranks
     * @param unitBytes what is not cut
     * @param length the bytes of all parts
     * @return how many bytes the first part has
     */
    public static long longest(Team team, long unitBytes, long length) {
        return start(team, unitBytes, length, 1);
    }

    /**
     * Tells whose part something is in that is not cut.
     *
     * @param team the ranks
     * @param units how many such things all parts have
     * @param unit which one, from 0
     * @return the leader, by its place on the node
     */
    public static int of(Team team, long units, long unit) {
        return Partition.index(units, 1, team.leaders(), unit);
    }

    /**
     * Waits until all leaders of this node, but perhaps this rank, have reached a step.
     *
     * @param team the ranks
     * @param word {@link Team#READY} or {@link Team#DONE}
     * @param step the step
     */
    public static void await(Team team, long word, long step) {
        for (int leader = 0; leader < team.leaders(); leader++) {
            if (leader != team.localRank()) {
                team.await(leader, word, step);
            }
        }
    }
}
