/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.lang.foreign.MemorySegment;
import java.util.List;

import org.tutti.collective.kernel.Kernel;
import org.tutti.fabric.PutSource;
import org.tutti.fabric.PutTarget;
import org.tutti.memory.Waiter;

/**
 * A machine that records the words that its rank stores and awaits, and the bytes that it moves, with their places. The
 * descriptor of a call is not recorded, because it has the algorithm's name.
 */
final class RecordingMachine extends VerifyingMachine {
    private final World world;
    private final int thread;
    private final List<String> record;

    /**
     * @param record the list to which this machine adds each operation
     */
    RecordingMachine(World world, int thread, List<String> record) {
        super(world, thread);
        this.world = world;
        this.thread = thread;
        this.record = record;
    }

    private void add(String what, long number, MemorySegment memory, long offset) {
        record.add(thread + " " + what + " " + number + " at " + offset + ", " + world.describe(memory, offset));
    }

    @Override
    public void store(MemorySegment memory, long offset, long value) {
        add("stores", value, memory, offset);
        super.store(memory, offset, value);
    }

    @Override
    public void await(MemorySegment memory, long offset, long atLeast, Waiter.Check check) {
        add("awaits", atLeast, memory, offset);
        super.await(memory, offset, atLeast, check);
    }

    @Override
    public void copy(MemorySegment source, long sourceOffset, MemorySegment target, long targetOffset, long bytes) {
        add("copies", bytes, source, sourceOffset);
        add("to", bytes, target, targetOffset);
        super.copy(source, sourceOffset, target, targetOffset, bytes);
    }

    @Override
    public void combine(Kernel kernel, MemorySegment left, long leftOffset, MemorySegment right, long rightOffset,
            MemorySegment target, long targetOffset, long bytes) {
        add("combines", bytes, left, leftOffset);
        add("with", bytes, right, rightOffset);
        add("to", bytes, target, targetOffset);
        super.combine(kernel, left, leftOffset, right, rightOffset, target, targetOffset, bytes);
    }

    @Override
    public boolean put(PutTarget target, PutSource source, Waiter.Check check) {
        record.add(thread + " puts " + source.bytes() + " at " + target.offset() + " in process " + target.process()
                + " and raises " + target.word() + " to " + target.value());
        for (int run = 0; run < source.runs(); run++) {
            add("from", source.length(run), source.segment(run), source.offset(run));
        }
        return super.put(target, source, check);
    }
}
