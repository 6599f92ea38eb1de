/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

/**
 * Measures the speed of one of several rails by its frames, and predicts when the bytes that were given to the rail
 * will have arrived.
 *
 * <p><b>Measurement.</b> The other side reports how many bytes have arrived over the rail, in an ACK frame ({@link
 * FrameLayout}). It reports after about every {@value #TOLD_BYTES} bytes, and when a frame asks for an answer. If the
 * rail was busy during a whole interval, the bytes that arrived in the interval, divided by its length, are the speed
 * of the rail. There are two kinds of such intervals. First, an idle rail is busy from its next frame, which asks for
 * an answer, until that answer. Second, a rail was busy between two answers if all bytes of the second answer had been
 * given to it before the first. Any other interval shows nothing, because the rail may have had nothing to send for a
 * part of it. The speed is a mean, in which the newest measurement counts a quarter. A short measurement that finds the
 * rail slow counts less, because much of a short time may be overhead.
 *
 * <p>The last pieces of a message on a rail may not have asked for an answer. If all pieces should have arrived and no
 * answer has confirmed it, the next frames ask for an answer until one confirms it. The rail is then known to be idle,
 * and the next measurement can begin.
 *
 * <p>The speed predicts when a rail will have finished the bytes given to it. Each answer corrects the prediction. A
 * rail that was never measured is assumed to be as fast as a measured one. A rail that comes back is assumed to be as
 * fast as before.
 *
 * <p>The monitor of this object orders two threads. The sender notes the bytes that it gives to the rail, and the
 * receiver of the other side's answers notes the bytes that have arrived.
 */
final class RailSpeed {
    /** The number of bytes that arrive over a rail before the receiver reports them to the sender. */
    static final int TOLD_BYTES = 128 << 10;

    /** The length in bytes of the shortest frame that asks for an answer. */
    static final int ASKING_BYTES_MIN = 256;

    /**
     * The shortest time in nanoseconds between two frames that ask for an answer, because an answer costs a system
     * call.
     */
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
    private long asked; // the bytes that had been given at the last question
    private long askedNanos;
    private long catchingUp; // frames ask until this many bytes are given
    private long caughtUpNanos;
    private long dueNanos;
    private boolean measures;
    private boolean wasIdle;
    private long beganNanos;
    private long beganGiven;
    private long beganArrived;

    /**
     * Begins to measure a new connection of the rail, over which nothing has been sent. The speed of the rail's
     * previous connection is assumed until the first measurement.
     */
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
     * Notes that a frame is given to the rail for sending, and decides whether it asks the other side how many bytes
     * have arrived.
     *
     * @param bytes the length of the frame in bytes
     * @param nowNanos the time, as {@link System#nanoTime} returns it
     * @return whether the frame should ask for this answer
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

    /**
     * Returns whether the sender should immediately ask the other side how many bytes have arrived, without waiting for
     * the next frame. If so, this object counts the question as asked.
     */
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

    /**
     * Returns the predicted time in nanoseconds until additional bytes would have arrived, if they were given to the
     * rail immediately.
     */
    synchronized long nanosUntil(int bytes, long nowNanos) {
        return dueNanos(nowNanos) - nowNanos + nanos(bytes);
    }

    /**
     * Notes the number of bytes that have arrived over the rail, as the other side reports it. The report may be late,
     * false, or about an earlier connection. A number that is not above all earlier ones is ignored. A number above the
     * bytes given to the rail counts as these bytes. The worst effect of a wrong number is therefore a wrong
     * prediction.
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

    /** Begins a measurement. The rail must be busy from this moment on. */
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

    /** Assumes the speed of a measured rail, if this one was never measured. */
    synchronized void assume(double speed) {
        if (!known) {
            bytesPerNano = speed;
        }
    }

    /** Returns whether the rail was measured. */
    synchronized boolean isKnown() {
        return known;
    }

    /** Returns the measured or assumed speed in bytes a nanosecond. */
    synchronized double bytesPerNano() {
        return bytesPerNano;
    }
}
