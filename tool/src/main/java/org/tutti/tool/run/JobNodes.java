/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The nodes of a job as the launcher sees them. Of a rank its own node is asked, which knows first; of the job any node
 * will do. What the launcher says, it says to all.
 */
final class JobNodes implements AutoCloseable {
    private static final int NOBODY = -1;

    private final Placement placement;
    private final List<JobNode> nodes;
    private boolean rendezvousPassedOn;

    /**
     * @param placement which ranks are where
     * @param nodes by number
     */
    JobNodes(Placement placement, List<JobNode> nodes) {
        this.placement = placement;
        this.nodes = nodes;
        this.rendezvousPassedOn = nodes.size() == 1;
    }

    /** {@return the process with this number, which was just started} */
    StartedProcess start(int process, JobOutput output) {
        int node = placement.nodeOfProcess(process);
        return nodes.get(node).start(process - placement.firstProcessOf(node), output);
    }

    boolean hasJoined(int rank) {
        return nodeOf(rank).hasJoined(rank);
    }

    boolean hasLeft(int rank) {
        return nodeOf(rank).hasLeft(rank);
    }

    /** Says that a rank has failed, unless it has left properly. */
    void markFailed(int rank) {
        if (!hasLeft(rank)) { // which the other nodes may not have heard yet
            nodes.forEach(node -> node.markFailed(rank));
        }
    }

    /** {@return the rank that failed first, as far as is known, or −1} */
    int firstFailedRank() {
        return nodes.stream().mapToInt(JobNode::firstFailedRank).filter(rank -> rank != NOBODY).findFirst()
                .orElse(NOBODY);
    }

    /** {@return the ending of an aborted job, if it was aborted} */
    Optional<Ending> abort() {
        for (var node : nodes) {
            OptionalInt status = node.abortStatus();
            if (status.isPresent()) {
                return Optional.of(Ending.aborted(node.abortRank(), status.getAsInt()));
            }
        }
        return Optional.empty();
    }

    /** {@return whether where rank 0 listens is still to be passed on to the other nodes, which this does if it can} */
    boolean awaitsRendezvous() {
        if (!rendezvousPassedOn) {
            nodes.getFirst().rendezvous().ifPresent(rendezvous -> {
                nodes.subList(1, nodes.size()).forEach(node -> node.publishRendezvous(rendezvous));
                rendezvousPassedOn = true;
            });
        }
        return !rendezvousPassedOn;
    }

    /** Looks whether nodes have been silent for too long. */
    void look() {
        nodes.forEach(JobNode::look);
    }

    private JobNode nodeOf(int rank) {
        return nodes.get(placement.nodeOfRank(rank));
    }

    @Override
    public void close() {
        nodes.forEach(JobNode::release);
        nodes.forEach(JobNode::close);
    }
}
