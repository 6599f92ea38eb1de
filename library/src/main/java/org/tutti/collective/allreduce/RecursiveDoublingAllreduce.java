/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allreduce;

import org.tutti.collective.Area;
import org.tutti.collective.Counts;
import org.tutti.collective.NodeStage;
import org.tutti.collective.NodeTree;
import org.tutti.collective.RingLayout;
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
 * <p>A landing place has a half for every second chunk. A node puts chunk k + 2 into it after it has received something
 * of chunk k + 1 over the same edge, which the other node has sent after it had combined chunk k: so no credits.
 */
public final class RecursiveDoublingAllreduce extends TwoLevelAllreduce {
    /** Half a landing place. */
    static final long HALF_BYTES = RingLayout.LANDING_BYTES / 2;

    private static final int HALVES = 2;

    /** The only object that is needed. */
    public RecursiveDoublingAllreduce() {
        super(new Description("recursive-doubling", Order.BLOCKS, "c·(⌊log₂ n⌋ + 3), 2·c more if n is no power of two",
                "2·b·(p−1)/p + b",
                "⌊log₂ n⌋·b, 2·b more if n is no power of two", "2 × 32 KiB, and as much an edge",
                "Thakur, Rabenseifner, Gropp 2005, section 4.5"));
    }

    @Override
    public Counts counts(int nodes, int localRanks, long bytes) {
        double rounds = rounds(nodes);
        return NodeStage.counts(localRanks, bytes, HALF_BYTES, rounds, rounds * bytes,
                (double) combines(nodes) * bytes, aloneBytes(nodes, bytes));
    }

    @Override
    public long memoryBytes(int nodes, int localRanks, long bytes) {
        return memoryBytes(HALF_BYTES, edges(nodes), nodes, localRanks, bytes);
    }

    @Override
    protected long roundBytesMax(Team team) {
        return Math.min(HALF_BYTES, team.windowBytesMax() / HALVES);
    }

    @Override
    protected void exchange(Team team, Kernel kernel, Area own, Area work, long at, long length, long chunk,
            int round) {
        exchange(team, kernel, own, work, at, length, round);
    }

    /** Exchanges in a row: one for each bit of a position, two more when some nodes are folded. */
    static int rounds(int nodes) {
        int positions = Folding.positions(nodes);
        return Integer.numberOfTrailingZeros(positions) + (positions == nodes ? 0 : 2);
    }

    /** Over how many edges data come to a node: one for each bit of a position, and that of a folded node. */
    static int edges(int nodes) {
        return Integer.numberOfTrailingZeros(Folding.positions(nodes)) + 1;
    }

    /** What is copied on a node of one rank: the result at one that is folded. */
    static long aloneBytes(int nodes, long bytes) {
        return Folding.positions(nodes) == nodes ? 0 : bytes;
    }

    /** How often a node combines: the last round of those that are folded copies only. */
    static int combines(int nodes) {
        return Folding.positions(nodes) == nodes ? rounds(nodes) : rounds(nodes) - 1;
    }

    /** One chunk of at most half a landing place, for algorithms that begin or end in another way. */
    static void exchange(Team team, Kernel kernel, Area own, Area work, long at, long length, int chunk) {
        int node = team.node();
        int nodes = team.nodes();
        long landing = (chunk - 1) % HALVES * HALF_BYTES;
        if (Folding.isFolded(node, nodes)) {
            team.put(node + 1, NodeTree.PARENT, chunk, own, at, landing, length);
            team.awaitArrival(NodeTree.PARENT, chunk, node + 1);
            team.copy(team.landing(NodeTree.PARENT), landing, work, at, length);
            return;
        }
        Area accumulated = own;
        if (Folding.standsForTwo(node, nodes)) {
            team.awaitArrival(NodeTree.PARENT, chunk, node - 1);
            team.combine(kernel, team.landing(NodeTree.PARENT), landing, own, at, work, at, length);
            accumulated = work;
        }
        int position = Folding.position(node, nodes);
        int round = 0;
        for (int distance = 1; distance < Folding.positions(nodes); distance <<= 1) {
            int edge = NodeTree.edge(round++);
            int partner = Folding.index(position ^ distance, nodes);
            team.put(partner, edge, chunk, accumulated, at, landing, length);
            team.awaitArrival(edge, chunk, partner);
            Area theirs = team.landing(edge);
            if (partner < node) {
                team.combine(kernel, theirs, landing, accumulated, at, work, at, length);
            } else {
                team.combine(kernel, accumulated, at, theirs, landing, work, at, length);
            }
            accumulated = work;
        }
        if (Folding.standsForTwo(node, nodes)) {
            team.put(node - 1, NodeTree.PARENT, chunk, work, at, landing, length);
        }
    }
}
