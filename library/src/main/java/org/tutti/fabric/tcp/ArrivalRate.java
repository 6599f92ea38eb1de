/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

/**
 * How fast long frames arrive. While one does, nothing can take effect until it is whole, so who only serves may sleep
 * for as long as the rest of it takes, by the rate at which it has come so far; but never for longer than {@value
 * #NANOS_MAX} ns, as others may ask for something meanwhile.
 */
final class ArrivalRate {
    static final long NANOS_MIN = 100_000; // a park takes about half of that
    static final long NANOS_MAX = 300_000;
    private static final long LOOK_NANOS_MAX = 5 * NANOS_MAX; // somebody else may have read since a longer time

    private int missing;
    private long seenNanos;
    private double nanosPerByte;

    /**
     * Says how long to sleep.
     *
     * @param missingBytes how much of a frame has not arrived; 0 if none has begun to
     * @param nowNanos the time
     * @return so many nanoseconds; 0 if what is missing will have come soon, or nothing is, or the rate is not known
     */
    long sleepNanos(int missingBytes, long nowNanos) {
        boolean stands = missingBytes == missing; // others must not wait for it
        if (missingBytes > 0 && missingBytes < missing && nowNanos - seenNanos < LOOK_NANOS_MAX) {
            nanosPerByte = (double) (nowNanos - seenNanos) / (missing - missingBytes);
        }
        missing = missingBytes;
        seenNanos = nowNanos;
        long nanos = (long) (missingBytes * nanosPerByte);
        return stands || nanos < NANOS_MIN ? 0 : Math.min(nanos, NANOS_MAX);
    }
}
