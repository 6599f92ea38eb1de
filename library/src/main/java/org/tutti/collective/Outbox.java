/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import org.tutti.memory.Memory;

/**
 * The memory in which a rank shows its contributions to others: one for each rank, shared by its communicators, claimed
 * at the first call that needs it and replaced by its full size at the first large one.
 *
 * <p>It is a ring of bytes. Every operation that needs space takes a window of consecutive bytes and keeps it until all
 * ranks have left the operation; windows are taken and given back in the same order. So small operations have many
 * windows in flight, and large ones two, as a window is at most half of the ring. Short windows begin at the front of
 * the ring again when there are as many as operations may be in flight, if that is free: so their lines stay in a
 * core's first caches, where a ring that is walked through has no room. Blocking operations use it; non-blocking ones
 * would wait for each other here, and have lanes ({@link Ledger}).
 *
 * <p>Memory ordering: the owner writes to a window again only after it has loaded, with acquire order, from every rank
 * of the communicator a word that the rank stored with release order after its last read of the window.
 */
public final class Outbox {
    private static final long SMALL_BYTES = 64 << 10;
    private static final long LARGE_BYTES = 1 << 20;
    private static final long NODE_BYTES_MAX = 64 << 20;
    private static final int TENANTS_MAX = 64;

    private final ShownMemory shown;
    private final ShownMemory inbox;
    private final long largeBytes;
    private long capacity;

    /** Counts bytes that were ever taken, so that {@code position % capacity} is where the next window begins. */
    private long position;

    private final Team[] teams = new Team[TENANTS_MAX];
    private final long[] sequences = new long[TENANTS_MAX];
    private final long[] starts = new long[TENANTS_MAX];
    private final long[] sizes = new long[TENANTS_MAX];
    private int oldest;
    private int tenants;

    /**
     * @param memory the node's memory
     * @param localRanks how many ranks the node has: together their rings stay below 64 MiB, but each has 64 KiB
     */
    public Outbox(Memory memory, int localRanks) {
        this.shown = new ShownMemory(memory);
        this.inbox = new ShownMemory(memory);
        this.largeBytes = largeBytes(localRanks);
    }

    private static long largeBytes(int localRanks) {
        return Math.clamp(Long.highestOneBit(NODE_BYTES_MAX / localRanks), SMALL_BYTES, LARGE_BYTES);
    }

    /**
     * The greatest window that an operation may take.
     *
     * @param localRanks how many ranks the node has
     * @return bytes, a power of two, the same at every rank
     */
    public static long windowBytesMax(int localRanks) {
        return largeBytes(localRanks) / 2;
    }

    /**
     * Takes a window.
     *
     * @param bytes how many, more than zero and at most {@link #windowBytesMax}
     * @param inFlightMax how many windows there may be at once, this one included
     * @param team for whose current operation
     * @return where the window begins in {@link #shown()}
     */
    long take(long bytes, int inFlightMax, Team team) {
        if (2 * bytes > capacity && capacity < largeBytes) {
            grow(2 * bytes > SMALL_BYTES ? largeBytes : SMALL_BYTES);
        }
        long size = Memory.roundToLines(bytes);
        long offset = position % capacity;
        long front = position + capacity - offset;
        boolean fits = offset + size <= capacity;
        boolean isHot = offset + size <= team.slots() * size;
        long start = fits && (isHot || !isFree(front, size, team.slots())) ? position : front;
        while (tenants > 0 && (tenants >= Math.min(inFlightMax, TENANTS_MAX)
                || start + size > starts[oldest] + capacity)) {
            teams[oldest].awaitClosed(sequences[oldest]);
            evictOldest();
        }
        int newest = (oldest + tenants) % TENANTS_MAX;
        teams[newest] = team;
        sequences[newest] = team.operation();
        starts[newest] = start;
        sizes[newest] = size;
        tenants++;
        position = start + size;
        return start % capacity;
    }

    /**
     * Whether the windows that a new one at the front would overwrite are known to be closed, and so are longer ones
     * that others of its size would soon come to.
     */
    private boolean isFree(long front, long size, int others) {
        while (tenants > 0 && front + size > starts[oldest] + capacity) {
            if (!isKnownClosed(oldest)) {
                return false;
            }
            evictOldest();
        }
        for (int i = 0; i < tenants; i++) {
            int tenant = (oldest + i) % TENANTS_MAX;
            if (starts[tenant] + capacity >= front + others * size) {
                break;
            }
            if (sizes[tenant] > size && !isKnownClosed(tenant)) {
                return false;
            }
        }
        return true;
    }

    private boolean isKnownClosed(int tenant) {
        return teams[tenant].isKnownClosed(sequences[tenant]);
    }

    private void evictOldest() {
        teams[oldest] = null;
        oldest = (oldest + 1) % TENANTS_MAX;
        tenants--;
    }

    /** Leaves the small ring to its readers for good: nobody writes to it again. */
    private void grow(long bytes) {
        shown.claim(bytes);
        capacity = bytes;
        position = 0;
        while (tenants > 0) {
            evictOldest();
        }
    }

    ShownMemory shown() {
        return shown;
    }

    /** Where other nodes put long messages to this rank in blocking operations, which follow each other. */
    ShownMemory inbox() {
        return inbox;
    }
}
