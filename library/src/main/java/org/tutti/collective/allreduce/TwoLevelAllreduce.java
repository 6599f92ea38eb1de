/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allreduce;

import org.tutti.collective.Area;
import org.tutti.collective.Call;
import org.tutti.collective.Inflow;
import org.tutti.collective.NodeStage;
import org.tutti.collective.Team;
import org.tutti.collective.kernel.Kernel;
import org.tutti.pattern.Partition;

/**
 * Allreduce on two levels, a round after the other: the ranks of each node combine what they have in shared memory
 * ({@link NodeStage}), the masters exchange and combine what their nodes have, and everybody copies the result from
 * its master's window. Subclasses say how the masters do it, by an {@link Exchange}. A rank that is alone on its node
 * works in the caller's memory.
 */
abstract class TwoLevelAllreduce extends Allreduce {
    TwoLevelAllreduce(Description description) {
        super(description);
    }

    /**
     * How many bytes a round has at most.
     *
     * @param team the ranks
     * @return the bytes, at most half of the greatest window
     */
    protected abstract long roundBytesMax(Team team);

    /**
     * Says how the masters combine what their nodes have.
     *
     * @param chunk the bytes of the first round, which no other one exceeds
     * @return that
     */
    abstract Exchange exchange(long chunk);

    /**
     * Bounds the shared memory of a node whose exchange uses some edges.
     *
     * @param half the bytes of a round
     * @param edges over how many edges data come to a node
     * @param nodes how many nodes there are
     * @param localRanks how many ranks the node has
     * @param bytes the length of the message
     * @return the bytes
     */
    static long memoryBytes(long half, int edges, int nodes, int localRanks, long bytes) {
        return (localRanks == 1 ? 0 : windows(localRanks, bytes, NodeStage.HALVES * half))
                + Inflow.memoryBytes(nodes, edges, bytes);
    }

    @Override
    public final void run(Team team, Call call) {
        if (team.nodes() == 1) {
            runOnOneNode(team, call);
            return;
        }
        long chunk = call.kernel().wholeUnits(roundBytesMax(team));
        int rounds = Partition.chunks(call.bytes(), chunk);
        Exchange masters = exchange(Math.min(chunk, call.bytes()));
        if (team.isMaster()) {
            masters.open(team, call.kernel(), call.bytes(), Math.min(chunk, call.bytes()), rounds);
        }
        if (team.localSize() == 1) {
            runAlone(team, call, chunk, rounds, masters);
        } else {
            runTogether(team, call, chunk, rounds, masters);
        }
        team.noteAllAreHere(); // the result has something of everybody
    }

    /**
     * What is done when all ranks, two or more, are on one node: the same without the masters' part, unless a subclass
     * has something better.
     *
     * @param team the ranks
     * @param call what is called
     */
    protected void runOnOneNode(Team team, Call call) {
        long chunk = call.kernel().wholeUnits(roundBytesMax(team));
        runTogether(team, call, chunk, Partition.chunks(call.bytes(), chunk), null);
    }

    private static void runAlone(Team team, Call call, long chunk, int rounds, Exchange masters) {
        long bytes = call.bytes();
        for (int round = 1; round <= rounds; round++) {
            long from = (round - 1) * chunk;
            masters.exchange(team, call.kernel(), call.source(), call.target(), from, Math.min(chunk, bytes - from));
        }
    }

    private static void runTogether(Team team, Call call, long chunk, int rounds, Exchange masters) {
        Area target = call.target();
        Kernel kernel = call.kernel();
        long bytes = call.bytes();
        long window = Math.min(bytes, NodeStage.HALVES * chunk);
        Area shown = team.show(window);
        for (int round = 1; round <= rounds; round++) {
            long from = (round - 1) * chunk;
            long length = Math.min(chunk, bytes - from);
            long place = (round - 1) % NodeStage.HALVES * chunk;
            NodeStage.combine(team, kernel, call.source(), from, shown, window, place, length, round);
            if (!team.isMaster()) {
                team.copy(NodeStage.awaitResult(team, window, round), place, target, from, length);
                continue;
            }
            if (masters != null) {
                masters.exchange(team, kernel, shown, shown, place, length);
            }
            NodeStage.announce(team, round);
            team.copy(shown, place, target, from, length);
        }
    }
}
