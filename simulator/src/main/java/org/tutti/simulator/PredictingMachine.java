/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.Lock;

import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.machine.Machine;
import org.tutti.fabric.PutSource;
import org.tutti.fabric.PutTarget;
import org.tutti.memory.Waiter;

/**
 * The machine of one rank in a predicted run. A process is a node, and the handle of a region is its address. A rank
 * learns the address of the eager buffers at no cost, because it asks once in a communicator's life.
 */
final class PredictingMachine implements Machine {
    private final Cluster cluster;
    private final int rank;

    PredictingMachine(Cluster cluster, int rank) {
        this.cluster = cluster;
        this.rank = rank;
    }

    @Override
    public long load(MemorySegment memory, long offset) {
        return offset == RingLayout.EAGER_BUFFERS ? cluster.loadPlain(memory, offset)
                : cluster.load(rank, memory, offset);
    }

    @Override
    public void store(MemorySegment memory, long offset, long value) {
        cluster.store(rank, memory, offset, value);
    }

    @Override
    public void publish(MemorySegment memory, long offset, long value) {
        throw new UnsupportedOperationException("predictions make no groups");
    }

    @Override
    public long loadPlain(MemorySegment memory, long offset) {
        return cluster.loadPlain(memory, offset);
    }

    @Override
    public void storePlain(MemorySegment memory, long offset, long value) {
        cluster.storePlain(memory, offset, value);
    }

    @Override
    public long loadTag(MemorySegment memory, long word) {
        return cluster.loadPlain(memory, word + Long.BYTES);
    }

    @Override
    public void storeTag(MemorySegment memory, long word, long tag) {
        cluster.storePlain(memory, word + Long.BYTES, tag);
    }

    @Override
    public long add(MemorySegment memory, long offset, long increment) {
        return cluster.add(rank, memory, offset, increment);
    }

    @Override
    public long compareAndExchange(MemorySegment memory, long offset, long expected, long value) {
        return cluster.compareAndExchange(rank, memory, offset, expected, value);
    }

    @Override
    public void setOnce(MemorySegment memory, long offset, long value) {
        // only a rank that breaks its communicator does this, and then the run ends
    }

    @Override
    public void await(MemorySegment memory, long offset, long atLeast, Waiter.Check check) {
        cluster.await(rank, memory, offset, atLeast);
    }

    @Override
    public void copy(MemorySegment source, long sourceOffset, MemorySegment target, long targetOffset, long bytes) {
        cluster.copy(rank, source, sourceOffset, target, targetOffset, bytes);
    }

    @Override
    public void combine(Kernel kernel, MemorySegment left, long leftOffset, MemorySegment right, long rightOffset,
            MemorySegment target, long targetOffset, long bytes) {
        cluster.combine(rank, left, leftOffset, right, rightOffset, target, targetOffset, bytes);
    }

    @Override
    public boolean put(PutTarget target, PutSource source, Waiter.Check check) {
        cluster.put(rank, target, source);
        return true;
    }

    @Override
    public Reply get(int process, long region, long offset, MemorySegment target, long targetOffset, long bytes,
            Waiter.Check check) {
        if (offset == RingLayout.BROKEN) { // the rest of the line is read at no cost, too
            cluster.carry(region, target, targetOffset, bytes);
        } else {
            cluster.get(rank, process, region + offset, target, targetOffset, bytes);
        }
        return Reply.GIVEN;
    }

    @Override
    public long register(MemorySegment memory) {
        return memory.address();
    }

    @Override
    public void revoke(long region) {
        // predictions check no access
    }

    @Override
    public void flush() {
        // a put is under way immediately
    }

    @Override
    public void pause(int turn) {
        cluster.pause(rank);
    }

    @Override
    public void lock(Lock lock) {
        // a rank of a prediction has one thread
    }

    @Override
    public void unlock(Lock lock) {
        // no thread waits for the lock
    }
}
