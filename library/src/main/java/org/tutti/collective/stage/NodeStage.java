/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.stage;

import org.tutti.collective.Call;
import org.tutti.collective.Chunk;
import org.tutti.collective.Team;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.machine.Area;
import org.tutti.pattern.RootedTree;

/**
 * Combines the elements of a node's ranks in shared memory, and tells the ranks later that the result has come. In
 * between, the node's master, the rank that exchanges data with other nodes, may combine the elements of several nodes.
 * The ranks combine their elements in the master's window, and copy the result from there. A window is memory that a
 * rank shows to the other ranks of its node. A message is processed in rounds, which use the two halves of each window
 * in turn.
 *
 * <p>In short rounds the master alone combines. On a node with levels, the leader of each group combines the elements
 * of its group first. In long rounds each rank combines its part of the elements of all ranks. It writes the result
 * straight into the master's window, where no other rank reads or writes that part:
 *
 * <pre>
 *  rank 0 (master) shows  [ node's part 0 | its part 1 | its part 2 ]    rank 1 combines part 1 of all. It reads its
 *  rank 1 shows           [ its part 0    |     –      | its part 2 ]    own part 1 from its caller. The last step
 *  rank 2 shows           [ its part 0    | its part 1 |     –      ]    writes over the part 1 that rank 0 shows.
 * </pre>
 *
 * <p><b>Why nothing is overwritten.</b> A half is written again two rounds later. Before a rank writes it, the rank has
 * seen either the contributions of all ranks to the round in between, or the master's result of that round. The master
 * needs all contributions for its result. A rank contributes to a round only after it has taken the result of the round
 * before. Therefore all ranks have finished with the half.
 */
public final class NodeStage {
    /**
     * The least length of a round, in bytes, that all ranks combine together, each a part of the elements. In a shorter
     * round only the master and the leaders of groups combine.
     */
    public static final long BY_RANGE_BYTES_MIN = 4 << 10;

    private static final int STEPS = 3;

    private NodeStage() {}

    /**
     * Combines the elements of the node's ranks, in the order of the ranks. All ranks of the node call this method.
     * When it returns at the master, the combination is in the master's window. The node must have two ranks or more.
     *
     * @param team the team of the calling rank
     * @param call the call
     * @param shown this rank's window, as {@link Team#show} has returned it
     * @param chunk the chunk to combine in this round; its number selects which of the {@value Chunk#HALVES} halves of
     *            each window holds it
     */
    public static void combine(Team team, Call call, Area shown, Chunk chunk) {
        if (chunk.length() < BY_RANGE_BYTES_MIN) {
            combineAtMaster(team, call, shown, chunk);
        } else {
            combineByRange(team, call, shown, chunk);
        }
    }

    private static void combineAtMaster(Team team, Call call, Area shown, Chunk chunk) {
        long step = contributed(chunk.number());
        if (team.isMaster()) {
            combineChildren(team, call, team.levelTree(), Team.MASTER, chunk, step, shown, chunk.offset());
        } else {
            contribute(team, call, team.levelTree(), Team.MASTER, chunk, step, shown);
        }
    }

    /**
     * Combines this rank's elements with the elements that its children in a tree of the node's ranks show. A rank
     * without children combines nothing, and its elements stay in the memory of its caller. The elements are combined
     * in the order of the ranks if the tree is a {@link org.tutti.pattern.LevelTree}, or if its root is local rank 0.
     *
     * @param team the team of the calling rank
     * @param call the call
     * @param tree the tree of the node's ranks
     * @param root the local rank of the tree's root
     * @param chunk the chunk to combine
     * @param step the step that a child posts with {@link Team#READY} when it shows its elements
     * @param into the area for the result
     * @param at the offset of the result in that area, in bytes
     * @return the area that has the result: the call's source if the rank has no children, otherwise {@code into}
     */
    public static Area combineChildren(Team team, Call call, RootedTree tree, int root, Chunk chunk, long step,
            Area into, long at) {
        int rank = team.localRank();
        int size = team.localSize();
        int children = tree.children(rank, root, size);
        Area accumulated = call.source();
        long start = chunk.from();
        for (int index = 0; index < children; index++) {
            int child = tree.child(rank, index, root, size);
            team.await(child, Team.READY, step);
            Area theirs = team.shown(child, chunk.window());
            if (child > rank) {
                team.combine(call.kernel(), accumulated, start, theirs, chunk.offset(), into, at, chunk.length());
            } else {
                team.combine(call.kernel(), theirs, chunk.offset(), accumulated, start, into, at, chunk.length());
            }
            accumulated = into;
            start = at;
        }
        return accumulated;
    }

    /**
     * Combines as {@link #combineChildren} does, and shows the result to the rank's parent. If the rank has no
     * children, its elements are copied.
     *
     * @param team the team of the calling rank, which is not the root
     * @param call the call
     * @param tree the tree of the node's ranks
     * @param root the local rank of the tree's root
     * @param chunk the chunk to combine
     * @param step the step that a rank posts with {@link Team#READY} when it shows its elements
     * @param shown this rank's window, as {@link Team#show} has returned it
     */
    public static void contribute(Team team, Call call, RootedTree tree, int root, Chunk chunk, long step,
            Area shown) {
        if (combineChildren(team, call, tree, root, chunk, step, shown, chunk.offset()) == call.source()) {
            team.copy(call.source(), chunk.from(), shown, chunk.offset(), chunk.length());
        }
        team.post(Team.READY, step);
    }

    private static void combineByRange(Team team, Call call, Area shown, Chunk chunk) {
        Kernel kernel = call.kernel();
        int rank = team.localRank();
        long window = chunk.window();
        IndexRange.copyIn(team, call, shown, chunk);
        team.post(Team.READY, contributed(chunk.number()));
        team.awaitOthers(Team.READY, contributed(chunk.number()));

        long start = IndexRange.start(team, kernel, chunk.length(), rank);
        long end = IndexRange.start(team, kernel, chunk.length(), rank + 1);
        long part = chunk.offset() + start;
        Area accumulated = call.source();
        long at = chunk.from() + start;
        for (int other = rank + 1; other < team.localSize(); other++) {
            team.combine(kernel, accumulated, at, team.shown(other, window), part, shown, part, end - start);
            accumulated = shown;
            at = part;
        }
        for (int other = rank - 1; other >= 0; other--) {
            Area left = team.shown(other, window);
            Area into = other == Team.MASTER ? left : shown;
            team.combine(kernel, left, part, accumulated, at, into, part, end - start);
            accumulated = into;
            at = part;
        }
        if (team.isMaster()) {
            team.awaitOthers(Team.READY, combined(chunk.number()));
        } else {
            team.post(Team.READY, combined(chunk.number()));
        }
    }

    /**
     * Announces that the result of a round is in the master's window. Only the master calls this method.
     *
     * @param team the team of the calling rank
     * @param round the number of the round
     */
    public static void announce(Team team, int round) {
        team.post(Team.READY, announced(round));
    }

    /**
     * Waits until the result of a round is in the window of the node's master.
     *
     * @param team the team of the calling rank
     * @param window the length of each rank's window, in bytes
     * @param round the number of the round
     * @return the master's window
     */
    public static Area awaitResult(Team team, long window, int round) {
        if (!team.isMaster()) {
            team.await(Team.MASTER, Team.READY, announced(round));
        }
        return team.shown(Team.MASTER, window);
    }

    private static long contributed(int round) {
        return (long) STEPS * round - 2;
    }

    private static long combined(int round) {
        return (long) STEPS * round - 1;
    }

    private static long announced(int round) {
        return (long) STEPS * round;
    }
}
