/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicIntegerArray;

import org.tutti.fabric.AtomicOperation;
import org.tutti.fabric.SectionTransport;
import org.tutti.memory.Waiter;
import org.tutti.memory.Words;

/**
 * The mutexes that lie at one rank, as another one uses them: on its node directly, else by atomic operations, and by
 * active messages, which have no answer. It also remembers what this rank has of each.
 *
 * <p><b>Several threads.</b> A thread that wants a mutex first makes its state BUSY, by a compare-and-swap, and other
 * threads of the rank wait, for a word that grows with every state that ends that. What else is known of the mutex is
 * read and written by the thread that has made the state BUSY or HELD. A state is stored with release order and read
 * with acquire order, so the next thread sees what the one before it has written.
 */
final class MutexHome {
    /** This rank has no ticket. */
    static final int FREE = 0;

    /** It has given up, and its ticket may still wait in the queue. */
    static final int LEFT = 1;

    /** One of its threads holds the mutex. */
    static final int HELD = 2;

    /** One of its threads is locking the mutex, or unlocking it. */
    static final int BUSY = 3;

    final int rank;
    final int[] tickets;
    private final AtomicIntegerArray states;
    private final Thread[] holders;
    private final MemorySegment changes = MemorySegment.ofArray(new long[1]);
    private final MemorySegment near;
    private final MutexKeeper keeper;
    private final SectionTransport fabric;
    private final int process;
    private final long region;
    private volatile boolean sent;

    private MutexHome(int rank, int count, MemorySegment near, MutexKeeper keeper, SectionTransport fabric, int process,
            long region) {
        this.rank = rank;
        this.tickets = new int[count];
        this.states = new AtomicIntegerArray(count);
        this.holders = new Thread[count];
        this.near = near;
        this.keeper = keeper;
        this.fabric = fabric;
        this.process = process;
        this.region = region;
    }

    /** Mutexes on this node. */
    static MutexHome near(int rank, int count, MemorySegment data, MutexKeeper keeper) {
        return new MutexHome(rank, count, data, keeper, null, -1, 0);
    }

    /** Mutexes on another node. */
    static MutexHome far(int rank, int count, SectionTransport fabric, int process, long region) {
        return new MutexHome(rank, count, null, null, fabric, process, region);
    }

    boolean isNear() {
        return near != null;
    }

    /** The queue of a mutex on this node. */
    long nearQueue(long mutex) {
        return Words.load(near, mutex);
    }

    int count() {
        return tickets.length;
    }

    // ---- what this rank has of them

    int state(int index) {
        return states.getAcquire(index);
    }

    /** Makes a state BUSY, if it still is as expected. */
    boolean claim(int index, int expected) {
        return states.compareAndSet(index, expected, BUSY);
    }

    /** This thread holds a mutex that it has made BUSY. */
    void hold(int index) {
        holders[index] = Thread.currentThread();
        states.setRelease(index, HELD);
    }

    /** This thread has no more to do with a mutex that it has made BUSY: another one may. */
    void release(int index, int state) {
        holders[index] = null;
        states.setRelease(index, state);
        Words.add(changes, 0, 1);
    }

    /** Whether this thread holds a mutex. */
    boolean isHeldByThisThread(int index) {
        return state(index) == HELD && Thread.currentThread().equals(holders[index]);
    }

    /** Waits until another thread of this rank has no more to do with a mutex, or may have. */
    void awaitOtherThread(int index, Waiter waiter, Waiter.Check check) {
        long seen = Words.load(changes, 0);
        int state = state(index);
        if (state == HELD || state == BUSY) {
            waiter.await(changes, 0, seen + 1, check);
        }
    }

    // ---- what is done there

    /** Does it there, and waits until the call's result is the old value; returns false when nobody is there. */
    boolean atomic(MutexCall call, AtomicOperation operation, long offset, long operand, long expected) {
        if (near != null) {
            call.result[0] = operation.apply(near, offset, operand, expected);
            return true;
        }
        return fabric.atomic(process, region, offset, operation, operand, expected, call.result, call.alive);
    }

    /** Does what a {@link MutexKeeper} does; returns false when nobody is there. */
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

    /** Waits until all that was told has been done. */
    void settle(MutexCall call) {
        if (sent) {
            fabric.fence(process, call.alive);
        }
    }
}
