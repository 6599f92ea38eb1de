/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;

import org.tutti.fabric.SectionPieces;
import org.tutti.memory.Spares;
import org.tutti.memory.Waiter;

/**
 * The state of one call that locks or unlocks a mutex. A call takes an object from the pool {@link Spares} when it
 * begins and puts it back when it ends, so that calls allocate nothing. One thread at a time uses an object.
 */
final class MutexCall {
    /**
     * The longest time, in nanoseconds, for which a mutex may have no known holder while some rank of the communicator
     * is gone. After that time the lost rank is assumed to hold the mutex.
     */
    private static final long UNCLEAR_NANOS_MAX = 1_000_000_000;

    /** The check that ends the wait for the mutex. */
    final MutexCheck check;

    /**
     * Decides whether a wait must end in the middle of steps that belong together, for example between two changes of a
     * mutex. Such a wait ends if a rank has failed, but not because of a timeout or an interrupt.
     */
    final Waiter.Check alive = this::checkAlive;

    /** The value that an atomic operation found. */
    final long[] result = new long[1];

    /** The content of an active message; see {@link MutexKeeper}. */
    final MemorySegment message = MemorySegment.ofArray(new long[1]);

    /** The description of an active message. */
    final SectionPieces pieces = new SectionPieces();

    /** Whether the thread counts as waiting for a mutex. */
    boolean isWaiting;

    private int home;
    private boolean left;
    private int unclearTicket;
    private long unclearSinceNanos;

    MutexCall(MutexCheck check) {
        this.check = check;
    }

    /** Prepares this object for a call for a mutex of a rank. */
    MutexCall begin(int ofHome) {
        home = ofHome;
        left = false;
        unclearSinceNanos = 0;
        return this;
    }

    /** Records that the rank has left the queue. Its ticket is kept for the next call. */
    void leave() {
        left = true;
    }

    boolean hasLeft() {
        return left;
    }

    private void checkAlive() {
        RuntimeException failure = check.failure(home);
        if (failure != null) {
            throw failure;
        }
    }

    /** Records that the holder of the mutex is known. */
    void noteClear() {
        unclearSinceNanos = 0;
    }

    /**
     * Records that the holder, which has the given ticket, is unknown. Returns whether it has been unknown for too
     * long.
     */
    boolean noteUnclear(int ticket, boolean isAnyGone) {
        if (unclearSinceNanos == 0 || ticket != unclearTicket || !isAnyGone) {
            unclearTicket = ticket;
            unclearSinceNanos = System.nanoTime();
            return false;
        }
        return System.nanoTime() - unclearSinceNanos > UNCLEAR_NANOS_MAX;
    }
}
