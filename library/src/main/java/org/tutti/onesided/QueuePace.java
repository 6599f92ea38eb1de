/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

/**
 * Computes how long a rank in the queue of a mutex may sleep, so that it is awake when its turn comes.
 *
 * <p>A rank that sleeps at its turn holds up all ranks behind it, and a rank that is awake takes a core from the
 * holder. Therefore the next rank in the queue stays awake, and a rank behind it sleeps for half of the time until its
 * turn. That time is the number of ranks ahead, times the mean time of a hand-over during this wait. A rank that
 * expects its turn within the time that waking takes stays awake, too, so short waits never sleep.
 *
 * <p>A sleep is no longer than the wait was before it, because the queue may become faster: a holder that computes for
 * long may be followed by holders that do not. For a similar reason a wait does not begin with the pace of the last
 * wait. After one slow hand-over all ranks would sleep at their turns, and that would keep the queue slow.
 *
 * <p>A rank with n ranks ahead wakes up some 2 log n times until its turn. One or two ranks of the queue are awake at a
 * time, or as many as pass the mutex on within {@value #WAKING_NANOS} ns.
 */
final class QueuePace {
    /** The longest sleep, in nanoseconds. */
    static final long SLEEP_NANOS_MAX = 20_000_000;

    private static final long WAKING_NANOS = 400_000;
    private static final int SLEEP_FRACTION = 2;

    private long begunNanos;
    private int aheadAtFirst;

    /**
     * Begins a wait.
     *
     * @param ahead the number of ranks ahead, including the holder
     * @param nowNanos the time of {@link System#nanoTime()}
     */
    void begin(int ahead, long nowNanos) {
        aheadAtFirst = ahead;
        begunNanos = nowNanos;
    }

    /**
     * Returns how long a rank that waits for a mutex may sleep before it looks at the queue again.
     *
     * @param ahead the number of ranks before it in the queue, including the holder of the mutex
     * @param nowNanos the present time of {@link System#nanoTime()}
     * @return the longest sleep in nanoseconds, or 0 to stay awake
     */
    long sleepNanos(int ahead, long nowNanos) {
        long waitedNanos = nowNanos - begunNanos;
        if (waitedNanos < WAKING_NANOS) {
            return 0;
        }
        long handOverNanos = waitedNanos / Math.max(1, aheadAtFirst - ahead);
        long expectedNanos = (ahead - 1) * handOverNanos;
        return expectedNanos < WAKING_NANOS ? 0
                : Math.min(expectedNanos / SLEEP_FRACTION, Math.min(waitedNanos, SLEEP_NANOS_MAX));
    }
}
