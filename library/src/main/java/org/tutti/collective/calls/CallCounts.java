/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.calls;

import java.lang.foreign.MemorySegment;

import org.tutti.Collective;
import org.tutti.memory.Words;

/**
 * Counts the calls of a rank, their bytes, and the time in which the rank waited for each other rank, in the memory of
 * its node. All communicators of the rank share the counts.
 *
 * <pre>
 *  +0      the calls and the bytes of each collective, two words a collective, in the order of {@link Collective}
 *  +WAITS  in the next cache line: for each rank of the job, the nanoseconds in which this rank waited for it
 * </pre>
 *
 * <p><b>Memory ordering.</b> A rank with one communicator counts its calls with plain loads and stores, because one
 * thread at a time draws numbers on a communicator. {@link #share} is called before a second communicator exists. From
 * then on, additions are atomic. Any thread that runs a call adds its waits, by atomic additions. Another thread or
 * process may read the figures at any time. It may then see figures that are a call old.
 */
public final class CallCounts {
    private static final int COLLECTIVES = Collective.values().length;

    private static final long WAITS = Words.LINE_BYTES * (1 + (2L * Long.BYTES * COLLECTIVES - 1) / Words.LINE_BYTES);

    private final MemorySegment memory;
    private boolean shared;

    /**
     * Creates an object that reads or writes the counts of a rank.
     *
     * @param memory the memory, {@link #bytes} bytes, aligned to a cache line and at first all zeros
     */
    CallCounts(MemorySegment memory) {
        this.memory = memory;
    }

    /** Returns the length of the memory in bytes in a job with the given number of ranks. */
    static long bytes(int size) {
        return WAITS + (long) size * Long.BYTES;
    }

    /** Prepares this object for calls of several threads at once. No call may begin meanwhile. */
    void share() {
        shared = true;
    }

    /**
     * Counts a call.
     *
     * @param collective the collective
     * @param callBytes the length of the vector, or of one block, in bytes
     */
    public void add(Collective collective, long callBytes) {
        long offset = offset(collective);
        add(offset, 1);
        add(offset + Long.BYTES, callBytes);
    }

    private void add(long offset, long increment) {
        if (shared) {
            Words.add(memory, offset, increment);
        } else {
            Words.storePlain(memory, offset, Words.loadPlain(memory, offset) + increment);
        }
    }

    /**
     * Adds a wait for another rank.
     *
     * @param awaited the other rank, a rank of the job
     * @param nanos the duration of the wait
     */
    public void addWait(int awaited, long nanos) {
        Words.add(memory, wait(awaited), nanos);
    }

    /**
     * Returns the number of calls of a collective.
     *
     * @param collective the collective
     * @return the number of calls that have begun
     */
    public long calls(Collective collective) {
        return Words.loadPlain(memory, offset(collective));
    }

    /**
     * Returns the bytes of the calls of a collective.
     *
     * @param collective the collective
     * @return the sum of the lengths of vectors or blocks
     */
    public long bytes(Collective collective) {
        return Words.loadPlain(memory, offset(collective) + Long.BYTES);
    }

    /**
     * Returns the time in which the rank waited for another rank.
     *
     * @param rank the other rank, a rank of the job
     * @return the time in nanoseconds, without waits of less than about a microsecond
     */
    public long waitedNanos(int rank) {
        return Words.loadPlain(memory, wait(rank));
    }

    private static long offset(Collective collective) {
        return 2L * Long.BYTES * collective.ordinal();
    }

    private static long wait(int rank) {
        return WAITS + (long) rank * Long.BYTES;
    }
}
