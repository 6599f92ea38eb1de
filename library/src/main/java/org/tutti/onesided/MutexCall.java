/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;

import org.tutti.fabric.SectionPieces;
import org.tutti.memory.Waiter;

/**
 * The state of a call on mutexes while the call lasts, kept for the next call, so that calls allocate nothing. One
 * thread has it at a time: a call takes it from the {@link Spares}, and puts it back.
 */
final class MutexCall {
    /** How long it may be unclear who holds a mutex, when a rank is gone, before that rank is taken for it. */
    private static final long UNCLEAR_NANOS_MAX = 1_000_000_000;

    /** Ends the wait for the mutex. */
    final MutexCheck check;

    /** Ends what must not be ended halfway: only that somebody has failed does. */
    final Waiter.Check alive = this::checkAlive;

    /** The old value that an atomic operation has found. */
    final long[] result = new long[1];

    /** What an active message says: see {@link MutexKeeper}. */
    final MemorySegment message = MemorySegment.ofArray(new long[1]);

    /** Describes an active message. */
    final SectionPieces pieces = new SectionPieces();

    /** Whether the thread is one of those that may be given a mutex for which they wait. */
    boolean isWaiting;

    private int home;
    private boolean left;
    private int unclearTicket;
    private long unclearSinceNanos;

    MutexCall(MutexCheck check) {
        this.check = check;
    }

    /** A call for a mutex of a rank begins. */
    MutexCall begin(int ofHome) {
        home = ofHome;
        left = false;
        unclearSinceNanos = 0;
        return this;
    }

    /** The place in the queue was given up, and is kept for the next call. */
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

    /** It is known who holds the mutex. */
    void noteClear() {
        unclearSinceNanos = 0;
    }

    /** It is unknown who holds the mutex, by a ticket; returns whether that has been so for too long. */
    boolean noteUnclear(int ticket, boolean isAnyGone) {
        if (unclearSinceNanos == 0 || ticket != unclearTicket || !isAnyGone) {
            unclearTicket = ticket;
            unclearSinceNanos = System.nanoTime();
            return false;
        }
        return System.nanoTime() - unclearSinceNanos > UNCLEAR_NANOS_MAX;
    }
}
