/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.members;

import org.tutti.Collective;
import org.tutti.collective.layout.CallShape;
import org.tutti.memory.Waiter;

/**
 * The state of a communicator's ranks, as far as one rank knows it. It tells which ranks have failed or left the job,
 * and the names of ranks in messages. Unless a method says otherwise, a rank is a rank of the communicator, and the
 * failures of other ranks of the job are ignored.
 */
public interface Members {
    /**
     * {@return a number that grows whenever a rank of the job fails or leaves, or the job is aborted. The call is
     * cheap, so a waiting rank can repeat it.}
     */
    long changes();

    /**
     * Returns the reason why a wait must end, if there is one: the job was aborted, a rank of the communicator has
     * failed, or the awaited rank has left the job.
     *
     * @param awaited the rank of the communicator that the caller waits for, or −1 if it waits for no certain rank
     * @return the exception to throw, or null
     */
    RuntimeException failure(int awaited);

    /**
     * Returns the reason why a wait for a rank on another node must end, if there is one. This method checks more
     * thoroughly than {@link #failure}. A waiting rank calls it rarely, because the check may exchange messages.
     *
     * @param awaited the rank of the communicator that the caller waits for
     * @param check a check, called from time to time, that may end this call by throwing
     * @return the exception to throw, or null
     */
    default RuntimeException look(int awaited, Waiter.Check check) {
        return null;
    }

    /**
     * Returns whether a rank of the communicator has left the job. After that the rank neither reads nor writes shared
     * memory.
     *
     * @param rank the rank
     * @return whether the rank has left
     */
    boolean hasLeft(int rank);

    /**
     * Returns whether a rank of the job has left the job. The rank need not be a rank of the communicator.
     *
     * @param rank the rank in the job
     * @return whether the rank has left
     */
    default boolean hasLeftJob(int rank) {
        return hasLeft(rank);
    }

    /**
     * Returns whether the process of a rank of this node is known to have ended. After that the rank neither reads nor
     * writes shared memory. A rank may also count as failed although its process goes on. This method then returns
     * false.
     *
     * @param rank the rank
     * @return true if the process has ended; false if that is not known
     */
    default boolean hasEnded(int rank) {
        return false;
    }

    /**
     * Returns whether a rank of the communicator has failed or left the job. Such a rank takes part in no further call.
     *
     * @param rank the rank
     * @return whether the rank has failed or left
     */
    boolean isGone(int rank);

    /**
     * {@return the name of a rank of the communicator in messages, such as "rank 3"}
     *
     * @param rank the rank
     */
    String describe(int rank);

    /**
     * Returns the name of an algorithm in messages about a call. If another algorithm takes its steps, or moves a part
     * of the blocks, the name says so.
     *
     * @param collective the collective that is called
     * @param algorithm the name of the algorithm that was chosen
     * @param shape the facts of the call on which the algorithm's steps depend
     * @return the name, such as "bruck", "bruck: ring on one node" or "bruck, rest by blocks"
     */
    default String describe(Collective collective, String algorithm, CallShape shape) {
        return algorithm;
    }

    /**
     * Describes where in their programs the ranks of this node are, for the message of an exception about a passed
     * deadline. Only the first such message on the node has this description. Ranks that pass a deadline later wait
     * until it is complete.
     *
     * @param rank the rank of the communicator that has passed its deadline
     * @return the lines to add to the message, or an empty string
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
     * {@return an object that identifies the job. It is the same object for all communicators of a job in this process,
     * and a different one for each other job.}
     */
    default Object job() {
        return this;
    }

    /**
     * Returns the rank in the job of a rank of the communicator. Both numbers are the same if the communicator has all
     * ranks of the job, in their order.
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
