/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.members;

import org.tutti.memory.Waiter;

/**
 * The lives of a communicator's ranks, as one rank knows them: which have failed or left, and their names in messages.
 * Ranks are those of the communicator, unless a method says otherwise; ranks outside of the communicator do not matter
 * to it.
 */
public interface Members {
    /**
     * {@return a number that grows whenever a rank of the job fails or leaves, or the job is aborted; cheap to read}
     */
    long changes();

    /**
     * Looks for a reason to give up a wait: the job was aborted, a rank of the communicator has failed, or the awaited
     * rank has left.
     *
     * @param awaited the rank of the communicator that the caller waits for, or −1
     * @return the exception to throw, or null
     */
    RuntimeException failure(int awaited);

    /**
     * Looks more closely for a reason not to wait for a rank on another node. Waits do so rarely.
     *
     * @param awaited the rank of the communicator that the caller waits for
     * @param check may end the look by throwing
     * @return the exception to throw, or null
     */
    default RuntimeException look(int awaited, Waiter.Check check) {
        return null;
    }

    /**
     * Tells whether a rank of the communicator has left the job, after which it reads and writes nothing.
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
     * Tells whether the process of a rank of this node has ended, after which it reads and writes nothing. A rank may
     * count as failed for other reasons, and go on.
     *
     * @param rank the rank
     * @return whether that is known
     */
    default boolean hasEnded(int rank) {
        return false;
    }

    /**
     * Tells whether a rank of the communicator has failed or left the job, after which it takes part in nothing.
     *
     * @param rank the rank
     * @return whether it has
     */
    boolean isGone(int rank);

    /**
     * {@return the name of a rank of the communicator in messages, such as "rank 3"}
     *
     * @param rank the rank
     */
    String describe(int rank);

    /**
     * Describes where the ranks of this node are, for the message of a deadline that has passed. Only the first such
     * message of the job has this; other exceptions are held up until it is known.
     *
     * @param rank the rank of the communicator that has passed its deadline
     * @return lines to add to the message, or nothing
     */
    default String location(int rank) {
        return "";
    }

    /**
     * {@return the name of the communicator in messages, such as "the world"}
     */
    default String communicator() {
        return "the communicator";
    }

    /**
     * {@return an object that stands for the job: the same for all communicators of a job in this process, and for
     * those of no other job}
     */
    default Object job() {
        return this;
    }

    /**
     * Returns the rank in the job of a rank of the communicator. Both are the same if all ranks of the job take part,
     * in their order.
     *
     * @param rank the rank of the communicator
     * @return its rank in the job
     */
    default int rankInJob(int rank) {
        return rank;
    }

    /**
     * {@return the name of a rank of the job in messages, whether or not it is a rank of the communicator}
     *
     * @param rank the rank in the job
     */
    default String describeInJob(int rank) {
        return describe(rank);
    }
}
