/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

/**
 * How fast a rail of several is, as far as its frames have shown, and when what was given to it will have arrived.
 *
 * <p><b>What is known.</b> The other side tells how many bytes have come over the rail, every {@value #TOLD_BYTES}
 * or so ({@link FrameLayout}, COUNT). Between two such counts the rail was busy all the time if all that the second
 * one tells had been given to it before the first: then bytes ÷ time is its speed, and the mean of the last few is
 * kept. If it was not, it may be faster than was seen: the speed that is kept grows a little, and if that was too
 * much, so much is given to the rail that it is busy, and measured. So a rail that was slow for a while is not left
 * out for ever.
 *
 * <p>The speed says when a rail has done what it was given, and that is corrected with each count. As long as
 * nothing was counted, all rails are taken for equally fast.
 *
 * <p>What is given is noted by who sends, what has arrived by who takes in: the monitor is for the two.
 */
final class RailSpeed {
    /** How many bytes come over a rail of several before the other side is told. */
    static final int TOLD_BYTES = 128 << 10;

    private static final double UNKNOWN = 10; // bytes a nanosecond: no rail is faster, so all are measured
    private static final double SLOWEST = 1e-5;
    private static final double GROWTH = 1 + 1.0 / 32;
    private static final double NEWEST_PART = 0.25;
    private static final long MEASURED_NANOS_MIN = 1_000_000;

    private double bytesPerNano;
    private boolean known;
    private long given;
    private long arrived;
    private long dueNanos;
    private boolean measures;
    private long beganNanos;
    private long beganGiven;
    private long beganArrived;

    /** Begins: a connection that nothing was sent over. */
    synchronized void begin(long nowNanos) {
        bytesPerNano = UNKNOWN;
        known = false;
        given = 0;
        arrived = 0;
        dueNanos = nowNanos;
        measures = false;
    }

    /** So many bytes were given to the rail. */
    synchronized void give(int bytes, long nowNanos) {
        given += bytes;
        dueNanos = dueNanos(nowNanos) + nanos(bytes);
    }

    private long dueNanos(long nowNanos) {
        return dueNanos - nowNanos > 0 ? dueNanos : nowNanos;
    }

    private long nanos(long bytes) {
        return (long) (bytes / bytesPerNano);
    }

    /** In how many nanoseconds so many bytes more would have arrived. */
    synchronized long nanosUntil(int bytes, long nowNanos) {
        return dueNanos(nowNanos) - nowNanos + nanos(bytes);
    }

    /**
     * The other side has told how many bytes have come over the rail. It may tell of a connection before this one, or
     * by another rail, and then later than it has told more; no harm comes of either, nor of a lie.
     */
    synchronized void noteArrived(long bytes, long nowNanos) {
        long told = Math.min(bytes, given);
        if (told <= arrived) {
            return;
        }
        arrived = told;
        if (measures && nowNanos - beganNanos >= MEASURED_NANOS_MIN) {
            measure((arrived - beganArrived) / (double) (nowNanos - beganNanos), arrived <= beganGiven);
            measures = false;
        }
        if (!measures) {
            measures = true;
            beganNanos = nowNanos;
            beganGiven = given;
            beganArrived = arrived;
        }
        dueNanos = nowNanos + nanos(given - arrived);
    }

    private void measure(double seen, boolean wasBusy) {
        if (wasBusy || !known && seen > 0) {
            bytesPerNano = known ? bytesPerNano + NEWEST_PART * (seen - bytesPerNano) : seen;
            known = true;
        } else {
            bytesPerNano = Math.max(seen, bytesPerNano * GROWTH);
        }
        bytesPerNano = Math.clamp(bytesPerNano, SLOWEST, UNKNOWN);
    }

    /** Bytes a nanosecond, as far as that is known. */
    synchronized double bytesPerNano() {
        return bytesPerNano;
    }
}
