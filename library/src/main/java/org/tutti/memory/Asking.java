/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.util.concurrent.locks.LockSupport;

/**
 * Calls that answer without waiting, as a rank makes them that asks again and again. A virtual thread keeps its carrier
 * until it waits, so ranks that only ask would keep all carriers from the threads that they ask about. Therefore every
 * {@value #YIELD_INTERVAL}th call whose answer is no yields, and of those yields every {@value #PARK_INTERVAL}th parks
 * for a nanosecond, because threads that only yield can still starve others ({@link Waiter}).
 *
 * <p>An answer takes from 10 ns to 2 µs (if it polls connections), a yield that meets no other thread 0.2 to 0.5 µs. So
 * a rank that asks spends a few nanoseconds a call on yields, and other threads wait for some microseconds, and at most
 * 0.1 ms for the first of them.
 *
 * <p>Any number of threads may use one of these. They share a plain counter: an increment that is lost does no harm.
 */
public final class Asking {
    private static final int YIELD_INTERVAL = 64;
    private static final int PARK_INTERVAL = 64;

    private int asked;

    /** Counts a call whose answer is no, and now and then lets other threads run. */
    public void inVain() {
        int now = ++asked;
        if (now % YIELD_INTERVAL == 0) {
            letOthersRun(now / YIELD_INTERVAL);
        }
    }

    /** Counts a call that has waited for microseconds or more, in vain, and lets other threads run. */
    public void waitedInVain() {
        letOthersRun(++asked);
    }

    private static void letOthersRun(int yields) {
        if (yields % PARK_INTERVAL == 0 && Thread.currentThread().isVirtual()) {
            LockSupport.parkNanos(1);
        } else {
            Thread.yield();
        }
    }
}
