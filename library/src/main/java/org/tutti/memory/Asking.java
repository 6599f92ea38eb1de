/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.util.concurrent.locks.LockSupport;

/**
 * Lets other threads run between polling calls. A polling call, such as a test for completion, answers without waiting,
 * and a rank repeats it until the answer is yes. A virtual thread keeps its carrier until it blocks. Ranks that only
 * poll would therefore keep all carriers from the threads that they poll for. To prevent that, every {@value
 * #YIELD_INTERVAL}th call that answers no also yields. Every {@value #PARK_INTERVAL}th of these yields parks a virtual
 * thread for a nanosecond instead, because threads that only yield can still starve others ({@link Waiter}).
 *
 * <p>An answer takes from 10 ns to 2 µs (if the call polls connections). A yield that finds no other thread to run
 * takes 0.2 to 0.5 µs. Therefore the yields cost the polling rank a few nanoseconds a call. Another thread waits some
 * microseconds for the next yield, at most 0.1 ms.
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
