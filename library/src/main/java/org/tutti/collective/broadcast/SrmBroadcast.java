/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.broadcast;

import org.tutti.collective.Area;
import org.tutti.collective.Team;
import org.tutti.pattern.Partition;

/**
 * SRM's broadcast in a node: two shared buffers, A and B (paper: section 2.2, "Shared Memory Broadcast", and figure 3).
 * The root copies a chunk into a buffer and sets READY; the others copy it out of the buffer, all at the same time, and
 * clear the flag. Meanwhile the root fills the other buffer. Messages of one chunk use one buffer, and consecutive ones
 * alternate.
 *
 * <p>The paper's READY flags are one word of the root here, and "the flag is cleared" is a rank's DONE word.
 */
public final class SrmBroadcast extends Broadcast {
    /** Each of the two buffers; the paper leaves the size open. */
    static final long BUFFER_BYTES = 64 << 10;

    private static final int BUFFERS = 2;

    /** The only object that is needed. */
    public SrmBroadcast() {
        super(new Description("srm", true, "c + 1", "n", "2 × 64 KiB at the root", "SRM 2003, section 2.2"));
    }

    @Override
    public void run(Team team, Area data, long bytes, int root) {
        long buffer = Math.min(BUFFER_BYTES, team.windowBytesMax() / BUFFERS);
        long window = Math.min(bytes, BUFFERS * buffer);
        int chunks = Partition.chunks(bytes, buffer);
        boolean sends = team.rank() == root;
        Area buffers = sends ? team.show(window, BUFFERS) : null;
        for (int chunk = 1; chunk <= chunks; chunk++) {
            long from = (chunk - 1) * buffer;
            long length = Math.min(buffer, bytes - from);
            long place = (chunk - 1) % BUFFERS * buffer;
            if (sends) {
                team.awaitOthers(Team.DONE, chunk - BUFFERS);
                team.copy(data, from, buffers, place, length);
                team.post(Team.READY, chunk);
            } else {
                team.await(root, Team.READY, chunk);
                team.copy(team.shown(root, window), place, data, from, length);
                team.post(Team.DONE, chunk);
            }
        }
    }
}
