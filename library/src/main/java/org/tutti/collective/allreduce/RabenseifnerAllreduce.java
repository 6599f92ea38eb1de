/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allreduce;

import org.tutti.collective.Algorithm;
import org.tutti.collective.Chunk;
import org.tutti.collective.Team;
import org.tutti.collective.flow.Flow;
import org.tutti.collective.flow.Inflow;
import org.tutti.collective.flow.Outflow;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.layout.CallShape;
import org.tutti.collective.machine.Area;
import org.tutti.collective.machine.Machine;
import org.tutti.pattern.Folding;
import org.tutti.pattern.Partition;

/**
 * An allreduce that uses Rabenseifner's algorithm between the masters, the first ranks of the nodes (Rabenseifner 2004,
 * section 4). The algorithm is a reduce-scatter by recursive halving, and then an allgather by recursive doubling. In
 * step j of the reduce-scatter, masters at distance 2<sup>j</sup> exchange halves of the range that both still combine.
 * The lower master keeps the first half, the upper master the second half. The allgather exchanges the results in the
 * reverse order of these steps. For b bytes and n nodes, 2·b·(n − 1)/n bytes leave a node.
 *
 * <pre>
 *  4 nodes, elements in quarters a b c d:
 *             0 ↔ 1   2 ↔ 3       0 and 2 keep ab, 1 and 3 keep cd
 *             0 ↔ 2   1 ↔ 3       0 keeps a, 2 keeps b, 1 keeps c, 3 keeps d: finished
 *             0 ↔ 2   1 ↔ 3       0 and 2 have ab, 1 and 3 have cd
 *             0 ↔ 1   2 ↔ 3       all have abcd
 * </pre>
 *
 * <p>The first exchanges are with the nearest nodes and have the longest ranges. A node therefore always combines the
 * elements of consecutive nodes, with the lower nodes as the left operand. Elements that arrive from a partner are
 * combined piece by piece ({@link Inflow}). If the number of nodes is not a power of two, some nodes send all elements
 * to their neighbour first and receive the result at the end ({@link Folding}).
 */
public final class RabenseifnerAllreduce extends TwoLevelAllreduce implements Exchange {
    /** The number of packets in a round. Halves and quarters of a round are then whole packets. */
    private static final long CHUNK_PACKETS = 4;

    /** The number of packets in a round if all ranks are alone on their nodes. */
    private static final long CHUNK_PACKETS_ALONE = 16;

    /** The length of a round in bytes, with packets of {@link Machine#PACKET_BYTES}. */
    public static final long CHUNK_BYTES = CHUNK_PACKETS * Machine.PACKET_BYTES;

    /**
     * The length of a round in bytes, with packets of {@link Machine#PACKET_BYTES}, if all ranks are alone on their
     * nodes.
     */
    public static final long CHUNK_BYTES_ALONE = CHUNK_PACKETS_ALONE * Machine.PACKET_BYTES;

    private static final RecursiveDoublingAllreduce DOUBLING = new RecursiveDoublingAllreduce();

    /** Creates the algorithm; one object serves all ranks. */
    public RabenseifnerAllreduce() {
        super(new Description("rabenseifner", Order.BLOCKS, "c·(2·⌈log₂ n⌉ + 3)", "2·b·(p−1)/p + b",
                "2·b·(n−1)/n, 2·b more at nodes that are folded",
                "2 × 240 KiB, 64 KiB an edge; > 64 KiB the inbox",
                "Rabenseifner 2004, section 4"));
    }

    @Override
    protected Algorithm runsAs(CallShape shape) {
        return shape.isOnOneNode() && shape.bytes() <= Flow.PIECE_BYTES ? DOUBLING : this;
    }

    @Override
    public long memoryBytes(int nodes, int localRanks, long bytes) {
        return memoryBytes(CHUNK_BYTES, Partners.edges(nodes), nodes, localRanks, bytes);
    }

    @Override
    protected long roundBytesMax(Team team) {
        return chunkBytes(team);
    }

    /**
     * Returns the length of a round in bytes. Rounds are longer if all ranks are alone on their nodes, because such
     * ranks need no windows, and fewer rounds are faster.
     */
    static long chunkBytes(Team team) {
        return team.ranksMax() == 1 ? CHUNK_PACKETS_ALONE * team.packetBytes()
                : Math.min(CHUNK_PACKETS * team.packetBytes(), team.windowBytesMax() / Chunk.HALVES);
    }

    @Override
    Exchange exchange(long chunk) {
        return this;
    }

    @Override
    public int shares(int nodes, long bytes) {
        return Flow.shares(bytes, Partners.edges(nodes));
    }

    @Override
    public void open(Team team, Kernel kernel, long bytes, long chunk, int rounds) {
        int nodes = team.nodes();
        int shares = shares(nodes, bytes);
        int positions = Folding.positions(nodes);
        Partners.openFolds(team, kernel, shares, rounds, chunk);
        if (!Partners.isFolded(team)) {
            for (int bit = 0; bit < Partners.steps(nodes); bit++) {
                long half = Partition.start(chunk, kernel.unitBytes(), positions,
                        positions >> (bit + 1)); // the first parts are the longest
                Partners.open(team, kernel, bit, shares, 2L * rounds, half);
            }
        }
    }

    @Override
    public void exchange(Team team, Kernel kernel, Area own, Area work, long at, long length) {
        if (!Partners.isHandedOver(team, kernel, own, work, at, length)) {
            halve(team, kernel, Partners.takeOver(team, kernel, own, work, at, length), work, at, length);
            Partners.handBack(team, work, at, length);
        }
    }

    private static void halve(Team team, Kernel kernel, Area own, Area work, long at, long length) {
        int nodes = team.nodes();
        int position = Partners.position(team);
        int parts = Folding.positions(nodes);
        int last = Partners.steps(nodes) - 1;
        int first = 0; // the first part of the range that this node still combines
        for (int bit = 0; bit <= last; bit++) {
            int half = parts >> (bit + 1);
            boolean upper = (position >> bit & 1) == 1;
            int kept = upper ? first + half : first;
            int given = upper ? first : first + half;
            Area mine = bit == 0 ? own : work;
            long from = start(team, kernel, length, given);
            long to = start(team, kernel, length, kept);
            Outflow out = team.outflow(Partners.edge(nodes, bit));
            Inflow in = team.inflow(Partners.edge(nodes, bit));
            out.begin(mine, at + from, start(team, kernel, length, given + half) - from);
            in.begin(mine, at + to, work, at + to, start(team, kernel, length, kept + half) - to);
            in.exchange(kernel, out, bit == last);
            first = bit == last ? first : kept;
        }
        for (int bit = last - 1; bit >= 0; bit--) {
            int half = parts >> (bit + 1);
            int theirs = (position >> bit & 1) == 1 ? first - half : first + half;
            long from = start(team, kernel, length, first);
            long to = start(team, kernel, length, theirs);
            Outflow out = team.outflow(Partners.edge(nodes, bit));
            Inflow in = team.inflow(Partners.edge(nodes, bit));
            out.begin(work, at + from, start(team, kernel, length, first + half) - from);
            in.begin(null, 0, work, at + to, start(team, kernel, length, theirs + half) - to);
            in.exchange(kernel, out, false);
            first = Math.min(first, theirs);
        }
    }

    /** Returns the offset of a part in a chunk of {@code length} bytes. */
    private static long start(Team team, Kernel kernel, long length, int part) {
        return Partition.start(length, kernel.unitBytes(), Folding.positions(team.nodes()), part);
    }
}
