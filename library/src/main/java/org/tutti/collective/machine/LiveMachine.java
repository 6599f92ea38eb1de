/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.machine;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import org.tutti.collective.kernel.Kernel;
import org.tutti.fabric.PutSource;
import org.tutti.fabric.PutTarget;
import org.tutti.fabric.Transport;
import org.tutti.memory.Waiter;
import org.tutti.memory.Words;

/**
 * The implementation of {@code Machine} on real memory. Its words are in shared memory, a {@code Waiter} waits for
 * them, and a fabric reaches other nodes. A rank has two machines for each communicator. One is for the threads that
 * call the communicator, the other for threads that run its operations in the background.
 */
public final class LiveMachine implements Machine {
    private static final int TURNS_WITHOUT_PARK = 100;
    private static final long PARK_NANOS = 10_000;
    private static final long PARK_NANOS_MAX = 20_000_000;

    private final Waiter waiter;
    private final Transport fabric;
    private final BooleanSupplier hurried;

    /**
     * Creates a machine without other nodes.
     *
     * @param waiter the object that waits for words
     */
    public LiveMachine(Waiter waiter) {
        this(waiter, null);
    }

    /**
     * Creates a machine that can reach other nodes.
     *
     * @param waiter the object that waits for words
     * @param fabric the transport to other nodes, or null if there are none
     */
    public LiveMachine(Waiter waiter, Transport fabric) {
        this(waiter, fabric, () -> true);
    }

    /**
     * Creates a machine for a rank's operations in the background.
     *
     * @param waiter the object that waits for words
     * @param fabric the transport to other nodes, or null if there are none
     * @param hurried a function that returns whether the rank has nothing else to do, so that waits may occupy the core
     */
    public LiveMachine(Waiter waiter, Transport fabric, BooleanSupplier hurried) {
        this.waiter = waiter;
        this.fabric = fabric;
        this.hurried = hurried;
    }

    @Override
    public int packetBytes() {
        return fabric == null ? PACKET_BYTES : fabric.packetBytes();
    }

    @Override
    public long load(MemorySegment memory, long offset) {
        return Words.load(memory, offset);
    }

    @Override
    public void store(MemorySegment memory, long offset, long value) {
        assert Words.load(memory, offset) <= value : "the word at " + offset + " falls from "
                + Words.load(memory, offset) + " to " + value;
        Words.store(memory, offset, value);
        waiter.wake(memory, offset);
    }

    @Override
    public void publish(MemorySegment memory, long offset, long value) {
        Words.store(memory, offset, value);
        waiter.wake(memory, offset);
    }

    @Override
    public long loadPlain(MemorySegment memory, long offset) {
        return Words.loadPlain(memory, offset);
    }

    @Override
    public void storePlain(MemorySegment memory, long offset, long value) {
        Words.storePlain(memory, offset, value);
    }

    @Override
    public long loadTag(MemorySegment memory, long word) {
        return Words.loadPlain(memory, word + Long.BYTES);
    }

    @Override
    public void storeTag(MemorySegment memory, long word, long tag) {
        Words.storePlain(memory, word + Long.BYTES, tag);
    }

    @Override
    public long add(MemorySegment memory, long offset, long increment) {
        long before = Words.add(memory, offset, increment);
        waiter.wake(memory, offset);
        return before;
    }

    @Override
    public long compareAndExchange(MemorySegment memory, long offset, long expected, long value) {
        long before = Words.compareAndExchange(memory, offset, expected, value);
        waiter.wake(memory, offset);
        return before;
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

    @Override
    public boolean put(PutTarget target, PutSource source, Waiter.Check check) {
        return fabric.put(target, source, check);
    }

    @Override
    public Reply get(int process, long region, long offset, MemorySegment target, long targetOffset, long bytes,
            Waiter.Check check) {
        try {
            return fabric.get(process, region, offset, target, targetOffset, bytes, check) ? Reply.GIVEN : Reply.GONE;
        } catch (IndexOutOfBoundsException _) {
            return Reply.REFUSED;
        }
    }

    @Override
    public long register(MemorySegment memory) {
        return fabric.register(memory);
    }

    @Override
    public void revoke(long region) {
        fabric.revoke(region);
    }

    @Override
    public void flush() {
        fabric.flush();
    }

    @Override
    public boolean isHurried() {
        return hurried.getAsBoolean();
    }

    @Override
    public void pause(int turn) {
        boolean hurries = isHurried();
        if (hurries) {
            waiter.poll();
        }
        if (hurries && turn < TURNS_WITHOUT_PARK) {
            Thread.yield();
        } else {
            LockSupport.parkNanos(Math.clamp(turn * PARK_NANOS, PARK_NANOS, PARK_NANOS_MAX));
        }
    }

    @Override
    public void lock(Lock lock) {
        lock.lock();
    }

    @Override
    public void unlock(Lock lock) {
        lock.unlock();
    }
}
