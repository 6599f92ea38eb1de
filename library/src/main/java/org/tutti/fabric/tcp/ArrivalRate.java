/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

/**
 * Measures how fast a long frame arrives, so that the service thread can sleep meanwhile. A frame cannot take effect
 * before it is complete. The thread may therefore sleep for the time in which the rest of the frame arrives at the
 * measured rate. It sleeps for at most {@value #NANOS_MAX} ns, because other processes may send requests meanwhile.
 */
final class ArrivalRate {
    static final long NANOS_MIN = 100_000; // a park takes about half of this
    static final long NANOS_MAX = 300_000;
    private static final long LOOK_NANOS_MAX = 5 * NANOS_MAX; // after a longer time, another thread may have read

    private int missing;
    private long seenNanos;
    private double nanosPerByte;

    /**
     * Returns the time for which the calling thread may sleep while the rest of a frame arrives.
     *
     * @param missingBytes the number of bytes of the frame that have not arrived; 0 if no frame has begun to arrive
     * @param nowNanos the time, as {@link System#nanoTime} returns it
     * @return the time in nanoseconds. It is 0 if the missing bytes will arrive soon, if no byte is missing, if no byte
     *            has arrived since the last call, or if the rate is unknown
     */
    long sleepNanos(int missingBytes, long nowNanos) {
        boolean stands = missingBytes == missing; // a stalled frame must not delay others
        if (missingBytes > 0 && missingBytes < missing && nowNanos - seenNanos < LOOK_NANOS_MAX) {
            nanosPerByte = (double) (nowNanos - seenNanos) / (missing - missingBytes);
        }
        missing = missingBytes;
        seenNanos = nowNanos;
        long nanos = (long) (missingBytes * nanosPerByte);
        return stands || nanos < NANOS_MIN ? 0 : Math.min(nanos, NANOS_MAX);
    }
}
