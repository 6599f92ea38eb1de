/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.Lock;

import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.machine.Machine;
import org.tutti.fabric.PutSource;
import org.tutti.fabric.PutTarget;
import org.tutti.memory.Waiter;

/**
 * The machine of one thread of a rank in a verification run. It does the same as the live machine, on real bytes, in
 * the order that the run's seed decides, and notes every access in the {@link World}.
 */
class VerifyingMachine implements Machine {
    private final World world;
    private final int thread;

    VerifyingMachine(World world, int thread) {
        this.world = world;
        this.thread = thread;
    }

    @Override
    public long load(MemorySegment memory, long offset) {
        return world.load(thread, memory, offset);
    }

    @Override
    public void store(MemorySegment memory, long offset, long value) {
        world.store(thread, memory, offset, value);
    }

    @Override
    public void publish(MemorySegment memory, long offset, long value) {
        world.publish(thread, memory, offset, value);
    }

    @Override
    public long loadPlain(MemorySegment memory, long offset) {
        return world.loadPlain(thread, memory, offset);
    }

    @Override
    public void storePlain(MemorySegment memory, long offset, long value) {
        world.storePlain(thread, memory, offset, value);
    }

    @Override
    public long loadTag(MemorySegment memory, long word) {
        return world.loadPlain(thread, memory, word + Long.BYTES);
    }

    @Override
    public void storeTag(MemorySegment memory, long word, long tag) {
        world.storeTag(thread, memory, word, tag);
    }

    @Override
    public long add(MemorySegment memory, long offset, long increment) {
        return world.add(thread, memory, offset, increment);
    }

    @Override
    public long compareAndExchange(MemorySegment memory, long offset, long expected, long value) {
        return world.compareAndExchange(thread, memory, offset, expected, value);
    }

    @Override
    public void setOnce(MemorySegment memory, long offset, long value) {
        // only a rank that breaks its communicator does this, and then the run ends
    }

    @Override
    public void await(MemorySegment memory, long offset, long atLeast, Waiter.Check check) {
        world.await(thread, memory, offset, atLeast);
    }

    @Override
    public void copy(MemorySegment source, long sourceOffset, MemorySegment target, long targetOffset, long bytes) {
        world.note(thread, () -> "copies " + bytes + " bytes from " + world.describe(source, sourceOffset) + " to "
                + world.describe(target, targetOffset));
        world.read(thread, source, sourceOffset, bytes);
        world.write(thread, target, targetOffset, bytes);
        MemorySegment.copy(source, sourceOffset, target, targetOffset, bytes);
    }

    @Override
    public void combine(Kernel kernel, MemorySegment left, long leftOffset, MemorySegment right, long rightOffset,
            MemorySegment target, long targetOffset, long bytes) {
        world.note(thread,
                () -> "combines " + bytes + " bytes of " + world.describe(left, leftOffset) + " and "
                        + world.describe(right, rightOffset) + " into " + world.describe(target, targetOffset));
        world.read(thread, left, leftOffset, bytes);
        world.read(thread, right, rightOffset, bytes);
        world.write(thread, target, targetOffset, bytes);
        kernel.combine(left, leftOffset, right, rightOffset, target, targetOffset, bytes);
    }

    @Override
    public boolean put(PutTarget target, PutSource source, Waiter.Check check) {
        world.put(thread, target, source);
        return true;
    }

    @Override
    public Reply get(int process, long region, long offset, MemorySegment target, long targetOffset, long bytes,
            Waiter.Check check) {
        return world.get(thread, process, region, offset, target, targetOffset, bytes) ? Reply.GIVEN : Reply.REFUSED;
    }

    @Override
    public long register(MemorySegment memory) {
        return world.register(world.rankOf(thread), memory, false);
    }

    @Override
    public void revoke(long region) {
        world.revoke(region);
    }

    @Override
    public void flush() {
        world.flush(thread);
    }

    @Override
    public void pause(int turn) {
        world.pause(thread);
    }

    @Override
    public void lock(Lock lock) {
        world.lock(thread, lock);
    }

    @Override
    public void unlock(Lock lock) {
        world.unlock(thread, lock);
    }
}
