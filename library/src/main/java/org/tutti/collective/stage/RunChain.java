/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.stage;

import org.tutti.collective.Call;
import org.tutti.collective.Chunk;
import org.tutti.collective.Team;
import org.tutti.collective.flow.Flow;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.machine.Area;

/**
 * Combines elements in the order of the ranks, for any placement of the ranks on nodes. Non-commutative operators need
 * this if the ranks of a node are not consecutive. A run is a maximal sequence of consecutive ranks on one node. The
 * master of that node, its rank that talks to other nodes, combines the elements of the run with the combination of all
 * earlier runs. It sends the result to the node of the next run. Such a chain is slow, but it works for every
 * placement.
 *
 * <pre>
 *  ranks 0 1 4 5 on node 0, ranks 2 3 on node 1:    node 0: 0∘1  –→  node 1: (0∘1)∘2∘3  –→  node 0: (0∘1∘2∘3)∘4∘5
 * </pre>
 *
 * <p><b>Why nothing is overwritten.</b> A chunk passes the whole chain before the next chunk starts, because the node
 * of the first run waits for an empty piece that the node of the last run sends. Therefore pieces arrive at a node in
 * order, although different nodes send them over the same edge. Each piece finds its place in the node's eager buffer
 * free, because the master has passed on the piece that was there.
 *
 * <p>A result comes from the node of the last run, and a piece of the next chunk comes from another node. The piece
 * could overtake the result, so results have an edge of their own. A result is sent to a node after the chain has
 * passed the node with the contributions of all its ranks to this chunk. Each rank contributes to a chunk after it has
 * copied the result of the chunk before. Therefore the place for results is free. For the same reason the part of the
 * master's window in which the master combines is free.
 */
public final class RunChain {
    /** The value of {@code root} if all ranks get the result. */
    public static final int ALL = -1;

    /** The value of {@code root} if each rank gets its own block of the result. */
    public static final int EACH = -2;

    /** The greatest length of a chunk, in bytes. */
    public static final long CHUNK_BYTES = Flow.PIECE_BYTES;

    /**
     * The number of parts of a rank's window. Two parts are for contributions and are used in turn. In the third part
     * the master combines.
     */
    private static final int PLACES = 3;

    private static final int READY_STEPS = 2;
    private static final int CHAIN = NodeTree.PARENT;
    private static final int RESULTS = NodeTree.PARENT + 1;
    private static final int EDGES = 2;

    private RunChain() {}

    /**
     * Combines the elements of all ranks, and gives the result to one rank, to all ranks, or a block of it to each
     * rank.
     *
     * @param team the team of the calling rank, inside an operation
     * @param call the call
     * @param root the rank that gets the result, or {@link #ALL}, or {@link #EACH}
     */
    public static void run(Team team, Call call, int root) {
        Chunk chunk = team.chunks(call.bytes(), chunkBytes(team, call.kernel()), Chunk.HALVES);
        if (root == EACH) {
            chunk.ofBlocks(team.size());
        }
        int runs = runs(team);
        Area shown = team.show(window(chunk));
        while (chunk.next()) {
            int step = chunk.number();
            int wanted = root == EACH ? chunk.block() : root;
            long from = chunk.from() + (root == EACH ? call.sourceAt(wanted) : 0);
            long length = root != EACH ? chunk.length()
                    : Math.clamp(call.blockBytes(wanted) - chunk.from(), 0, chunk.length());
            if (!team.isMaster()) {
                team.await(Team.MASTER, Team.DONE, step - Chunk.HALVES);
            }
            team.copy(call.source(), from, shown, chunk.offset(), length);
            team.post(Team.READY, (long) READY_STEPS * step - 1);
            if (team.isMaster()) {
                combineRuns(team, call.kernel(), shown, chunk, length, runs);
                send(team, shown, chunk, length, wanted);
                team.post(Team.READY, (long) READY_STEPS * step);
                team.post(Team.DONE, step);
            }
            take(team, call, shown, chunk, length, wanted);
        }
    }

    /**
     * {@return the length of the longest chunk, in bytes}
     *
     * @param team the team of the calling rank
     * @param kernel the operator; no chunk ends inside a unit of its elements
     */
    public static long chunkBytes(Team team, Kernel kernel) {
        return kernel.wholeUnits(Math.min(CHUNK_BYTES, team.windowBytesMax() / PLACES));
    }

    /**
     * {@return the greatest number of steps that a chunk takes, for any placement of the ranks}
     *
     * @param team the team of the calling rank
     */
    public static long stepsMax(Team team) {
        return team.nodes() == 1 ? READY_STEPS : Math.max(READY_STEPS, team.size()); // an arrival for each run
    }

    /** Returns the length of a rank's window, in bytes. */
    private static long window(Chunk chunk) {
        return PLACES * chunk.longest();
    }

    /** Returns the offset of the part of the master's window in which the master combines. */
    private static long result(Chunk chunk) {
        return Chunk.HALVES * chunk.longest();
    }

    /**
     * Returns an upper bound on the shared memory that a call of this algorithm uses on one node.
     *
     * @param nodes the number of nodes
     * @param localRanks the number of ranks on the node
     * @param bytes the length of the message, in bytes
     * @return the bound, in bytes
     */
    public static long memoryBytes(int nodes, int localRanks, long bytes) {
        int places = localRanks * PLACES + (nodes == 1 ? 0 : EDGES);
        return places * Math.min(bytes, CHUNK_BYTES);
    }

    private static int runs(Team team) {
        int runs = 1;
        for (int rank = 1; rank < team.size(); rank++) {
            runs += team.nodeOf(rank) == team.nodeOf(rank - 1) ? 0 : 1;
        }
        return runs;
    }

    private static int last(Team team) {
        return team.nodeOf(team.size() - 1);
    }

    /** Returns the number of the piece that brings the combination of all earlier runs to a run. */
    private static long arrival(int step, int runs, int run) {
        return (long) (step - 1) * runs + run;
    }

    private static void combineRuns(Team team, Kernel kernel, Area shown, Chunk chunk, long length, int runs) {
        int step = chunk.number();
        team.awaitOthers(Team.READY, (long) READY_STEPS * step - 1);
        int run = 0;
        for (int rank = 0; rank < team.size(); run++) {
            int end = rank + 1;
            while (end < team.size() && team.nodeOf(end) == team.nodeOf(rank)) {
                end++;
            }
            if (team.nodeOf(rank) == team.node()) {
                combineRun(team, kernel, shown, chunk, length, rank, end, arrival(step, runs, run));
            }
            rank = end;
        }
        if (team.node() == last(team) && team.node() != team.nodeOf(0) && step < chunk.count()) {
            team.outflow(CHAIN).openNext(team.nodeOf(0), CHAIN, arrival(step, runs, runs));
            team.outflow(CHAIN).signal(); // the chunk has reached the end
        }
    }

    /**
     * Combines the elements of a run, consecutive ranks on one node, with the piece that the node of the previous run
     * has sent. If another run follows, this method sends the result to the node of that run. Only the master of the
     * run's node calls it.
     */
    private static void combineRun(Team team, Kernel kernel, Area shown, Chunk chunk, long length, int rank, int end,
            long arrival) {
        Area accumulated = null;
        int before = team.nodeOf(rank == 0 ? team.size() - 1 : rank - 1);
        if (arrival > 0 && before != team.node()) {
            team.inflow(CHAIN).openNext(before, arrival - 1);
            accumulated = team.inflow(CHAIN).await();
        }
        long at = 0;
        int next = rank;
        if (rank == 0) {
            accumulated = contribution(team, shown, chunk, next++);
            at = chunk.offset();
        }
        for (; next < end; next++) {
            team.combine(kernel, accumulated, at, contribution(team, shown, chunk, next), chunk.offset(), shown,
                    result(chunk), length);
            accumulated = shown;
            at = result(chunk);
        }
        if (end < team.size()) {
            team.outflow(CHAIN).openNext(team.nodeOf(end), CHAIN, arrival);
            team.outflow(CHAIN).send(accumulated, at, length);
        }
    }

    private static Area contribution(Team team, Area shown, Chunk chunk, int rank) {
        return rank == team.rank() ? shown : team.shown(team.localRankHere(rank), window(chunk));
    }

    /** Sends the result from the master of the last run's node to the other nodes that need it. */
    private static void send(Team team, Area shown, Chunk chunk, long length, int root) {
        if (team.node() != last(team)) {
            return;
        }
        for (int distance = 1; distance < team.nodes(); distance++) {
            int node = (team.node() + distance) % team.nodes();
            if (root == ALL || node == team.nodeOf(root)) {
                team.outflow(RESULTS).openNext(node, RESULTS, chunk.number() - 1);
                team.outflow(RESULTS).send(shown, result(chunk), length);
            }
        }
    }

    private static void take(Team team, Call call, Area shown, Chunk chunk, long length, int root) {
        Area target = call.target();
        long from = chunk.from();
        boolean wants = root == ALL || root == team.rank();
        if (team.node() != last(team)) {
            if (wants || team.isMaster() && team.node() == team.nodeOf(root)) { // the root's master must stay
                team.inflow(RESULTS).openNext(last(team), chunk.number() - 1);
                Area arrived = team.inflow(RESULTS).await();
                if (wants) {
                    team.copy(arrived, 0, target, from, length);
                }
            }
        } else if (wants && team.isMaster()) {
            team.copy(shown, result(chunk), target, from, length);
        } else if (wants) {
            team.await(Team.MASTER, Team.READY, (long) READY_STEPS * chunk.number());
            team.copy(team.shown(Team.MASTER, window(chunk)), result(chunk), target, from, length);
        }
    }
}
