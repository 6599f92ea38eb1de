/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * Waits until one or more of several requests have ended. It polls all of them, because the requests of one-sided calls
 * end only when a thread polls. Between two polls the waiting thread at first does nothing, later yields, and finally
 * sleeps for a sixteenth of the time that it has waited so far.
 */
final class RequestsInFlight {
    private static final int LOOKS_AT_ONCE = 200;
    private static final long YIELD_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long PARK_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int PARK_FRACTION = 16;

    private RequestsInFlight() {}

    /** Returns the end of a timeout that begins now, in terms of System.nanoTime(); the greatest long for never. */
    static long untilNanos(Duration timeout) {
        Objects.requireNonNull(timeout, "timeout");
        long now = System.nanoTime();
        try {
            long nanos = timeout.toNanos();
            return nanos <= 0 ? now : Math.addExact(now, nanos);
        } catch (ArithmeticException _) {
            return Long.MAX_VALUE; // more than 292 years
        }
    }

    static long leftNanos(long untilNanos) {
        return untilNanos == Long.MAX_VALUE ? Long.MAX_VALUE : Math.max(0, untilNanos - System.nanoTime());
    }

    /** Returns the indices of the requests that have ended; none if the timeout has passed. */
    static int[] awaitSome(@Nullable Request[] requests, long untilNanos) {
        Objects.requireNonNull(requests, "requests");
        boolean[] ended = new boolean[requests.length];
        long begunNanos = System.nanoTime();
        for (int look = 0;; look++) {
            int inFlight = 0;
            int count = 0;
            for (int i = 0; i < requests.length; i++) {
                Request request = requests[i];
                ended[i] = request != null && request.isDone();
                inFlight += request == null ? 0 : 1;
                count += ended[i] ? 1 : 0;
            }
            if (inFlight == 0) {
                throw new IllegalArgumentException("none of " + requests.length
                        + " requests is in flight: all are null; wait for one request at least");
            }
            if (count > 0 || leftNanos(untilNanos) == 0) {
                return IntStream.range(0, ended.length).filter(index -> ended[index]).toArray();
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new CallInterruptedException("a thread was interrupted while it awaited one of "
                        + requests.length + " requests; they go on, and can be awaited again");
            }
            pause(look, System.nanoTime() - begunNanos);
        }
    }

    private static void pause(int look, long waitedNanos) {
        if (look < LOOKS_AT_ONCE) {
            Thread.onSpinWait();
        } else if (waitedNanos < YIELD_NANOS) {
            Thread.yield();
        } else {
            LockSupport.parkNanos(Math.min(PARK_NANOS_MAX, waitedNanos / PARK_FRACTION));
        }
    }
}
