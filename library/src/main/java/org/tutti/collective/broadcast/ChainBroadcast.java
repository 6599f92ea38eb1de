/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.broadcast;

import org.tutti.collective.Algorithm;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.layout.CallShape;
import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.machine.Machine;
import org.tutti.pattern.ChainTree;

/**
 * A broadcast along a pipelined chain of nodes (van de Geijn and Watts 1997, SUMMA, section 4). The chain begins at the
 * root's node, and each node passes every chunk on to the next node. On n nodes, a message that is cut into c chunks
 * takes the time of n − 2 + c chunks, because no node sends a byte more than once. A broadcast over a binomial tree
 * takes the time of the whole message for each child of the root.
 *
 * <pre>
 *  4 nodes, root on node 2, chunks 1 2 3:
 *    2 → 3    1 2 3
 *    3 → 0      1 2 3
 *    0 → 1        1 2 3
 * </pre>
 *
 * <p>Chunks arrive in an eager buffer, memory of the receiving node that needs no invitation, with at most {@value
 * #SHORT_PARTS} chunks in transit. Messages longer than 256 KiB are sent as in {@link SrmBroadcast}, straight to the
 * memory in which ranks need them or can read them. Their first chunk is longer, but its time matters less for a long
 * message. On one node the algorithm takes the same steps as {@link SlotRingBroadcast}, with shorter windows.
 */
public final class ChainBroadcast extends Broadcast {
    private static final long SHORT_BYTES_MAX = 256 << 10;
    private static final int SHORT_PARTS = 8;
    private static final int LONG_PARTS = 2;

    private static final SlotRingBroadcast SLOT_RING = new SlotRingBroadcast();

    private final TreePipeline pipeline = new TreePipeline(ChainTree.INSTANCE);

    /** Creates the algorithm; one object serves all ranks. */
    public ChainBroadcast() {
        super(new Description("chain", Order.ALWAYS, "n − 1 + c, above 256 KiB 1 more", "b, b twice at the root", "b",
                "64 KiB at the root, 64 KiB an edge; n > 1, > 256 KiB: 8 × 60 KiB",
                "van de Geijn and Watts, SUMMA (1997), section 4; eager buffers of SRM 2003"));
    }

    @Override
    protected Algorithm runsAs(CallShape shape) {
        if (shape.nodes() > 2) {
            return this;
        }
        long window = Math.min(RingLayout.EAGER_BUFFER_BYTES, shape.windowBytesMax());
        return shape.bytes() <= window / SHORT_PARTS ? SLOT_RING
                : isStraight(shape.nodes(), shape.bytes()) ? SrmBroadcast.BINOMIAL : this;
    }

    @Override
    public long memoryBytes(int nodes, int localRanks, long bytes) {
        return isStraight(nodes, bytes)
                ? windows(1, bytes, TreePipeline.windowBytes(nodes, Machine.PACKET_BYTES))
                : windows(leaders(localRanks), bytes, RingLayout.EAGER_BUFFER_BYTES) + eagerBuffers(nodes, 1, bytes);
    }

    @Override
    protected boolean usesEagerBuffers(Team team, Call call) {
        return super.usesEagerBuffers(team, call) && !isStraight(team.nodes(), call.bytes());
    }

    @Override
    public void run(Team team, Call call) {
        long bytes = call.bytes();
        if (isStraight(team.nodes(), bytes)) {
            pipeline.straight(team, call, team.packetBytes());
        } else {
            int parts = parts(bytes);
            long window = Math.min(RingLayout.EAGER_BUFFER_BYTES, team.windowBytesMax());
            pipeline.throughEagerBuffers(team, call, window / parts, parts, Integer.MAX_VALUE);
        }
    }

    /**
     * Returns whether a message is sent in packets straight to the memory in which ranks need it or can read it.
     * Shorter messages go through eager buffers, memory that a node reserves for arriving data.
     *
     * @param nodes the number of nodes
     * @param bytes the length of the message in bytes
     * @return true if the message is sent without eager buffers
     */
    public static boolean isStraight(int nodes, long bytes) {
        return nodes > 1 && bytes > SHORT_BYTES_MAX;
    }

    /**
     * Returns the number of parts into which an eager buffer, the memory for arriving chunks, is divided for a message.
     *
     * @param bytes the length of the message in bytes
     * @return the number of parts, each for one chunk
     */
    public static int parts(long bytes) {
        return bytes <= SHORT_BYTES_MAX ? SHORT_PARTS : LONG_PARTS;
    }
}
