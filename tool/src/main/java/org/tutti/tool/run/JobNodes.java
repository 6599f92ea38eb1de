/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.tutti.job.diagnosis.RankLocation;
import org.tutti.job.node.RankFailure;

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

    /** {@return the rank without which one could not go on, though that has not failed, or −1} */
    int missed(int rank) {
        return nodeOf(rank).missed(rank);
    }

    /** Says that a rank has failed, unless it has left properly. */
    void markFailed(RankFailure failure) {
        if (!hasLeft(failure.rank())) { // which the other nodes may not have heard yet
            nodes.forEach(node -> node.markFailed(failure));
        }
    }

    /** {@return the rank that failed first, as far as is known, or −1; that one has left, its own node knows best} */
    int firstFailedRank() {
        return failures().mapToInt(RankFailure::rank).findFirst().orElse(NOBODY);
    }

    /** {@return how the failure of a rank is known that counts as failed first; by its own node, if that knows} */
    Optional<RankFailure> firstFailure(int rank) {
        if (rank < 0) {
            return Optional.empty();
        }
        return Stream.concat(failuresOn(Stream.of(nodes.get(placement.nodeOfRank(rank)))), failures())
                .filter(failure -> failure.rank() == rank).findFirst();
    }

    private Stream<RankFailure> failures() {
        return failuresOn(nodes.stream());
    }

    private Stream<RankFailure> failuresOn(Stream<? extends JobNode> of) {
        return of.map(JobNode::firstFailure).flatMap(Optional::stream).filter(failure -> !hasLeft(failure.rank()));
    }

    /** {@return whether, of the nodes but its own, some that still take part have not heard that this rank failed} */
    boolean isDisputed(int failedRank) {
        return IntStream.range(0, nodes.size()).filter(node -> node != placement.nodeOfRank(failedRank))
                .filter(node -> nodes.get(node).firstFailure().isEmpty())
                .anyMatch(node -> placement.ranksOfNode(node).ranks().anyMatch(rank -> !hasLeft(rank)));
    }

    /** {@return what to say of nodes that cannot reach each other, a clause, if that is why ranks count as failed} */
    Optional<String> separation() {
        var apart = apart(IntStream.range(0, nodes.size())
                .map(node -> nodes.get(node).firstFailure().map(failure -> blamed(node, failure)).orElse(NOBODY))
                .toArray());
        return switch (apart.size()) {
            case 0 -> Optional.empty();
            case 1 -> Optional.of(nodes.get(apart.getFirst()).name() + " was cut off from the others, so "
                    + placement.ranksOfNode(apart.getFirst()).name() + " could not go on with them");
            default ->
                Optional.of(apart.stream().map(node -> nodes.get(node).name()).collect(Collectors.joining(" and "))
                        + " were cut off from each other");
        };
    }

    /** {@return which node another one has lost; what it has only heard from others is no evidence} */
    private int blamed(int node, RankFailure failure) {
        if (failure.witness() < 0 || !failure.reason().isOfTheNetwork()) {
            return NOBODY;
        }
        int accuser = placement.nodeOfRank(failure.witness());
        int accused = placement.nodeOfRank(failure.rank());
        if (accuser == accused) {
            return NOBODY;
        }
        return accuser == node ? accused : accused == node ? accuser : NOBODY;
    }

    /**
     * {@return the nodes that the others have lost, while they themselves have lost others; two of them when each may
     * be right}
     *
     * @param blamed the node that each node has lost first, or −1
     */
    static List<Integer> apart(int[] blamed) {
        return IntStream.range(0, blamed.length)
                .filter(node -> blamed[node] != NOBODY && blamed[node] != node)
                .filter(node -> IntStream.of(blamed).anyMatch(other -> other == node))
                .filter(node -> IntStream.range(0, blamed.length)
                        .allMatch(other -> other == node || blamed[other] == node || blamed[other] == NOBODY))
                .boxed().toList();
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

    /** Asks all processes where their ranks are. */
    void ask() {
        nodes.forEach(JobNode::ask);
    }

    /** {@return where the ranks of the process with this number are, if it has answered the last question} */
    Optional<List<RankLocation>> answer(int process) {
        int node = placement.nodeOfProcess(process);
        return nodes.get(node).answer(process - placement.firstProcessOf(node));
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
