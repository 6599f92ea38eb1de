/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;

/** A node's memory by which no rank lends references, as if each rank had a process of its own. */
public final class UnlentMemory extends CountedMemory {
    /** Creates the memory of a node. */
    public UnlentMemory() {
        super(new AtomicLong());
    }

    @Override
    public MemorySegment[] loans(long address, int places) {
        return null;
    }
}
