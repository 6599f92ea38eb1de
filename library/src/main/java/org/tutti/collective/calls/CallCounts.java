/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.calls;

import java.util.concurrent.atomic.AtomicLongArray;

import org.tutti.Collective;

/**
 * Counts the calls of a rank on one communicator, their bytes, and the time in which the rank waited for each other
 * rank. The thread that draws the numbers of calls counts calls and bytes, and there is one such thread at a time. Any
 * thread that runs a call adds its waits. Another thread may read the figures at any time. It may then see figures
 * that are a call old.
 */
public final class CallCounts {
    private static final int COLLECTIVES = Collective.values().length;

    private static final int PADDING = 8; // words of a cache line, so that ranks on other threads use other lines

    private final long[] calls = new long[COLLECTIVES + 2 * PADDING];
    private final long[] bytes = new long[COLLECTIVES + 2 * PADDING];
    private final AtomicLongArray waitedNanos;

    /**
     * Creates counts that are 0.
     *
     * @param size the number of ranks of the communicator
     */
    public CallCounts(int size) {
        this.waitedNanos = new AtomicLongArray(size);
    }

    /**
     * Counts a call.
     *
     * @param collective the collective
     * @param callBytes the length of the vector, or of one block, in bytes
     */
    public void add(Collective collective, long callBytes) {
        int index = PADDING + collective.ordinal();
        calls[index]++;
        bytes[index] += callBytes;
    }

    /**
     * Adds a wait for another rank.
     *
     * @param awaited the other rank, a rank of the communicator
     * @param nanos the duration of the wait
     */
    public void addWait(int awaited, long nanos) {
        waitedNanos.getAndAdd(awaited, nanos);
    }

    /**
     * Returns the number of calls of a collective.
     *
     * @param collective the collective
     * @return the number of calls that have begun
     */
    public long calls(Collective collective) {
        return calls[PADDING + collective.ordinal()];
    }

    /**
     * Returns the bytes of the calls of a collective.
     *
     * @param collective the collective
     * @return the sum of the lengths of vectors or blocks
     */
    public long bytes(Collective collective) {
        return bytes[PADDING + collective.ordinal()];
    }

    /**
     * Returns the time in which the rank waited for another rank.
     *
     * @param rank the other rank, a rank of the communicator
     * @return the time in nanoseconds, without waits of less than about a microsecond
     */
    public long waitedNanos(int rank) {
        return waitedNanos.get(rank);
    }
}
