/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

/**
 * How fast a rail of several is, as far as its frames have shown, and when what was given to it will have arrived.
 *
 * <p><b>What is known.</b> The other side tells how many bytes have come over the rail ({@link FrameLayout}, COUNT):
 * every {@value #TOLD_BYTES} or so, and when it is asked to. What was busy all the time shows its speed, which is bytes
 * ÷ time, and there are two ways to know that it was. A rail to which nothing is under way begins with the next frame,
 * which asks to be told of, and is done when that is. And between two counts a rail was busy if all that the second one
 * tells had been given to it before the first. Every other time says nothing, as nobody had anything to send for some
 * of it. A mean is kept, in which the newest measurement counts a quarter; less if it is a short one and finds the rail
 * slow, as much of a short time may have been for other things than bytes.
 *
 * <p>A message may have several pieces on a rail, of which the last ones were not asked for. When all should have
 * arrived but is not told, the next frames ask until it is: then the rail is known to be idle, and the next measurement
 * can begin.
 *
 * <p>The speed says when a rail has done what it was given, and that is corrected with each count. A rail of which
 * nothing is known is taken for as fast as another one that was measured; one that comes back, for as fast as it was.
 *
 * <p>What is given is noted by who sends, what has arrived by who takes in: the monitor is for the two.
 */
final class RailSpeed {
    /** How many bytes come over a rail of several before the other side is told. */
    static final int TOLD_BYTES = 128 << 10;

    /** A frame of fewer bytes does not ask to be told of. */
    static final int ASKING_BYTES_MIN = 256;

    /** How often frames ask, at most: an answer costs a system call. */
    static final long ASKING_NANOS_MIN = 500_000;

    private static final double FASTEST = 10; // bytes a nanosecond
    private static final double SLOWEST = 1e-5;
    private static final double NEWEST_PART = 0.25;
    private static final double LONG_NANOS = 250_000;
    private static final int UNTOLD_BYTES_MAX = 16 << 10;
    private static final long MEASURED_NANOS_MIN = 1_000_000;

    private double bytesPerNano = FASTEST;
    private boolean known;
    private long given;
    private long arrived;
    private long asked; // what was given when it last was asked what has arrived
    private long askedNanos;
    private long catchingUp; // up to so many bytes given, frames ask so that all is told
    private long caughtUpNanos;
    private long dueNanos;
    private boolean measures;
    private boolean wasIdle;
    private long beganNanos;
    private long beganGiven;
    private long beganArrived;

    /** Begins: a connection that nothing was sent over. */
    synchronized void begin(long nowNanos) {
        given = 0;
        arrived = 0;
        asked = 0;
        askedNanos = nowNanos - ASKING_NANOS_MIN;
        catchingUp = 0;
        caughtUpNanos = nowNanos;
        dueNanos = nowNanos;
        measures = false;
    }

    /**
     * So many bytes are given to the rail.
     *
     * @return whether they should ask to be told of
     */
    synchronized boolean give(int bytes, long nowNanos) {
        boolean isIdle = given == arrived;
        boolean isDue = dueNanos - nowNanos <= 0;
        if (!isIdle && isDue && nowNanos - caughtUpNanos >= ASKING_NANOS_MIN) {
            caughtUpNanos = nowNanos;
            catchingUp = given + UNTOLD_BYTES_MAX;
        }
        boolean catchesUp = given < catchingUp && bytes >= ASKING_BYTES_MIN;
        boolean asks = bytes >= ASKING_BYTES_MIN && (isIdle || !isDue) && nowNanos - askedNanos >= ASKING_NANOS_MIN;
        given += bytes;
        dueNanos = dueNanos(nowNanos) + nanos(bytes);
        if (asks) {
            askedNanos = nowNanos;
            if (isIdle) {
                measure(nowNanos, true);
            }
        }
        asks |= catchesUp;
        asked = asks ? given : asked;
        return asks;
    }

    /** Whether to ask now what has arrived, as the next frame may be a while in coming: then it does count as asked. */
    synchronized boolean ask() {
        boolean asks = given - Math.max(asked, arrived) >= UNTOLD_BYTES_MAX;
        asked = asks ? given : asked;
        return asks;
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
        catchingUp = arrived == given ? 0 : catchingUp;
        if (measures && (wasIdle ? arrived >= beganGiven : nowNanos - beganNanos >= MEASURED_NANOS_MIN)) {
            if (wasIdle || arrived <= beganGiven) {
                note(arrived - beganArrived, Math.max(1, nowNanos - beganNanos));
            }
            measures = false;
        }
        if (!measures && arrived < given) {
            measure(nowNanos, false);
        }
        dueNanos = nowNanos + nanos(given - arrived);
    }

    /** It is busy from this moment on. */
    private void measure(long nowNanos, boolean idle) {
        measures = true;
        wasIdle = idle;
        beganNanos = nowNanos;
        beganGiven = given;
        beganArrived = arrived;
    }

    private void note(long bytes, long nanos) {
        double seen = (double) bytes / nanos;
        double part = seen > bytesPerNano ? NEWEST_PART : NEWEST_PART * Math.min(1, nanos / LONG_NANOS);
        bytesPerNano = Math.clamp(known ? bytesPerNano + part * (seen - bytesPerNano) : seen, SLOWEST, FASTEST);
        known = true;
    }

    /** If nothing is known, it is taken for as fast as another one, if that was measured. */
    synchronized void assume(double speed) {
        if (!known) {
            bytesPerNano = speed;
        }
    }

    /** Whether it was measured. */
    synchronized boolean isKnown() {
        return known;
    }

    /** Bytes a nanosecond, as far as that is known. */
    synchronized double bytesPerNano() {
        return bytesPerNano;
    }
}
