/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

/**
 * A wait in turns, which is listed in {@link Waits} from the first turn after {@link Waits#LASTING_NANOS} ns. The wait
 * begins with the first {@link #turn}, so a caller that does not have to wait pays nothing, and ends with {@link
 * #close}. The object can then be used again, by one thread at a time.
 */
public final class LongWait implements AutoCloseable {
    private boolean begun;
    private boolean entered;
    private long sinceNanos;
    private Waits.Wait outer;

    /**
     * Begins the wait, or continues it, because the awaited event has not happened yet.
     *
     * @param check names the waiting call
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
