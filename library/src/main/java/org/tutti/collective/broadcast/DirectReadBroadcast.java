/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.broadcast;

import org.tutti.collective.Call;
import org.tutti.collective.Cost;
import org.tutti.collective.Loans;
import org.tutti.collective.RingLayout;
import org.tutti.collective.Team;
import org.tutti.pattern.BinomialTree;

/**
 * Broadcast by reading the data where they lie. Ranks that are threads of one process copy straight from the root's
 * memory, be it an array or a segment, so each byte is copied once; the root waits at the end until all have read.
 * Processes do so if it is a segment in memory that they share. Otherwise, or if the root's segment is confined to its
 * thread, the root shows the data chunk by chunk in its window, and the others read that; the root alone decides it,
 * and the others see by whether there is a loan.
 *
 * <p>Between nodes, messages of up to 64 KiB go down the binomial tree through landing places, which all ranks of a
 * node read; longer ones go straight to where they belong, as in {@link SrmBroadcast}, and each master lends what has
 * arrived to the ranks of its process.
 *
 * <p>Why nobody reads too late: a loan ends when all others have said DONE, and {@link Loans} argues the ordering;
 * {@link TreePipeline} says why windows and landing places are safe.
 */
public final class DirectReadBroadcast extends Broadcast {
    private static final long SMALL_BYTES_MAX = 64 << 10;
    private static final int LANDINGS = 2;
    private static final long LANDING_BYTES = RingLayout.LANDING_BYTES / LANDINGS;

    private final TreePipeline pipeline = new TreePipeline(BinomialTree.INSTANCE);

    /** The only object that is needed. */
    public DirectReadBroadcast() {
        super(new Description("direct-read", Order.ALWAYS, "2, in other nodes ⌊log₂ n⌋ + 2 + c", "b",
                "⌈log₂ n⌉·b", "none in one process, else 2 × 60 KiB at the root, n > 1: 8 × 60 KiB; 64 KiB an edge",
                "Tutti; between nodes SRM 2003, section 2.4"));
    }

    @Override
    public Cost cost(int nodes, int localRanks, long bytes) {
        if (nodes == 1) {
            return localRanks == 1 ? new Cost(0, 0, 0, 0, 0) : new Cost(2, bytes, 0, 0, 0);
        }
        boolean straight = bytes > SMALL_BYTES_MAX;
        return pipeline.cost(nodes, localRanks, bytes, straight ? TreePipeline.STRAIGHT_BYTES : LANDING_BYTES,
                straight ? 1 : 0,
                1);
    }

    @Override
    public long memoryBytes(int nodes, int localRanks, long bytes) {
        return bytes > SMALL_BYTES_MAX || nodes == 1
                ? windows(1, bytes, TreePipeline.windowBytes(nodes, TreePipeline.STRAIGHT_BYTES))
                : windows(leaders(localRanks), bytes, RingLayout.LANDING_BYTES) + landings(nodes, 1, bytes);
    }

    @Override
    public void run(Team team, Call call) {
        long bytes = call.bytes();
        if (team.nodes() > 1 && bytes <= SMALL_BYTES_MAX) {
            pipeline.throughLandings(team, call,
                    Math.min(LANDING_BYTES, team.windowBytesMax() / LANDINGS), LANDINGS, Integer.MAX_VALUE);
        } else {
            pipeline.straight(team, call, TreePipeline.STRAIGHT_BYTES, true);
        }
    }
}
