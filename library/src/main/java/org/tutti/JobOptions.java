/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The options for joining or running a job. They are immutable.
 *
 * <pre>{@code
 * var options = JobOptions.DEFAULT.withDeadline(Duration.ofMinutes(5));
 * try (var job = Tutti.join(options)) {
 *     job.world().barrier();
 * }
 * Tutti.runLocal(4, options.withThreads(JobOptions.Threads.VIRTUAL), job -> job.world().barrier());
 * }</pre>
 *
 * @param threads the kind of thread on which each rank of {@link Tutti#runLocal} runs. If empty, Tutti chooses platform
 *            threads while every rank can have a core, and virtual threads otherwise. Virtual threads switch faster,
 *            but a virtual thread that computes for long without calling Tutti keeps a core for itself
 * @param deadline the time limit of the job, after which no call waits for other ranks; empty for none. Each rank
 *            counts it from the return of {@link Tutti#join}, or from its start by {@link Tutti#runLocal}
 * @param levels the number of ranks in a group, for example of ranks that share a cache, for each level of groups
 *            inside a node ({@link Topology#levels()}). All ranks of a node must pass the same levels. If the list is
 *            empty, the environment variable {@code TUTTI_LEVELS} gives the levels, or there are none
 */
public record JobOptions(Optional<Threads> threads, Optional<Duration> deadline, List<Integer> levels) {
    /** The kind of thread on which a rank runs. */
    public enum Threads {
        /** A thread of the operating system. */
        PLATFORM,
        /** A thread that the JVM schedules in user space. */
        VIRTUAL
    }

    /** The default options: Tutti chooses everything. */
    public static final JobOptions DEFAULT = new JobOptions(Optional.empty(), Optional.empty(), List.of());

    /**
     * Checks the options.
     *
     * @throws IllegalArgumentException if the deadline is zero or negative, or the levels do not nest
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
     * Returns a copy of these options with another kind of thread.
     *
     * @param kind the kind of thread on which each rank of {@link Tutti#runLocal} runs
     * @return the options
     */
    public JobOptions withThreads(Threads kind) {
        return new JobOptions(Optional.of(kind), deadline, levels);
    }

    /**
     * Returns a copy of these options with another deadline of the job, after which no call waits for other ranks.
     *
     * @param limit the time limit, more than zero, counted as {@link #deadline()} says
     * @return the options
     * @throws IllegalArgumentException if the limit is zero or negative
     */
    public JobOptions withDeadline(Duration limit) {
        return new JobOptions(threads, Optional.of(limit), levels);
    }

    /**
     * Returns a copy of these options with other levels, which are groups of ranks inside a node, for example of ranks
     * that share a cache.
     *
     * @param groups the number of ranks of a group, for each level from the smallest groups to the largest
     * @return the options
     * @throws IllegalArgumentException if a number is not a greater multiple of the number before it
     */
    public JobOptions withLevels(int... groups) {
        return new JobOptions(threads, deadline, Arrays.stream(groups).boxed().toList());
    }
}
