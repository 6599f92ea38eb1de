/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

import org.tutti.job.diagnosis.RankLocation;
import org.tutti.job.node.RankFailure;

/**
 * A node of the job as the launcher sees it: starts its processes, and knows what its ranks have said, of themselves
 * and of others.
 */
interface JobNode extends AutoCloseable {
    /** {@return "host b", or "node 1" of this host} */
    String name();

    /** {@return the node's process with this number, the node's first being 0, which was just started} */
    StartedProcess start(int process, JobOutput output);

    /** {@return whether a rank of this node has joined the job} */
    boolean hasJoined(int rank);

    /** {@return whether a rank of this node has left the job properly} */
    boolean hasLeft(int rank);

    /** {@return the rank without which one of this node could not go on, though that has not failed, or −1} */
    int missed(int rank);

    /** Tells the node that a rank of whichever node has failed. */
    void markFailed(RankFailure failure);

    /** {@return the failure of whichever node's rank that this node knew of first, if it knows of any} */
    Optional<RankFailure> firstFailure();

    /** {@return the status that the job was aborted with, if it was} */
    OptionalInt abortStatus();

    /** {@return the rank that aborted the job, when one did} */
    int abortRank();

    /** {@return where the process of rank 0 listens, once it is known here} */
    Optional<String> rendezvous();

    /** Tells the node where the process of rank 0 listens. */
    void publishRendezvous(String rendezvous);

    /** Asks the node's processes where their ranks are. */
    void ask();

    /**
     * {@return where the ranks of the node's process with this number are, if it has answered the last question}
     */
    Optional<List<RankLocation>> answer(int process);

    /** Looks whether the node has been silent for too long; called every now and then. */
    default void look() {}

    /** Tells the node that it is not needed any more, without waiting. */
    default void release() {}

    @Override
    void close();
}
