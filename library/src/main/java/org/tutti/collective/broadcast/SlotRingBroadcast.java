/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.broadcast;

import org.tutti.collective.Area;
import org.tutti.collective.Team;
import org.tutti.pattern.Partition;

/**
 * Broadcast through the slot ring: the root writes into the payload of its slot, or into a window of its outbox, and
 * goes on; nobody answers. A root that broadcasts again and again runs ahead of the others by as many operations as
 * there are slots, or as its outbox has room for.
 *
 * <p>Long messages go through up to {@value #PARTS} parts of the window in turn, so that copying in and copying out
 * overlap; the root fills a part again when all others have emptied it. Each byte crosses between cores once for each
 * reader.
 */
public final class SlotRingBroadcast extends Broadcast {
    private static final int PARTS = 4;
    private static final long CHUNK_BYTES_MIN = 16 << 10;

    /** The only object that is needed. */
    public SlotRingBroadcast() {
        super(new Description("slot-ring", Order.ALWAYS, false, "c + 1", "b", "0", "min(b, 512 KiB) at the root",
                "Tutti; after SRM 2003"));
    }

    @Override
    public void run(Team team, Area data, long bytes, int root) {
        long chunkMax = team.windowBytesMax() / PARTS;
        long chunk = Math.clamp(-Math.floorDiv(-bytes, PARTS), Math.min(CHUNK_BYTES_MIN, chunkMax), chunkMax);
        long window = Math.min(bytes, PARTS * chunk);
        int chunks = Partition.chunks(bytes, chunk);
        if (team.localRank() == root) {
            send(team, data, bytes, chunk, chunks, window);
        } else {
            receive(team, data, bytes, chunk, chunks, window, root);
        }
    }

    private static void send(Team team, Area data, long bytes, long chunk, int chunks, long window) {
        Area parts = team.show(window);
        for (int step = 1; step <= chunks; step++) {
            long from = (step - 1) * chunk;
            team.awaitOthers(Team.DONE, step - PARTS);
            team.copy(data, from, parts, from % cycle(chunk), Math.min(chunk, bytes - from));
            team.post(Team.READY, step);
        }
    }

    private static void receive(Team team, Area data, long bytes, long chunk, int chunks, long window, int root) {
        for (int step = 1; step <= chunks; step++) {
            long from = (step - 1) * chunk;
            team.await(root, Team.READY, step);
            team.copy(team.shown(root, window), from % cycle(chunk), data, from, Math.min(chunk, bytes - from));
            if (step + PARTS <= chunks) {
                team.post(Team.DONE, step);
            }
        }
    }

    private static long cycle(long chunk) {
        return PARTS * chunk;
    }
}
