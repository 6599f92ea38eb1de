/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.util.concurrent.locks.LockSupport;

/**
 * The clock of a waiting thread, which returns the time and lets the thread sleep. The library uses only
 * {@link #SYSTEM}, so that the JVM can compile calls of this interface as calls of one class. Tests use a clock whose
 * time they set.
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

    /** {@return the time in nanoseconds since a fixed moment, in the same way as {@link System#nanoTime()}} */
    long nanos();

    /**
     * Lets the calling thread sleep. The method may return earlier, as {@link LockSupport#parkNanos(long)} may.
     *
     * @param nanos the longest sleep, in nanoseconds
     */
    void park(long nanos);
}
