/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.allreduce;

import org.tutti.collective.Algorithm;
import org.tutti.collective.Team;
import org.tutti.collective.flow.Flow;
import org.tutti.collective.flow.Inflow;
import org.tutti.collective.flow.Outflow;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.layout.CallShape;
import org.tutti.collective.machine.Area;
import org.tutti.collective.stage.NodeTree;
import org.tutti.pattern.Partition;

/**
 * An allreduce in which the masters, the first ranks of the nodes, form a ring (Patarasuk and Yuan 2009, section 3).
 * The elements are divided into one segment for each of the n nodes. In each of n − 1 steps a node sends a segment to
 * the next node, and combines the segment that it receives with its own. Then node i has the complete segment i + 1. In
 * n − 1 more steps the complete segments are sent around the ring.
 *
 * <pre>
 *  3 nodes:  step 1   0 –seg 0→ 1 –seg 1→ 2 –seg 2→ 0       each combines what it gets
 *            step 2   0 –seg 2→ 1 –seg 0→ 2 –seg 1→ 0       0 has all of segment 1, 1 of 2, 2 of 0
 *            step 3   0 –seg 1→ 1 –seg 2→ 2 –seg 0→ 0       each copies what it gets
 *            step 4   0 –seg 0→ 1 –seg 1→ 2 –seg 2→ 0
 * </pre>
 *
 * <p>For b bytes, each node sends and receives 2·b·(n − 1)/n bytes, which is the least possible. Different segments are
 * combined in different orders of the nodes, so operators must be commutative.
 */
public final class RingAllreduce extends TwoLevelAllreduce implements Exchange {
    private static final long CHUNK_BYTES = RabenseifnerAllreduce.CHUNK_BYTES;
    private static final RabenseifnerAllreduce HALVING = new RabenseifnerAllreduce();
    private static final int EDGE_FROM_PREVIOUS = NodeTree.PARENT;
    private static final int EDGE_FROM_NEXT = NodeTree.PARENT + 1;

    /** Creates the algorithm; one object serves all ranks. */
    public RingAllreduce() {
        super(new Description("ring", Order.ONE_NODE, "c·(2·(n−1) + 3)", "2·b·(p−1)/p + b", "2·b·(n−1)/n",
                "2 × 240 KiB, 64 KiB an edge; > 64 KiB the inbox", "Patarasuk and Yuan 2009, section 3"));
    }

    @Override
    protected Algorithm runsAs(CallShape shape) {
        return shape.isOnOneNode() ? HALVING : this;
    }

    @Override
    public long memoryBytes(int nodes, int localRanks, long bytes) {
        return memoryBytes(CHUNK_BYTES, 1, nodes, localRanks, bytes);
    }

    @Override
    protected long roundBytesMax(Team team) {
        return RabenseifnerAllreduce.chunkBytes(team);
    }

    @Override
    Exchange exchange(long chunk) {
        return this;
    }

    @Override
    public int shares(int nodes, long bytes) {
        return Flow.shares(bytes, 1);
    }

    @Override
    public void open(Team team, Kernel kernel, long bytes, long chunk, int rounds) {
        int nodes = team.nodes();
        int shares = shares(nodes, bytes);
        long part = Partition.start(chunk, kernel.unitBytes(), nodes, 1); // part 0 is the longest
        team.inflow(EDGE_FROM_PREVIOUS).openTransfers(kernel, Math.floorMod(team.node() - 1, nodes), EDGE_FROM_NEXT, 0,
                shares, 2L * rounds * (nodes - 1), part);
        team.outflow(EDGE_FROM_NEXT).openTransfers(kernel, (team.node() + 1) % nodes, EDGE_FROM_PREVIOUS, shares);
    }

    @Override
    public void exchange(Team team, Kernel kernel, Area own, Area work, long at, long length) {
        int nodes = team.nodes();
        long unit = kernel.unitBytes();
        Inflow in = team.inflow(EDGE_FROM_PREVIOUS);
        Outflow out = team.outflow(EDGE_FROM_NEXT);
        for (int step = 0; step < 2 * (nodes - 1); step++) {
            int sent = Math.floorMod(team.node() - step, nodes);
            int received = Math.floorMod(team.node() - step - 1, nodes);
            long from = Partition.start(length, unit, nodes, sent);
            long to = Partition.start(length, unit, nodes, received);
            out.begin(step == 0 ? own : work, at + from, Partition.start(length, unit, nodes, sent + 1) - from);
            in.begin(step < nodes - 1 ? own : null, at + to, work, at + to,
                    Partition.start(length, unit, nodes, received + 1) - to);
            in.exchange(kernel, out, false);
        }
    }
}
