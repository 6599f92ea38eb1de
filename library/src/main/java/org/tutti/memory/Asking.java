/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.util.concurrent.locks.LockSupport;

/**
 * Lets other threads run while a rank repeats a call that returns immediately, such as a test whether a request is
 * done. Such a call answers without waiting, and a rank repeats it until the answer is yes. A virtual thread keeps its
 * carrier, the platform thread that runs it, until it blocks. Ranks that only repeat such calls could therefore keep
 * all carriers from the threads for which they wait. To prevent that, every {@value #YIELD_INTERVAL}th call that
 * answers no also yields. Every {@value #PARK_INTERVAL}th of these yields parks a virtual thread for a nanosecond
 * instead, because threads that only yield can still starve others ({@link Waiter}).
 *
 * <p>A call takes 10 ns, or up to 2 µs if it polls connections. A yield that finds no other thread to run takes 0.2 to
 * 0.5 µs. Therefore the yields cost the rank a few nanoseconds a call. Another thread waits for the next yield for some
 * microseconds, at most 0.1 ms.
 *
 * <p>Any number of threads may share one instance. Its counter is a plain field, because a lost increment does no harm.
 */
public final class Asking {
    private static final int YIELD_INTERVAL = 64;
    private static final int PARK_INTERVAL = 64;

    private int asked;

    /** Counts a call that answered no. Every {@value #YIELD_INTERVAL}th such call lets other threads run. */
    public void inVain() {
        int now = ++asked;
        if (now % YIELD_INTERVAL == 0) {
            letOthersRun(now / YIELD_INTERVAL);
        }
    }

    /** Counts a call that answered no after waiting for microseconds or more, and lets other threads run. */
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
