/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.communicators;

import java.util.concurrent.TimeUnit;

import org.tutti.JobOptions;

/**
 * Holds the deadline of a rank's job, at which all calls of the rank end. It also records that the rank has left the
 * job, after which no call may begin.
 */
public final class JobDeadline {
    private final int rank;
    private final long deadlineNanos;
    private volatile boolean closed;

    /**
     * Creates the deadline of a rank that joins a job.
     *
     * @param rank the rank in the job
     * @param options the options with the time that the job may take, which begins to run now
     */
    public JobDeadline(int rank, JobOptions options) {
        this.rank = rank;
        this.deadlineNanos = options.deadline().map(TimeUnit.NANOSECONDS::convert)
                .filter(nanos -> nanos < Long.MAX_VALUE / 2).map(nanos -> System.nanoTime() + nanos)
                .orElse(Long.MAX_VALUE);
    }

    /** Records that the rank leaves the job. Returns false if the rank has already left. */
    public synchronized boolean close() {
        boolean first = !closed;
        closed = true;
        return first;
    }

    boolean isClosed() {
        return closed;
    }

    /**
     * Returns the time at which a call that begins now must end. The earlier of the call's own limit and the job's
     * deadline counts. If there is neither, the time is {@link Long#MAX_VALUE}.
     */
    long ofCall(long limitNanos) {
        checkOpen();
        if (limitNanos == Long.MAX_VALUE && deadlineNanos == Long.MAX_VALUE) {
            return Long.MAX_VALUE;
        }
        long now = System.nanoTime();
        return now + Math.min(limitNanos, deadlineNanos == Long.MAX_VALUE ? Long.MAX_VALUE : deadlineNanos - now);
    }

    /** Throws an exception if the rank has left its job. */
    public void checkOpen() {
        if (closed) {
            throw new IllegalStateException(
                    "rank " + rank + " has left its job: the job is closed, so its communicators "
                            + "cannot be used");
        }
    }
}
