/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.util.concurrent.locks.LockSupport;

/**
 * The time by which a thread waits, and how it sleeps. The library uses {@link #SYSTEM} alone, so calls of it are bound
 * to one class; tests have a clock that they move.
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
     * {@return the time, in nanoseconds since some moment, as {@link System#nanoTime()}}
     */
    long nanos();

    /**
     * Sleeps, as {@link LockSupport#parkNanos(long)}: may return earlier.
     *
     * @param nanos for how long
     */
    void park(long nanos);
}
