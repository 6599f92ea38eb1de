/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

/**
 * Lists a wait in {@link Waits}, for reports of where a rank is stuck, if the wait lasts long. It is for a thread that
 * waits by testing a condition repeatedly, and that calls {@link #turn} after each test in vain. The first turn begins
 * the wait, so a thread that does not have to wait pays nothing. The first turn after {@link Waits#LASTING_NANOS} ns
 * lists the wait, and {@link #close} ends it. The object can then be used again, by one thread at a time.
 */
public final class LongWait implements AutoCloseable {
    private boolean begun;
    private boolean entered;
    private long sinceNanos;
    private Waits.Wait outer;

    /**
     * Records that the awaited event has not happened yet. The first call begins the wait.
     *
     * @param check the object that names the waiting call for reports
     */
    public void turn(Waiter.Check check) {
        long nowNanos = System.nanoTime();
        if (!begun) {
            begun = true;
            sinceNanos = nowNanos;
        } else if (!entered && nowNanos - sinceNanos >= Waits.LASTING_NANOS) {
            entered = true;
            outer = Waits.begin(check::call, sinceNanos);
        }
    }

    /** Ends the wait, if there was one. */
    @Override
    public void close() {
        if (begun) {
            begun = false;
            if (entered) {
                entered = false;
                Waits.end(outer);
                outer = null;
            }
        }
    }
}
