/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

/**
 * What a team knows of its ranks' lives.
 */
public interface Members {
    /**
     * {@return a number that grows whenever a rank of the job fails or leaves, or the job is aborted; cheap to read}
     */
    long changes();

    /**
     * Looks for a reason to give up: the job was aborted, a rank of the communicator has failed, or the awaited rank
     * has left.
     *
     * @param awaited the rank of the communicator that the caller waits for, or −1
     * @return the exception to throw, or null
     */
    RuntimeException failure(int awaited);

    /**
     * Tells whether a rank of the communicator has left the job: it reads and writes nothing any more.
     *
     * @param rank the rank
     * @return whether it has
     */
    boolean hasLeft(int rank);

    /**
     * Tells whether a rank of the communicator has failed or left the job: it takes no further part in anything.
     *
     * @param rank the rank
     * @return whether it has
     */
    boolean isGone(int rank);

    /**
     * {@return what to call a rank of the communicator in messages, such as "rank 3"}
     *
     * @param rank the rank
     */
    String describe(int rank);
}
