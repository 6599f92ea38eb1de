/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;

import org.tutti.memory.Waiter;
import org.tutti.memory.Words;

/**
 * The WAKE word of a rank, at which its threads wait for mutexes, and their accounts of it.
 *
 * <p><b>Several threads.</b> If several threads of the rank want the same mutex, one at a time queues for the rank
 * ({@link MutexHome}). Threads that want different mutexes wait for the same WAKE word. WAKE counts the mutexes that
 * the rank was given, but does not name them. Therefore the field {@code taken} counts the mutexes that threads have
 * taken. While WAKE is greater than {@code taken}, some waiting thread was given its mutex. If only one thread waits,
 * it is that thread. Otherwise each thread looks at its own cell, which becomes HELD before WAKE is raised. If the cell
 * is not HELD, the thread waits until WAKE grows further. A thread counts as waiting before its cell is WAITING, and
 * until it has taken its mutex.
 */
final class MutexWakes {
    private final PartAllocator allocator;
    private final MemorySegment own;
    private final MutexCheck check;
    private int waiting; // threads, under this object's monitor
    private long taken; // mutexes that WAKE counts, under this object's monitor
    private volatile boolean strayWakes;

    /**
     * Begins without a thread that waits.
     *
     * @param allocator the access to memory
     * @param own the memory with the WAKE word of the rank
     * @param check tells whether a rank is gone
     */
    MutexWakes(PartAllocator allocator, MemorySegment own, MutexCheck check) {
        this.allocator = allocator;
        this.own = own;
        this.check = check;
    }

    /** Waits until WAKE counts a mutex that no thread has taken, and at least so many. Returns WAKE. */
    long await(MutexHome home, MutexCall call, long atLeast) {
        Waiter waiter = home.isNear() ? allocator.waiter() : allocator.answers();
        waiter.await(own, MutexLayout.WAKE, Math.max(atLeast, taken() + 1), call.check);
        return Words.load(own, MutexLayout.WAKE);
    }

    /**
     * Waits until the word WAKE has counted every mutex that this rank's threads have taken. A holder that passes a
     * mutex on first changes the next rank's cell to HELD, and then raises WAKE. A thread that has seen its cell HELD
     * may therefore take the mutex before WAKE is raised. Without this wait, the memory of WAKE could be freed before
     * it is raised.
     */
    void awaitAll() {
        long all;
        synchronized (this) {
            all = taken;
        }
        try {
            allocator.waiter().await(own, MutexLayout.WAKE, all, () -> {
                if (check.hasAnyGone()) {
                    throw WaitEndedException.TIME_TO_LOOK;
                }
            });
        } catch (WaitEndedException _) {
            // a rank may have died before it raised WAKE; in that case the ranks do not close the mutexes together
        }
    }

    /** Counts a thread as waiting. */
    synchronized void beginWaiting(MutexCall call) {
        waiting++;
        call.isWaiting = true;
    }

    /** Ends what {@link #beginWaiting} has begun. */
    synchronized void stopWaiting(MutexCall call) {
        waiting--;
        call.isWaiting = false;
    }

    /**
     * Ends a call on a mutex. If the call still counts as waiting, it has failed, and the word WAKE may count a mutex
     * that no thread takes. From then on each waiting thread looks at its own cell to learn whether it was given its
     * mutex.
     */
    void endWaiting(MutexCall call) {
        if (call.isWaiting) {
            stopWaiting(call);
            strayWakes = true;
        }
    }

    private synchronized long taken() {
        return taken;
    }

    /** Records that this thread has taken the mutex that it was given. */
    synchronized void take(MutexCall call) {
        taken++;
        stopWaiting(call);
    }

    /** Takes a mutex that WAKE counts, if only this thread can have been given it. Returns whether it did so. */
    synchronized boolean takeIfAlone(MutexCall call, long woken) {
        if (waiting > 1 || woken <= taken || strayWakes) {
            return false;
        }
        take(call);
        return true;
    }
}
