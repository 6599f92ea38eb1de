/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import java.lang.foreign.MemorySegment;

import org.tutti.collective.kernel.Kernel;
import org.tutti.memory.Waiter;
import org.tutti.memory.Words;

/**
 * The machine that the program runs on.
 */
public final class LiveMachine implements Machine {
    private final Waiter waiter;

    /**
     * @param waiter how a rank waits here
     */
    public LiveMachine(Waiter waiter) {
        this.waiter = waiter;
    }

    @Override
    public long load(MemorySegment memory, long offset) {
        return Words.load(memory, offset);
    }

    @Override
    public void store(MemorySegment memory, long offset, long value) {
        Words.store(memory, offset, value);
    }

    @Override
    public void await(MemorySegment memory, long offset, long atLeast, Waiter.Check check) {
        if (Words.load(memory, offset) < atLeast) {
            waiter.await(memory, offset, atLeast, check);
        }
    }

    @Override
    public void copy(MemorySegment source, long sourceOffset, MemorySegment target, long targetOffset, long bytes) {
        MemorySegment.copy(source, sourceOffset, target, targetOffset, bytes);
    }

    @Override
    public void combine(Kernel kernel, MemorySegment left, long leftOffset, MemorySegment right, long rightOffset,
            MemorySegment target, long targetOffset, long bytes) {
        kernel.combine(left, leftOffset, right, rightOffset, target, targetOffset, bytes);
    }
}
