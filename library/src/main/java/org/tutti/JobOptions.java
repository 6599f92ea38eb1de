/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * How a job is joined or run. Immutable.
 *
 * @param threads what ranks of {@link Tutti#runLocal} are; empty lets Tutti choose: platform threads while every rank
 *            can have a core, else virtual ones. Virtual ranks switch faster, but one that computes for long without
 *            calling Tutti keeps a core to itself meanwhile
 * @param deadline the job's own limit, from joining it: no call waits for other ranks beyond it; empty for none
 */
public record JobOptions(Optional<Threads> threads, Optional<Duration> deadline) {
    /** What kind of thread a rank is. */
    public enum Threads {
        /** A thread of the operating system. */
        PLATFORM,
        /** A thread that the JVM switches in user space. */
        VIRTUAL
    }

    /** Leaves everything to Tutti. */
    public static final JobOptions DEFAULT = new JobOptions(Optional.empty(), Optional.empty());

    /**
     * @throws IllegalArgumentException when the deadline is zero or negative
     */
    public JobOptions {
        Objects.requireNonNull(threads, "threads");
        deadline.ifPresent(limit -> {
            if (!limit.isPositive()) {
                throw new IllegalArgumentException("a job's deadline must be more than zero, not " + limit);
            }
        });
    }

    /**
     * The same options, but with ranks of a certain kind.
     *
     * @param kind what ranks of {@link Tutti#runLocal} are
     * @return the options
     */
    public JobOptions withThreads(Threads kind) {
        return new JobOptions(Optional.of(kind), deadline);
    }

    /**
     * The same options, but with a deadline for the job.
     *
     * @param limit from joining the job, more than zero
     * @return the options
     */
    public JobOptions withDeadline(Duration limit) {
        return new JobOptions(threads, Optional.of(limit));
    }
}
