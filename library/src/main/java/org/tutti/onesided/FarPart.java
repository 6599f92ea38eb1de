/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;

import org.tutti.fabric.AtomicOperation;
import org.tutti.fabric.Fabric;
import org.tutti.fabric.WordAction;

/**
 * The part of a rank on another node, reached over the fabric: its process checks region and bounds once more, whatever
 * this one claims. Puts leave at once; those of native memory of 16 KiB and more without a copy.
 */
final class FarPart extends LivePart {
    private final int process;
    private final long region;
    private final Fabric fabric;
    private final long[] result = new long[1];

    FarPart(LiveRemoteMemory memory, int rank, Part part, int process, Fabric fabric) {
        super(memory, rank, part.bytes());
        this.process = process;
        this.region = part.handle();
        this.fabric = fabric;
    }

    @Override
    public MemorySegment segment() {
        throw new UnsupportedOperationException("rank " + memory.rank() + " cannot load and store in the part of rank "
                + rank + ", which is on another node; use put and get");
    }

    @Override
    void copyIn(long offset, MemorySegment source, long length) {
        CallCheck check = memory.begin("put", rank);
        memory.noteWritten(process);
        check.requireThere(fabric.put(process, region, offset, source, 0, length, WordAction.NONE, Fabric.NO_WORD, 0,
                0, check));
        fabric.flush();
    }

    @Override
    void copyOut(long offset, MemorySegment target, long length) {
        CallCheck check = memory.begin("get", rank);
        check.requireThere(fabric.get(process, region, offset, target, 0, length, check));
    }

    @Override
    long atomic(String call, AtomicOperation operation, long offset, long operand, long expected) {
        CallCheck check = memory.begin(call, rank);
        check.requireThere(fabric.atomic(process, region, offset, operation, operand, expected, result, check));
        return result[0];
    }

    @Override
    void combine(int code, long scale, long offset, MemorySegment source, long length) {
        CallCheck check = memory.begin("accumulate", rank);
        memory.noteWritten(process);
        check.requireThere(fabric.accumulate(process, region, offset, source, 0, length, code, scale, check));
        fabric.flush();
    }

    @Override
    void fence() {
        if (memory.isWritten(process)) {
            CallCheck check = memory.begin("fence", rank);
            check.requireThere(fabric.fence(process, check));
            memory.noteFenced(process);
        }
    }
}
