/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allreduce;

import org.tutti.collective.Algorithm;
import org.tutti.collective.Call;
import org.tutti.collective.Chunk;
import org.tutti.collective.Team;
import org.tutti.collective.layout.CallShape;
import org.tutti.collective.machine.Area;
import org.tutti.collective.stage.RankOrder;

/**
 * An allreduce in one step, the baseline for other algorithms. Every rank shows its elements in its window, the memory
 * that the other ranks of its node read. Every rank combines the elements of all ranks in the order of the ranks, so
 * that all get the same bits. With p ranks and b bytes, a rank reads (p − 1)·b bytes of other ranks. No other algorithm
 * is faster for few ranks and few bytes.
 *
 * <p><b>Why nothing is overwritten.</b> Chunks of long messages go through two parts of a rank's window in turn. No
 * separate word tells that a part has been read, because the READY word implies it. A rank posts READY of chunk k after
 * it has read chunk k − 1 of every rank. A rank that has awaited READY of chunk k of every rank may therefore overwrite
 * its own chunk k − 1.
 *
 * <p>On several nodes the masters, the first ranks of the nodes, combine the elements of their nodes by {@link
 * RecursiveDoublingAllreduce}.
 */
public final class FlatAllreduce extends TwoLevelAllreduce {
    private static final RecursiveDoublingAllreduce DOUBLING = new RecursiveDoublingAllreduce();
    /** The length of a chunk on one node, in bytes. */
    public static final long CHUNK_BYTES = 256 << 10;

    /** Creates the algorithm; one object serves all ranks. */
    public FlatAllreduce() {
        super(new Description("flat", Order.BLOCKS, "c; n > 1: as recursive-doubling", "(p−1)·b",
                "as recursive-doubling", "min(b, 512 KiB); n > 1: as recursive-doubling", "Tutti: baseline"));
    }

    @Override
    protected Algorithm runsAs(CallShape shape) {
        return shape.isOnOneNode() ? this : DOUBLING;
    }

    @Override
    public long memoryBytes(int nodes, int localRanks, long bytes) {
        return nodes == 1 ? windows(localRanks, bytes, Chunk.HALVES * CHUNK_BYTES)
                : DOUBLING.memoryBytes(nodes, localRanks, bytes);
    }

    @Override
    protected long roundBytesMax(Team team) {
        return DOUBLING.roundBytesMax(team);
    }

    @Override
    Exchange exchange(long chunk) {
        return DOUBLING;
    }

    @Override
    protected void runOnOneNode(Team team, Call call) {
        Chunk chunk =
                team.chunks(call.bytes(), call.kernel().wholeUnits(team.windowBytesMax() / Chunk.HALVES), Chunk.HALVES);
        Area shown = team.show(chunk.window());
        while (chunk.next()) {
            team.copy(call.source(), chunk.from(), shown, chunk.offset(), chunk.length());
            team.post(Team.READY, chunk.number());
            team.awaitOthers(Team.READY, chunk.number());
            RankOrder.combineAll(team, call, shown, chunk);
        }
    }
}
