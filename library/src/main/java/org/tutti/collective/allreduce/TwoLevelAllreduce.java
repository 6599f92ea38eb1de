/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allreduce;

import org.tutti.collective.Call;
import org.tutti.collective.Chunk;
import org.tutti.collective.Team;
import org.tutti.collective.flow.Inflow;
import org.tutti.collective.machine.Area;
import org.tutti.collective.stage.NodeStage;

/**
 * An allreduce on two levels, inside the nodes and between them. In each round the ranks of each node combine their
 * elements in shared memory ({@link NodeStage}). The masters, the first ranks of their nodes, exchange and combine the
 * results of their nodes. Then every rank copies the final result from its master's window, the memory that the master
 * shows to its node. A subclass chooses the {@link Exchange}, the algorithm between the masters. A rank that is alone
 * on its node combines in the caller's memory and needs no window.
 */
abstract class TwoLevelAllreduce extends Allreduce {
    TwoLevelAllreduce(Description description) {
        super(description);
    }

    /**
     * Returns the greatest length of a round. A longer message is processed in several rounds.
     *
     * @param team the team of the calling rank
     * @return the length in bytes, at most half of the longest window
     */
    protected abstract long roundBytesMax(Team team);

    /**
     * Returns the algorithm with which the masters, the first ranks of the nodes, combine the elements of their nodes.
     *
     * @param chunk the length in bytes of the first round, which is the longest
     * @return the algorithm
     */
    abstract Exchange exchange(long chunk);

    /**
     * Returns an upper bound on the shared memory that a node needs for the windows of its ranks, and for the elements
     * that arrive from other nodes.
     *
     * @param half the greatest length of a round in bytes
     * @param edges the number of edges over which data arrive at a node
     * @param nodes the number of nodes
     * @param localRanks the number of ranks on the node
     * @param bytes the length of the message in bytes
     * @return the bound in bytes
     */
    static long memoryBytes(long half, int edges, int nodes, int localRanks, long bytes) {
        return (localRanks == 1 ? 0 : windows(localRanks, bytes, Chunk.HALVES * half))
                + Inflow.memoryBytes(nodes, edges, bytes);
    }

    @Override
    protected final boolean usesEagerBuffers(Team team, Call call) {
        return super.usesEagerBuffers(team, call)
                && exchange(chunks(team, call).longest()).shares(team.nodes(), call.bytes()) == 0;
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
     * Runs the call if all ranks are on one node. By default the ranks take the same steps as on several nodes, without
     * the exchange between masters. A subclass may override this method with a faster algorithm.
     *
     * @param team the team of the calling rank, on a node of two or more ranks
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
