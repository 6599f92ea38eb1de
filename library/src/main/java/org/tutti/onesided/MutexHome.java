/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicIntegerArray;

import org.tutti.fabric.AtomicOperation;
import org.tutti.fabric.SectionTransport;
import org.tutti.memory.Waiter;
import org.tutti.memory.Words;

/**
 * Accesses the mutexes that one rank keeps in its memory, for another rank. If both ranks are on the same node, this
 * class accesses the memory directly. Otherwise it uses atomic operations of the fabric, and active messages, which run
 * code at the other node and have no answer. This class also holds the state of each mutex at this rank.
 *
 * <p><b>Several threads.</b> A thread that wants a mutex first makes its state BUSY, by a compare-and-swap. Meanwhile
 * other threads of the rank wait for the word {@code changes}, which grows whenever a state stops being BUSY or HELD.
 * Only the thread that has made the state BUSY or HELD reads and writes the ticket and the holder of the mutex. A state
 * is stored with release order and read with acquire order, so the next thread sees everything that the thread before
 * it has written.
 */
final class MutexHome {
    /** The state of a mutex for which this rank has no ticket. */
    static final int FREE = 0;

    /** The state of a mutex if this rank has left its queue. The rank's ticket may still be in the queue. */
    static final int LEFT = 1;

    /** The state of a mutex that a thread of this rank holds. */
    static final int HELD = 2;

    /** The state of a mutex that a thread of this rank is locking. */
    static final int BUSY = 3;

    final int rank;
    final int[] tickets;
    private final AtomicIntegerArray states;
    private final Thread[] holders;
    private final MemorySegment changes = MemorySegment.ofArray(new long[1]);
    private final Waiter waiter;
    private final MemorySegment near;
    private final MutexKeeper keeper;
    private final SectionTransport fabric;
    private final int process;
    private final long region;
    private volatile boolean sent;

    private MutexHome(int rank, int count, Waiter waiter, MemorySegment near, MutexKeeper keeper,
            SectionTransport fabric, int process, long region) {
        this.rank = rank;
        this.tickets = new int[count];
        this.states = new AtomicIntegerArray(count);
        this.holders = new Thread[count];
        this.waiter = waiter;
        this.near = near;
        this.keeper = keeper;
        this.fabric = fabric;
        this.process = process;
        this.region = region;
    }

    /** Creates the mutexes of a rank on this node. */
    static MutexHome near(int rank, int count, Waiter waiter, MemorySegment data, MutexKeeper keeper) {
        return new MutexHome(rank, count, waiter, data, keeper, null, -1, 0);
    }

    /** Creates the mutexes of a rank on another node. */
    static MutexHome far(int rank, int count, Waiter waiter, SectionTransport fabric, int process, long region) {
        return new MutexHome(rank, count, waiter, null, null, fabric, process, region);
    }

    boolean isNear() {
        return near != null;
    }

    /** Returns the value of QUEUE of a mutex on this node. */
    long nearQueue(long mutex) {
        return Words.load(near, mutex);
    }

    int count() {
        return tickets.length;
    }

    // ---- this rank's states

    int state(int index) {
        return states.getAcquire(index);
    }

    /** Makes a state BUSY if it still has the expected value. Returns whether it did. */
    boolean claim(int index, int expected) {
        return states.compareAndSet(index, expected, BUSY);
    }

    /** Records that this thread, which has made the state BUSY, holds the mutex. */
    void hold(int index) {
        holders[index] = Thread.currentThread();
        states.setRelease(index, HELD);
    }

    /**
     * Ends this thread's claim to a mutex and sets the state, so that another thread of the rank may claim the mutex.
     */
    void release(int index, int state) {
        holders[index] = null;
        states.setRelease(index, state);
        Words.add(changes, 0, 1);
        waiter.wake(changes, 0);
    }

    /** Returns whether the calling thread holds a mutex. */
    boolean isHeldByThisThread(int index) {
        return state(index) == HELD && Thread.currentThread().equals(holders[index]);
    }

    /** Waits until another thread of this rank may have ended its claim to a mutex. */
    void awaitOtherThread(int index, Waiter.Check check) {
        long seen = Words.load(changes, 0);
        int state = state(index);
        if (state == HELD || state == BUSY) {
            waiter.await(changes, 0, seen + 1, check);
        }
    }

    // ---- operations on the mutexes

    /**
     * Runs an atomic operation on a word of a mutex, directly or over the network. Stores the previous value of the
     * word in the call's result. Returns false if the process that keeps the mutex is gone.
     */
    boolean atomic(MutexCall call, AtomicOperation operation, long offset, long operand, long expected) {
        if (near != null) {
            call.result[0] = operation.apply(near, offset, operand, expected);
            return true;
        }
        return fabric.atomic(process, region, offset, operation, operand, expected, call.result, call.alive);
    }

    /**
     * Requests an operation from the {@link MutexKeeper} of the mutexes' rank. Returns false if the rank's process is
     * gone.
     */
    boolean tell(MutexCall call, int operation, long mutex, int ticket, int of) {
        if (near != null) {
            keeper.apply(operation, mutex, ticket, of);
            return true;
        }
        sent = true;
        call.message.set(MutexKeeper.MESSAGE, 0, MutexKeeper.message(ticket, of));
        call.pieces.begin(mutex, call.message, 0, call.message.byteSize());
        boolean there = fabric.send(process, region, call.pieces, operation, 0, 0, call.alive);
        fabric.flush();
        return there;
    }

    /** Waits until all operations that {@link #tell} has requested have taken effect. */
    void settle(MutexCall call) {
        if (sent) {
            fabric.fence(process, call.alive);
        }
    }
}
