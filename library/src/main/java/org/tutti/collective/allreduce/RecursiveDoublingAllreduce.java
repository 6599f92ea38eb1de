/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allreduce;

import org.tutti.collective.Area;
import org.tutti.collective.Cost;
import org.tutti.collective.Flow;
import org.tutti.collective.NodeStage;
import org.tutti.collective.NodeTree;
import org.tutti.collective.Team;
import org.tutti.collective.kernel.Kernel;
import org.tutti.pattern.Folding;

/**
 * Allreduce by recursive doubling between the masters: in round j they exchange what they have in pairs at distance
 * 2<sup>j</sup>, and both combine it, the lower one's on the left, so that all get the same bits. When the nodes are no
 * power of two, some hand what they have to their neighbour first, and get the result at the end ({@link Folding}).
 *
 * <pre>
 *  4 nodes:   0 ↔ 1   2 ↔ 3       0 and 1 have 0∘1, 2 and 3 have 2∘3
 *             0 ↔ 2   1 ↔ 3       all have (0∘1)∘(2∘3)
 * </pre>
 *
 * <p>A round is a piece of each flow ({@link Partners}), in one of two places in turn.
 */
public final class RecursiveDoublingAllreduce extends TwoLevelAllreduce implements Exchange {
    private static final int LANDINGS = 0; // no shares of an inbox

    /** The only object that is needed. */
    public RecursiveDoublingAllreduce() {
        super(new Description("recursive-doubling", Order.BLOCKS, "c·(⌊log₂ n⌋ + 3), 2·c more if n is no power of two",
                "2·b·(p−1)/p + b",
                "⌊log₂ n⌋·b, 2·b more if n is no power of two", "2 × 32 KiB, and as much an edge",
                "Thakur, Rabenseifner, Gropp 2005, section 4.5"));
    }

    @Override
    public Cost cost(int nodes, int localRanks, long bytes) {
        double rounds = rounds(nodes);
        return NodeStage.cost(localRanks, bytes, Flow.PIECE_BYTES, rounds, rounds * bytes,
                (double) combines(nodes) * bytes, aloneBytes(nodes, bytes));
    }

    @Override
    public long memoryBytes(int nodes, int localRanks, long bytes) {
        return memoryBytes(Flow.PIECE_BYTES, Partners.edges(nodes), nodes, localRanks, bytes);
    }

    @Override
    protected long roundBytesMax(Team team) {
        return Math.min(Flow.PIECE_BYTES, team.windowBytesMax() / NodeStage.HALVES);
    }

    @Override
    Exchange exchange(long chunk) {
        return this;
    }

    /** Exchanges in a row: one for each bit of a position, two more when some nodes are folded. */
    static int rounds(int nodes) {
        return Partners.count(nodes) + 2 * Partners.folds(nodes);
    }

    /** What is copied on a node of one rank: the result at one that is folded. */
    static long aloneBytes(int nodes, long bytes) {
        return Partners.folds(nodes) * bytes;
    }

    /** How often a node combines: the last round of those that are folded copies only. */
    static int combines(int nodes) {
        return rounds(nodes) - Partners.folds(nodes);
    }

    @Override
    public void open(Team team, Kernel kernel, long bytes, long chunk, int rounds) {
        Partners.openFolds(team, kernel, LANDINGS, rounds, chunk);
        if (!Folding.isFolded(team.node(), team.nodes())) {
            for (int bit = 0; bit < Partners.count(team.nodes()); bit++) {
                Partners.open(team, kernel, bit, LANDINGS, rounds, chunk);
            }
        }
    }

    @Override
    public void exchange(Team team, Kernel kernel, Area own, Area work, long at, long length) {
        if (Partners.isHandedOver(team, kernel, own, work, at, length)) {
            return;
        }
        Area accumulated = Partners.takeOver(team, kernel, own, work, at, length);
        for (int bit = 0; bit < Partners.count(team.nodes()); bit++) {
            team.outflow(NodeTree.edge(bit)).sendAll(accumulated, at, length);
            team.inflow(NodeTree.edge(bit)).receiveAll(kernel, accumulated, at, work, at, length);
            accumulated = work;
        }
        Partners.handBack(team, work, at, length);
    }
}
