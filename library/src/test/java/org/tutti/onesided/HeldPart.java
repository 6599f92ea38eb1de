/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;

import org.tutti.RemoteMemory;
import org.tutti.memory.Words;

/**
 * A part whose first stripe is locked, as if a rank had stopped in the midst of an accumulate. Accumulates of other
 * nodes wait there. When they are more than a process defers, the process reads nothing more from the connection.
 */
final class HeldPart implements AutoCloseable {
    /** As many bytes as lie before the data when each stripe of the part has a lock: the first is of stripe 0. */
    static final long PART_BYTES = (long) PartLayout.LOCKS_MAX * PartLayout.STRIPE_BYTES;

    private final MemorySegment locks;
    private boolean isClosed;

    /**
     * Holds the lock.
     *
     * @param memory a memory whose part at this rank has {@link #PART_BYTES}
     * @param holder the rank that holds the lock, not this one
     */
    static HeldPart hold(RemoteMemory memory, int holder) {
        long lockBytes = (long) PartLayout.LOCKS_MAX * Words.LINE_BYTES;
        MemorySegment locks = MemorySegment.ofAddress(memory.local().address() - lockBytes).reinterpret(lockBytes);
        Words.store(locks, 0, holder + 1L);
        return new HeldPart(locks);
    }

    private HeldPart(MemorySegment locks) {
        this.locks = locks;
    }

    /** Releases the lock, once: later its memory may be another's. Must not be called after the end of the job. */
    @Override
    public synchronized void close() {
        if (!isClosed) {
            isClosed = true;
            Words.store(locks, 0, 0);
        }
    }
}
