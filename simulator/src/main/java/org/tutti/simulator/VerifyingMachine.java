/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.lang.foreign.MemorySegment;

import org.tutti.collective.Machine;
import org.tutti.collective.kernel.Kernel;
import org.tutti.memory.Waiter;

/**
 * The machine of one rank in a verification run: it does what the live one does, on real bytes, in the order that the
 * run's seed decides, and notes every access in the {@link World}.
 */
final class VerifyingMachine implements Machine {
    private final World world;
    private final int rank;

    VerifyingMachine(World world, int rank) {
        this.world = world;
        this.rank = rank;
    }

    @Override
    public long load(MemorySegment memory, long offset) {
        return world.load(rank, memory, offset);
    }

    @Override
    public void store(MemorySegment memory, long offset, long value) {
        world.store(rank, memory, offset, value);
    }

    @Override
    public long loadPlain(MemorySegment memory, long offset) {
        return world.loadPlain(rank, memory, offset);
    }

    @Override
    public void storePlain(MemorySegment memory, long offset, long value) {
        world.storePlain(rank, memory, offset, value);
    }

    @Override
    public void setOnce(MemorySegment memory, long offset, long value) {
        // only who breaks a communicator does so, and that ends the run
    }

    @Override
    public void await(MemorySegment memory, long offset, long atLeast, Waiter.Check check) {
        world.await(rank, memory, offset, atLeast);
    }

    @Override
    public void copy(MemorySegment source, long sourceOffset, MemorySegment target, long targetOffset, long bytes) {
        world.step(rank, () -> "copies " + bytes + " bytes from " + world.describe(source, sourceOffset) + " to "
                + world.describe(target, targetOffset));
        world.read(rank, source, sourceOffset, bytes);
        world.write(rank, target, targetOffset, bytes);
        MemorySegment.copy(source, sourceOffset, target, targetOffset, bytes);
    }

    @Override
    public void combine(Kernel kernel, MemorySegment left, long leftOffset, MemorySegment right, long rightOffset,
            MemorySegment target, long targetOffset, long bytes) {
        world.step(rank,
                () -> "combines " + bytes + " bytes of " + world.describe(left, leftOffset) + " and "
                        + world.describe(right, rightOffset) + " into " + world.describe(target, targetOffset));
        world.read(rank, left, leftOffset, bytes);
        world.read(rank, right, rightOffset, bytes);
        world.write(rank, target, targetOffset, bytes);
        kernel.combine(left, leftOffset, right, rightOffset, target, targetOffset, bytes);
    }

    @Override
    public boolean put(int process, long region, long offset, MemorySegment source, long sourceOffset, long bytes,
            long word, long value, long tag, Waiter.Check check) {
        world.put(rank, process, region, offset, source, sourceOffset, bytes, word, value, tag);
        return true;
    }

    @Override
    public boolean get(int process, long region, long offset, MemorySegment target, long targetOffset, long bytes,
            Waiter.Check check) {
        world.get(rank, process, region, offset, target, targetOffset, bytes);
        return true;
    }

    @Override
    public long register(MemorySegment memory) {
        return world.register(rank, memory, false);
    }

    @Override
    public void revoke(long region) {
        world.revoke(region);
    }

    @Override
    public void flush() {
        world.flush(rank);
    }

    @Override
    public void pause(int turn) {
        world.pause(rank);
    }
}
