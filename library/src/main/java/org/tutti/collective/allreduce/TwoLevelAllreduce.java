/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allreduce;

import org.tutti.collective.Call;
import org.tutti.collective.Chunk;
import org.tutti.collective.Team;
import org.tutti.collective.flow.Inflow;
import org.tutti.collective.machine.Area;
import org.tutti.collective.stage.NodeStage;

/**
 * Allreduce on two levels, round by round: the ranks of each node combine their elements in shared memory ({@link
 * NodeStage}), the masters exchange and combine the elements of their nodes, and every rank copies the result from its
 * master's window. Subclasses choose the masters' {@link Exchange}. A rank that is alone on its node works in the
 * caller's memory.
 */
abstract class TwoLevelAllreduce extends Allreduce {
    TwoLevelAllreduce(Description description) {
        super(description);
    }

    /**
     * Bounds the bytes of a round.
     *
     * @param team the ranks
     * @return the bytes, at most half of the greatest window
     */
    protected abstract long roundBytesMax(Team team);

    /**
     * Chooses the way in which masters combine the elements of their nodes.
     *
     * @param chunk the bytes of the first round, which is the longest
     * @return the exchange
     */
    abstract Exchange exchange(long chunk);

    /**
     * Bounds the shared memory of a node for an exchange over some edges.
     *
     * @param half the bytes of a round
     * @param edges the number of edges over which data come to a node
     * @param nodes the number of nodes
     * @param localRanks the number of ranks on the node
     * @param bytes the length of the message
     * @return the bytes
     */
    static long memoryBytes(long half, int edges, int nodes, int localRanks, long bytes) {
        return (localRanks == 1 ? 0 : windows(localRanks, bytes, Chunk.HALVES * half))
                + Inflow.memoryBytes(nodes, edges, bytes);
    }

    @Override
    public final void run(Team team, Call call) {
        if (team.nodes() == 1) {
            runOnOneNode(team, call);
            return;
        }
        Chunk chunk = chunks(team, call);
        Exchange masters = exchange(chunk.longest());
        if (team.isMaster()) {
            masters.open(team, call.kernel(), call.bytes(), chunk.longest(), chunk.count());
        }
        if (team.localSize() == 1) {
            runAlone(team, call, chunk, masters);
        } else {
            runTogether(team, call, chunk, masters);
        }
        team.noteAllAreHere(); // the result has a contribution of every rank
    }

    /**
     * Runs the call where all ranks, two or more, are on one node: as on several nodes, without the masters' part,
     * unless a subclass has a better way.
     *
     * @param team the ranks
     * @param call the call
     */
    protected void runOnOneNode(Team team, Call call) {
        runTogether(team, call, chunks(team, call), null);
    }

    private Chunk chunks(Team team, Call call) {
        return team.chunks(call.bytes(), call.kernel().wholeUnits(roundBytesMax(team)), Chunk.HALVES);
    }

    private static void runAlone(Team team, Call call, Chunk chunk, Exchange masters) {
        while (chunk.next()) {
            masters.exchange(team, call.kernel(), call.source(), call.target(), chunk.from(), chunk.length());
        }
    }

    private static void runTogether(Team team, Call call, Chunk chunk, Exchange masters) {
        Area target = call.target();
        Area shown = team.show(chunk.window());
        while (chunk.next()) {
            NodeStage.combine(team, call, shown, chunk);
            if (team.isMaster()) {
                if (masters != null) {
                    masters.exchange(team, call.kernel(), shown, shown, chunk.offset(), chunk.length());
                }
                NodeStage.announce(team, chunk.number());
            }
            Area result = NodeStage.awaitResult(team, chunk.window(), chunk.number());
            team.copy(result, chunk.offset(), target, chunk.from(), chunk.length());
        }
    }
}
