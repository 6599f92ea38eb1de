/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.broadcast;

import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.machine.Machine;
import org.tutti.pattern.ChainTree;

/**
 * A pipelined chain (van de Geijn and Watts 1997, SUMMA, section 4): the nodes stand in a row, from the root's node on,
 * and each passes every chunk on to the next node. A long message takes the time of n − 2 + c chunks, because no node
 * sends a byte more than once. A binomial tree takes the time of the whole message for each child of the root.
 *
 * <pre>
 *  4 nodes, root on node 2, chunks 1 2 3:
 *    2 → 3    1 2 3
 *    3 → 0      1 2 3
 *    0 → 1        1 2 3
 * </pre>
 *
 * <p>Chunks go through the eager buffer of the one edge, {@value #SHORT_PARTS} at a time. Messages longer than 256 KiB
 * go straight to where they belong or can be read, as in {@link SrmBroadcast}, because the time of the first chunk
 * counts for less there. On one node the chain is as {@link SlotRingBroadcast}, with shorter windows.
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
     * @param nodes the number of nodes
     * @param bytes the length of the message
     * @return whether it does
     */
    public static boolean isStraight(int nodes, long bytes) {
        return nodes > 1 && bytes > SHORT_BYTES_MAX;
    }

    /**
     * Returns the number of parts of an eager buffer for messages that do not go straight.
     *
     * @param bytes the length of the message
     * @return the number of parts
     */
    public static int parts(long bytes) {
        return bytes <= SHORT_BYTES_MAX ? SHORT_PARTS : LONG_PARTS;
    }
}
