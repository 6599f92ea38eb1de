/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Records whether a rank computes or waits for its requests, which are its non-blocking calls. If it waits, the threads
 * that run its requests may use its core. A thread that awaits one request counts as waiting for all requests of the
 * communicator, because they may depend on each other. A thread that asks whether a request is done counts as waiting
 * for about a millisecond, because it is about to ask again.
 */
public final class ProgressPolicy {
    private static final long LOOK_NANOS = 1_200_000; // awaitAny and awaitSome look at least every millisecond

    private final Set<Thread> inFlight = ConcurrentHashMap.newKeySet();
    private final AtomicInteger awaiting = new AtomicInteger();
    private volatile long lookedNanos = System.nanoTime() - LOOK_NANOS;

    /** Records that the calling thread runs a request. */
    public void enter() {
        boolean enters = inFlight.add(Thread.currentThread());
        assert enters : Thread.currentThread() + " runs two requests";
    }

    /** Records that the calling thread runs no request any more. */
    public void leave() {
        boolean leaves = inFlight.remove(Thread.currentThread());
        assert leaves : Thread.currentThread() + " runs no request";
    }

    /** Records that a thread of the rank begins to await a request. */
    public void begin() {
        boolean wasAwaited = isAwaited();
        awaiting.incrementAndGet();
        wake(wasAwaited);
    }

    /** Records that a thread of the rank has ended a wait that {@link #begin} has begun. */
    public void end() {
        int left = awaiting.decrementAndGet();
        assert left >= 0 : left + " threads await requests";
    }

    /** Records that a thread of the rank has asked whether a request is done. */
    public void look() {
        boolean wasAwaited = isAwaited();
        lookedNanos = System.nanoTime();
        wake(wasAwaited);
    }

    private void wake(boolean wasAwaited) {
        if (!wasAwaited) {
            inFlight.forEach(LockSupport::unpark);
        }
    }

    /** Returns whether the rank waits for its requests, or has just asked whether one is done. */
    public boolean isAwaited() {
        return awaiting.get() > 0 || System.nanoTime() - lookedNanos < LOOK_NANOS;
    }
}
