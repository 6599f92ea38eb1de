/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;

import org.tutti.memory.Memory;
import org.tutti.memory.PrivateMemory;

/** A node's memory that knows how much was claimed of it. */
public class CountedMemory extends Memory {
    private final Memory memory = new PrivateMemory();
    private final AtomicLong claimed;

    /**
     * @param claimed is raised by all bytes that are claimed
     */
    public CountedMemory(AtomicLong claimed) {
        this.claimed = claimed;
    }

    @Override
    protected long claimNew(long bytes, String purpose) {
        claimed.addAndGet(bytes);
        return memory.claim(bytes, purpose);
    }

    @Override
    public MemorySegment around(long address) {
        return memory.around(address);
    }

    @Override
    public long offset(long address) {
        return memory.offset(address);
    }

    @Override
    public MemorySegment[] loans(long address, int places) {
        return memory.loans(address, places);
    }

    @Override
    public void close() {
        memory.close();
    }
}
