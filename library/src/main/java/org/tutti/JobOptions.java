/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * How a job is joined or run. Immutable.
 *
 * @param threads what ranks of {@link Tutti#runLocal} are; empty lets Tutti choose: platform threads while every rank
 *            can have a core, else virtual ones. Virtual ranks switch faster, but one that computes for long without
 *            calling Tutti keeps a core to itself meanwhile
 * @param deadline the job's own limit, from joining it: no call waits for other ranks beyond it; empty for none
 * @param levels the levels inside a node as {@link Topology#levels()} has them, the same at every rank of a node; empty
 *            for those of the environment variable {@code TUTTI_LEVELS}, or none
 */
public record JobOptions(Optional<Threads> threads, Optional<Duration> deadline, List<Integer> levels) {
    /** What kind of thread a rank is. */
    public enum Threads {
        /** A thread of the operating system. */
        PLATFORM,
        /** A thread that the JVM switches in user space. */
        VIRTUAL
    }

    /** Leaves everything to Tutti. */
    public static final JobOptions DEFAULT = new JobOptions(Optional.empty(), Optional.empty(), List.of());

    /**
     * @throws IllegalArgumentException when the deadline is zero or negative, or the levels do not nest
     */
    public JobOptions {
        Objects.requireNonNull(threads, "threads");
        levels = List.copyOf(levels);
        new Topology(new int[1], levels.stream().mapToInt(Integer::intValue).toArray()); // checks that they nest
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
        return new JobOptions(Optional.of(kind), deadline, levels);
    }

    /**
     * The same options, but with a deadline for the job.
     *
     * @param limit from joining the job, more than zero
     * @return the options
     */
    public JobOptions withDeadline(Duration limit) {
        return new JobOptions(threads, Optional.of(limit), levels);
    }

    /**
     * The same options, but with levels inside a node.
     *
     * @param groups the ranks of a group, for each level from the smallest groups to the greatest
     * @return the options
     * @throws IllegalArgumentException when the levels do not nest
     */
    public JobOptions withLevels(int... groups) {
        return new JobOptions(threads, deadline, Arrays.stream(groups).boxed().toList());
    }
}
