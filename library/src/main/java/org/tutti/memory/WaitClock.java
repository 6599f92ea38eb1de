/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.util.concurrent.locks.LockSupport;

/**
 * The clock of a waiting thread: it tells the time, and puts the thread to sleep. The library uses {@link #SYSTEM}
 * alone, so that its calls are bound to one class; tests use a clock that they move.
 */
public interface WaitClock {
    /** The clock of this machine. */
    WaitClock SYSTEM = new WaitClock() {
        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public void park(long nanos) {
            LockSupport.parkNanos(nanos);
        }
    };

    /**
     * {@return the time in nanoseconds since some fixed moment, as {@link System#nanoTime()}}
     */
    long nanos();

    /**
     * Sleeps; may return earlier, as {@link LockSupport#parkNanos(long)} may.
     *
     * @param nanos how long to sleep
     */
    void park(long nanos);
}
