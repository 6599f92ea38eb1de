/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allreduce;

import org.tutti.collective.Area;
import org.tutti.collective.Counts;
import org.tutti.collective.NodeStage;
import org.tutti.collective.NodeTree;
import org.tutti.collective.Pieces;
import org.tutti.collective.Team;
import org.tutti.collective.kernel.Kernel;
import org.tutti.pattern.Folding;
import org.tutti.pattern.Partition;

/**
 * Rabenseifner's allreduce between the masters: reduce-scatter by recursive halving, then allgather by recursive
 * doubling. In round j masters at distance 2<sup>j</sup> exchange halves of what they still work on: the lower one
 * keeps the first half, the upper one the second. Then the way back, with whole results.
 *
 * <pre>
 *  4 nodes, elements in quarters a b c d:
 *             0 ↔ 1   2 ↔ 3       0 and 2 keep ab, 1 and 3 keep cd
 *             0 ↔ 2   1 ↔ 3       0 keeps a, 2 keeps b, 1 keeps c, 3 keeps d: finished
 *             0 ↔ 2   1 ↔ 3       0 and 2 have ab, 1 and 3 have cd
 *             0 ↔ 1   2 ↔ 3       all have abcd
 * </pre>
 *
 * <p>As the distances grow while the halves shrink, the nodes whose elements are combined follow each other, the lower
 * ones on the left. When the nodes are no power of two, some hand everything to their neighbour first and get the
 * result at the end ({@link Folding}).
 */
public final class RabenseifnerAllreduce extends TwoLevelAllreduce {
    private static final long CHUNK_BYTES = 256 << 10;

    /** The only object that is needed. */
    public RabenseifnerAllreduce() {
        super(new Description("rabenseifner", Order.BLOCKS, "c·(2·⌈log₂ n⌉ + 3)", "2·b·(p−1)/p + b",
                "2·b·(n−1)/n, 2·b more at nodes that are folded", "2 × 256 KiB, 2 × 32 KiB an edge",
                "Rabenseifner 2004, section 4"));
    }

    @Override
    public Counts counts(int nodes, int localRanks, long bytes) {
        int positions = Folding.positions(nodes);
        int doublings = Integer.numberOfTrailingZeros(positions);
        int folds = positions == nodes ? 0 : 2;
        double shared = (double) bytes * (positions - 1) / positions;
        return NodeStage.counts(localRanks, bytes, CHUNK_BYTES, 2.0 * doublings + folds,
                2 * shared + (double) folds * bytes, shared + (folds > 0 ? bytes : 0));
    }

    @Override
    public long memoryBytes(int nodes, int localRanks, long bytes) {
        return memoryBytes(CHUNK_BYTES, RecursiveDoublingAllreduce.edges(nodes), nodes, localRanks, bytes);
    }

    @Override
    protected long roundBytesMax(Team team) {
        return Math.min(CHUNK_BYTES, team.windowBytesMax() / NodeStage.HALVES);
    }

    @Override
    protected void exchange(Team team, Kernel kernel, Area work, long at, long length, long chunk, int round) {
        exchangeAll(team, kernel, work, at, length, chunk, round);
    }

    /** One round, for algorithms that begin or end in another way. */
    static void exchangeAll(Team team, Kernel kernel, Area work, long at, long length, long chunk, int round) {
        int node = team.node();
        int nodes = team.nodes();
        int whole = Pieces.count(chunk, kernel);
        long number = (long) (round - 1) * whole + 1;
        if (Folding.isFolded(node, nodes)) {
            sendAll(team, kernel, node + 1, number, whole, work, at, length);
            receiveAll(team, kernel, false, node + 1, number, whole, work, at, length);
            return;
        }
        if (Folding.standsForTwo(node, nodes)) {
            receiveAll(team, kernel, true, node - 1, number, whole, work, at, length);
        }
        halve(team, kernel, work, at, length, chunk, round);
        if (Folding.standsForTwo(node, nodes)) {
            sendAll(team, kernel, node - 1, number, whole, work, at, length);
        }
    }

    private static void halve(Team team, Kernel kernel, Area work, long at, long length, long chunk, int round) {
        int nodes = team.nodes();
        int position = Folding.position(team.node(), nodes);
        int parts = Folding.positions(nodes);
        int doublings = Integer.numberOfTrailingZeros(parts);
        int first = 0; // of the parts that this node still works on
        for (int bit = 0; bit < doublings; bit++) {
            int half = parts >> (bit + 1);
            boolean upper = (position >> bit & 1) == 1;
            int kept = upper ? first + half : first;
            int given = upper ? first : first + half;
            swap(team, kernel, true, position, bit, given, kept, half, work, at, length, chunk, round);
            first = kept;
        }
        for (int bit = doublings - 1; bit >= 0; bit--) {
            int half = parts >> (bit + 1);
            int theirs = (position >> bit & 1) == 1 ? first - half : first + half;
            swap(team, kernel, false, position, bit, first, theirs, half, work, at, length, chunk, round);
            first = Math.min(first, theirs);
        }
    }

    /** Exchanges so many parts with the node at a distance of 2 to the bit: some are sent, others received. */
    private static void swap(Team team, Kernel kernel, boolean combines, int position, int bit, int sentPart,
            int receivedPart, int count, Area work, long at, long length, long chunk, int round) {
        int parts = Folding.positions(team.nodes());
        int partner = Folding.index(position ^ 1 << bit, team.nodes());
        int edge = NodeTree.edge(bit);
        long unit = kernel.unitBytes();
        int pieces = Pieces.count(Partition.start(chunk, unit, parts, count), kernel); // the first ones are the longest
        long number = ((round - 1) * 2L + (combines ? 0 : 1)) * pieces + 1;
        long from = Partition.start(length, unit, parts, sentPart);
        long fromEnd = Partition.start(length, unit, parts, sentPart + count);
        long to = Partition.start(length, unit, parts, receivedPart);
        long toEnd = Partition.start(length, unit, parts, receivedPart + count);
        for (int piece = 0; piece < pieces; piece++) {
            Pieces.send(team, kernel, partner, edge, edge, number, piece, work, at + from, fromEnd - from);
            Pieces.receive(team, kernel, combines, partner, edge, edge, number, piece, work, at + to, toEnd - to);
        }
    }

    private static void sendAll(Team team, Kernel kernel, int toNode, long number, int pieces, Area work, long at,
            long length) {
        for (int piece = 0; piece < pieces; piece++) {
            Pieces.send(team, kernel, toNode, NodeTree.PARENT, NodeTree.PARENT, number, piece, work, at, length);
        }
    }

    private static void receiveAll(Team team, Kernel kernel, boolean combines, int fromNode, long number, int pieces,
            Area work, long at, long length) {
        for (int piece = 0; piece < pieces; piece++) {
            Pieces.receive(team, kernel, combines, fromNode, NodeTree.PARENT, NodeTree.PARENT, number, piece, work, at,
                    length);
        }
    }
}
