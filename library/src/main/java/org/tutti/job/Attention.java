/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Whether a rank waits for its requests, so that their threads may have its core, or computes. A thread that awaits
 * one waits for all of the communicator, as they may depend on each other; and who asks whether one is done is about to
 * ask again.
 */
final class Attention {
    private static final long LOOK_NANOS = 50_000;

    private final AtomicInteger awaiting = new AtomicInteger();
    private volatile long lookedNanos = System.nanoTime() - LOOK_NANOS;

    void begin() {
        awaiting.incrementAndGet();
    }

    void end() {
        awaiting.decrementAndGet();
    }

    void look() {
        lookedNanos = System.nanoTime();
    }

    boolean isPaid() {
        return awaiting.get() > 0 || System.nanoTime() - lookedNanos < LOOK_NANOS;
    }
}
