/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.calls;

import java.lang.foreign.MemorySegment;

import org.tutti.memory.Words;

/**
 * Counts the losses and returns of the rails of a process, its connections with other processes, in the memory of its
 * node. The process counts in the record of its first rank.
 *
 * <pre>
 *  +0  losses
 *  +8  returns
 * </pre>
 *
 * <p><b>Memory ordering.</b> One thread of the process counts. Another thread or process may read at any time.
 */
public final class RailCounts {
    /** The length of the counts in bytes. */
    static final long BYTES = Words.LINE_BYTES;

    private final MemorySegment memory;

    /**
     * Creates an object that reads or writes the counts of a process.
     *
     * @param memory the memory, {@link #BYTES} bytes, aligned to a cache line and at first all zeros
     */
    RailCounts(MemorySegment memory) {
        this.memory = memory;
    }

    /** Counts the loss of a rail. */
    public void addLoss() {
        Words.store(memory, 0, lost() + 1);
    }

    /** Counts the return of a lost rail. */
    public void addReturn() {
        Words.store(memory, Long.BYTES, restored() + 1);
    }

    /** {@return the number of losses} */
    public long lost() {
        return Words.load(memory, 0);
    }

    /** {@return the number of returns, which is at most the number of losses} */
    public long restored() {
        return Words.load(memory, Long.BYTES);
    }
}
