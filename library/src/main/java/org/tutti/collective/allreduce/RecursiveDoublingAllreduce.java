/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allreduce;

import org.tutti.collective.Chunk;
import org.tutti.collective.Team;
import org.tutti.collective.flow.Flow;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.machine.Area;
import org.tutti.pattern.Folding;

/**
 * An allreduce by recursive doubling between the masters, the first ranks of the nodes (Thakur, Rabenseifner and Gropp
 * 2005, section 4.5). In step j each node exchanges all its elements with one other node. The numbers of the two nodes
 * differ in bit j only. Both nodes combine the two operands in the same order, so that all nodes get the same bits. If
 * the number of nodes is not a power of two, some nodes send their elements to the next node first, and receive the
 * result at the end ({@link Folding}).
 *
 * <pre>
 *  4 nodes:    0 ↔ 1   2 ↔ 3       0 and 1 have 0∘1, 2 and 3 have 2∘3
 *              0 ↔ 2   1 ↔ 3       all have (0∘1)∘(2∘3)
 * </pre>
 *
 * <p>For b bytes and n nodes there are ⌊log₂ n⌋ steps, in each of which a node sends b bytes.
 *
 * <p><b>Why nothing is overwritten, and why it ends.</b> In a round each flow, a stream between two masters, carries
 * one piece ({@link Partners}). The piece arrives in one of two places, buffers that are used in turn, and is combined
 * from there. A master that has the result of a round knows that all masters have read the pieces of the round before.
 * In a step a master sends before it waits. It waits only for messages of that step, and their senders wait only for
 * messages of earlier steps.
 */
public final class RecursiveDoublingAllreduce extends TwoLevelAllreduce implements Exchange {
    private static final int EAGER_BUFFERS = 0; // no shares of an inbox

    /** Creates the algorithm; one object serves all ranks. */
    public RecursiveDoublingAllreduce() {
        super(new Description("recursive-doubling", Order.BLOCKS, "c·(⌊log₂ n⌋ + 3), 2·c more if n is no power of two",
                "2·b·(p−1)/p + b", "⌊log₂ n⌋·b, 2·b more if n is no power of two", "2 × 32 KiB, and as much an edge",
                "Thakur, Rabenseifner, Gropp 2005, section 4.5"));
    }

    @Override
    public long memoryBytes(int nodes, int localRanks, long bytes) {
        return memoryBytes(Flow.PIECE_BYTES, Partners.edges(nodes), nodes, localRanks, bytes);
    }

    @Override
    protected long roundBytesMax(Team team) {
        return Math.min(Flow.PIECE_BYTES, team.windowBytesMax() / Chunk.HALVES);
    }

    @Override
    Exchange exchange(long chunk) {
        return this;
    }

    @Override
    public int shares(int nodes, long bytes) {
        return EAGER_BUFFERS;
    }

    @Override
    public void open(Team team, Kernel kernel, long bytes, long chunk, int rounds) {
        Partners.openFolds(team, kernel, EAGER_BUFFERS, rounds, chunk);
        if (!Partners.isFolded(team)) {
            int steps = Partners.steps(team.nodes());
            for (int step = 0; step < steps; step++) {
                Partners.open(team, kernel, step, EAGER_BUFFERS, rounds, chunk);
            }
        }
    }

    @Override
    public void exchange(Team team, Kernel kernel, Area own, Area work, long at, long length) {
        if (Partners.isHandedOver(team, kernel, own, work, at, length)) {
            return;
        }
        int steps = Partners.steps(team.nodes());
        Area accumulated = Partners.takeOver(team, kernel, own, work, at, length);
        for (int step = 0; step < steps; step++) {
            int edge = Partners.edge(team.nodes(), step);
            team.outflow(edge).send(accumulated, at, length);
            Area theirs = team.inflow(edge).await();
            if (Partners.isUpper(team, step)) {
                team.combine(kernel, theirs, 0, accumulated, at, work, at, length);
            } else {
                team.combine(kernel, accumulated, at, theirs, 0, work, at, length);
            }
            team.inflow(edge).release();
            accumulated = work;
        }
        Partners.handBack(team, work, at, length);
    }
}
