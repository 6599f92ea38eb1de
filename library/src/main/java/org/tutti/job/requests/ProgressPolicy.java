/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.requests;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Whether a rank waits for its requests, so that their threads may have its core, or computes. A thread that awaits
 * one waits for all of the communicator, as they may depend on each other; and who asks whether one is done is about to
 * ask again.
 */
public final class ProgressPolicy {
    private static final long LOOK_NANOS = 1_200_000; // who waits for one of several looks every millisecond at least

    private final Set<Thread> inFlight = ConcurrentHashMap.newKeySet();
    private final AtomicInteger awaiting = new AtomicInteger();
    private volatile long lookedNanos = System.nanoTime() - LOOK_NANOS;

    /** The calling thread runs an operation. */
    void enter() {
        boolean enters = inFlight.add(Thread.currentThread());
        assert enters : Thread.currentThread() + " runs two operations";
    }

    void leave() {
        boolean leaves = inFlight.remove(Thread.currentThread());
        assert leaves : Thread.currentThread() + " runs no operation";
    }

    void begin() {
        boolean wasAwaited = isAwaited();
        awaiting.incrementAndGet();
        wake(wasAwaited);
    }

    void end() {
        int left = awaiting.decrementAndGet();
        assert left >= 0 : left + " threads await requests";
    }

    void look() {
        boolean wasAwaited = isAwaited();
        lookedNanos = System.nanoTime();
        wake(wasAwaited);
    }

    private void wake(boolean wasAwaited) {
        if (!wasAwaited) {
            inFlight.forEach(LockSupport::unpark);
        }
    }

    /** Whether the rank waits for its requests, or has just asked for one. */
    public boolean isAwaited() {
        return awaiting.get() > 0 || System.nanoTime() - lookedNanos < LOOK_NANOS;
    }
}
