/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.broadcast;

import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.machine.Machine;
import org.tutti.pattern.ChainTree;

/**
 * Pipelined chain: the nodes stand in a row, from the root's node on, and each passes every chunk on to the next one.
 * So no node sends a byte more than once: of a long message the chain takes n − 2 + c chunks' time, where a binomial
 * tree takes the whole message's time for each child of the root.
 *
 * <pre>
 *  4 nodes, root on node 2, chunks 1 2 3:
 *    2 → 3    1 2 3
 *    3 → 0      1 2 3
 *    0 → 1        1 2 3
 * </pre>
 *
 * <p>Chunks go through the eager buffer of the one edge, {@value #SHORT_PARTS} at a time; those of messages longer
 * than 256 KiB, where the first chunk's way counts for less, straight to where they belong or can be read, as in {@link
 * SrmBroadcast}. On one node as in {@link SlotRingBroadcast}, through shorter windows.
 */
public final class ChainBroadcast extends Broadcast {
    private static final long SHORT_BYTES_MAX = 256 << 10;
    private static final int SHORT_PARTS = 8;
    private static final int LONG_PARTS = 2;

    private final TreePipeline pipeline = new TreePipeline(ChainTree.INSTANCE);

    /** Creates the algorithm; one object serves all ranks. */
    public ChainBroadcast() {
        super(new Description("chain", Order.ALWAYS, "n − 1 + c, above 256 KiB 1 more", "b, b twice at the root", "b",
                "64 KiB at the root, 64 KiB an edge; n > 1, > 256 KiB: 8 × 60 KiB",
                "van de Geijn and Watts, SUMMA (1997), section 4; eager buffers of SRM 2003"));
    }

    @Override
    public long memoryBytes(int nodes, int localRanks, long bytes) {
        return isStraight(nodes, bytes)
                ? windows(1, bytes, TreePipeline.windowBytes(nodes, Machine.PACKET_BYTES))
                : windows(leaders(localRanks), bytes, RingLayout.EAGER_BUFFER_BYTES) + eagerBuffers(nodes, 1, bytes);
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
     * Tells whether a message goes straight from node to node, in packets.
     *
     * @param nodes how many nodes there are
     * @param bytes the length of the message
     * @return whether it does
     */
    public static boolean isStraight(int nodes, long bytes) {
        return nodes > 1 && bytes > SHORT_BYTES_MAX;
    }

    /**
     * Says in how many parts other messages go through an eager buffer.
     *
     * @param bytes the length of the message
     * @return how many an eager buffer has
     */
    public static int parts(long bytes) {
        return bytes <= SHORT_BYTES_MAX ? SHORT_PARTS : LONG_PARTS;
    }
}
