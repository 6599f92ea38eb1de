/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.members;

import org.tutti.memory.Waiter;

/**
 * What a communicator knows of its ranks' lives. Ranks are those of the communicator; what becomes of others is nothing
 * to it.
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
     * Looks more closely for a reason not to wait for a rank on another node; that is done rarely.
     *
     * @param awaited the rank of the communicator that the caller waits for
     * @param check what may end the look, by throwing
     * @return the exception to throw, or null
     */
    default RuntimeException look(int awaited, Waiter.Check check) {
        return null;
    }

    /**
     * Tells whether a rank of the communicator has left the job: it reads and writes nothing any more.
     *
     * @param rank the rank
     * @return whether it has
     */
    boolean hasLeft(int rank);

    /**
     * Tells whether a rank of the job, of the communicator or not, has left the job.
     *
     * @param rank the rank in the job
     * @return whether it has
     */
    default boolean hasLeftJob(int rank) {
        return hasLeft(rank);
    }

    /**
     * Tells whether the process of a rank of this node has ended: it reads and writes nothing any more. A rank may
     * count as failed for other reasons, and go on.
     *
     * @param rank the rank
     * @return whether that is known
     */
    default boolean hasEnded(int rank) {
        return false;
    }

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

    /**
     * Says where the ranks of this node are, for the message of a deadline that has passed; only for the first one of
     * the job, and what others throw is held up until that is known.
     *
     * @param rank whose deadline it is, a rank of the communicator
     * @return what to add to the message, in lines of its own; or nothing
     */
    default String location(int rank) {
        return "";
    }

    /**
     * {@return what to call the communicator in messages, such as "the world"}
     */
    default String communicator() {
        return "the communicator";
    }

    /**
     * {@return what is the same for all communicators of a job in this process, and for those of no other job}
     */
    default Object job() {
        return this;
    }

    /**
     * Tells which rank of the job a rank is; they are the same where all ranks of the job take part, in their order.
     *
     * @param rank the rank of the communicator
     * @return its rank in the job
     */
    default int rankInJob(int rank) {
        return rank;
    }

    /**
     * {@return what to call a rank of the job in messages, whether or not it is one of the communicator}
     *
     * @param rank the rank in the job
     */
    default String describeInJob(int rank) {
        return describe(rank);
    }
}
