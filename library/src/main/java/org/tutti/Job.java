/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

/**
 * The set of ranks that were started together, as one of them sees it. Close it when the rank has finished: a rank
 * whose process ends, or whose program throws, before that has failed, and breaks what the others do with it. Closing
 * is not collective; others may still be at work.
 *
 * <p>Safe for use by any number of threads, but the communicators are not.
 */
public interface Job extends AutoCloseable {
    /**
     * {@return this rank's number, 0 to {@link #size()} − 1}
     */
    int rank();

    /**
     * {@return how many ranks the job has, 1 or more}
     */
    int size();

    /**
     * {@return the communicator of all ranks of the job}
     */
    Communicator world();

    /**
     * Ends the job for all ranks: blocked and later calls throw {@link JobAbortedException}, here too. {@code tutti
     * run} stops all processes and exits with the status; a process started otherwise ends with it, some time later,
     * unless its program has ended by then.
     *
     * @param status the exit status, 0 to 255
     * @throws IllegalArgumentException when status is outside its range
     */
    void abort(int status);

    /**
     * Leaves the job: later calls on its communicators throw {@link IllegalStateException}. A rank that waits for one
     * that has left gets {@link RankFailedException}. Closing again has no effect.
     *
     * <p>All ranks of a communicator must have made the same calls when they leave. The rank that leaves later compares
     * its calls with those of the ranks that have left before: with those of its own node here, with those of other
     * nodes when the last rank of its process leaves.
     *
     * @throws CollectiveMismatchException when this rank and one that has left have made different calls on a
     *             communicator, such as one call less, or one with another root, count, type or operator; this rank
     *             takes no further part in the job then
     */
    @Override
    void close();
}
