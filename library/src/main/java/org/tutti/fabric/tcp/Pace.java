/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

/**
 * How fast long frames arrive. While one does, nothing can take effect until it is whole, so who only serves may sleep
 * for as long as the rest of it takes, by the rate at which it has come so far; but never for longer than {@value
 * #NANOS_MAX} ns, as others may ask for something meanwhile.
 */
final class Pace {
    static final long NANOS_MIN = 100_000; // a park takes about half of that
    static final long NANOS_MAX = 300_000;

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
        if (missingBytes > 0 && missingBytes < missing) {
            nanosPerByte = (double) (nowNanos - seenNanos) / (missing - missingBytes);
        }
        missing = missingBytes;
        seenNanos = nowNanos;
        long nanos = (long) (missingBytes * nanosPerByte);
        return nanos < NANOS_MIN ? 0 : Math.min(nanos, NANOS_MAX);
    }
}
