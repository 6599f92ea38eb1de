/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

/**
 * A wait in turns that is entered in {@link Waits} at the first turn after it has lasted for as long as those do. It
 * begins with the first turn, so who need not wait pays nothing, and ends when it is closed; then it can be used again,
 * by one thread at a time.
 */
public final class LongWait implements AutoCloseable {
    private boolean begun;
    private boolean entered;
    private long sinceNanos;
    private Waits.Wait outer;

    /**
     * Says that what is waited for has not come yet.
     *
     * @param check tells which call waits
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
