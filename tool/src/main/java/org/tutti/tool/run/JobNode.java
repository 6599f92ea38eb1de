/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

import org.tutti.collective.calls.RankRecord;
import org.tutti.job.diagnosis.RankLocation;
import org.tutti.job.node.RankFailure;

/**
 * A node of the job as the launcher sees it: starts the node's processes, and knows what its ranks have reported about
 * themselves and about others.
 */
interface JobNode extends AutoCloseable {
    /** {@return "host b", or "node 1" of this host} */
    String name();

    /** {@return a process of the node, started by this call; the number counts from 0 in each node} */
    StartedProcess start(int process, JobOutput output);

    /** {@return whether a rank of this node has joined the job} */
    boolean hasJoined(int rank);

    /** {@return whether a rank of this node has left the job properly} */
    boolean hasLeft(int rank);

    /**
     * {@return the rank without which a rank of this node could not go on, although the missed rank has not failed; or
     * −1}
     */
    int missed(int rank);

    /** Tells the node that a rank of the job has failed. */
    void markFailed(RankFailure failure);

    /** {@return the first failure of a rank of the job that this node knew of, if it knows of any} */
    Optional<RankFailure> firstFailure();

    /** {@return the status of the abort, if a rank has aborted the job} */
    OptionalInt abortStatus();

    /** {@return the rank that aborted the job, if one did} */
    int abortRank();

    /** {@return the address of rank 0's process, once this node knows it} */
    Optional<String> rendezvous();

    /** Tells the node the address of rank 0's process. */
    void publishRendezvous(String rendezvous);

    /** Asks the node's processes where their ranks are. */
    void ask();

    /**
     * {@return where the ranks of a process of the node are, if the process has answered the last question; the number
     * counts from 0 in each node}
     */
    Optional<List<RankLocation>> answer(int process);

    /** {@return whether the connection to the node has ended, so that the node answers no more} */
    default boolean isLost() {
        return false;
    }

    /** Asks the node for the records of its ranks. */
    void askRecords();

    /** {@return whether the node has answered the last question for records; a node of this host needs no time} */
    default boolean hasAnsweredRecords() {
        return true;
    }

    /**
     * {@return the records of those ranks of the node that have joined, if the node has answered the last question}
     */
    Optional<Map<Integer, RankRecord>> records();

    /**
     * Completes the recordings of the node's processes, which have ended, on this host.
     *
     * @return a sentence for each recording that is missing or not complete
     */
    default List<String> gatherRecordings() throws InterruptedException {
        return List.of();
    }

    /** Checks whether the node has been silent for too long; the launcher calls this regularly. */
    default void look() {}

    /** Tells the node that the job is over, without waiting. */
    default void release() {}

    @Override
    void close();
}
