/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

/**
 * The set of ranks that were started together, as seen by one of them. A rank is one of the parallel instances of a
 * program. It closes its job when it has finished. If its process ends or its program throws before that, the rank has
 * failed, and all communicators that contain it are broken. Closing does not wait for other ranks, which may still be
 * at work.
 *
 * <p>A job is safe for use by any number of threads, but its communicators are not.
 */
public interface Job extends AutoCloseable {
    /**
     * {@return this rank's number, 0 to {@link #size()} − 1}
     */
    int rank();

    /**
     * {@return the number of ranks of the job, 1 or more}
     */
    int size();

    /**
     * {@return the communicator of all ranks of the job}
     */
    Communicator world();

    /**
     * Waits until everything that this rank has put into any remote memory is visible there to all ranks. The call
     * fences all open memories of all communicators, one after the other ({@link RemoteMemory#fenceAll}). It asks each
     * process to which this rank has written since its last fence. It also waits for the puts of requests that are not
     * done.
     *
     * @throws IllegalStateException if the rank has left the job, or another thread closes a memory meanwhile
     * @throws RankFailedException if a rank of a communicator with an open memory has failed
     */
    void fenceAll();

    /**
     * Ends the job for all ranks. Blocked and later calls of all ranks throw {@link JobAbortedException}, and so does
     * this method. If the processes were started by {@code tutti run}, it stops all of them and exits with the status.
     * A process that was started in another way ends with this status some time later, unless its program has ended
     * before.
     *
     * @param status the exit status, 0 to 255
     * @throws IllegalArgumentException if status is out of range
     * @throws JobAbortedException always, if the arguments are valid and the job is open
     */
    void abort(int status);

    /**
     * Leaves the job. Later calls on its communicators throw {@link IllegalStateException}. A rank that waits for a
     * rank that has left gets {@link RankFailedException}. Closing again has no effect.
     *
     * <p>All ranks of a communicator must have made the same calls before they leave the job. A rank that leaves
     * compares its calls with the calls of the ranks that have left before it. Ranks of its own node are compared in
     * this call. Ranks of other nodes are compared when the last rank of this process leaves.
     *
     * @throws CollectiveMismatchException if this rank and a rank that has left have made different calls on a
     *             communicator, for example one call less, or a call with another root, count, type or operator. This
     *             rank then counts as failed.
     */
    @Override
    void close();
}
