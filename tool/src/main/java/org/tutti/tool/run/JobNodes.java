/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.tutti.collective.calls.RankRecord;
import org.tutti.job.diagnosis.RankLocation;
import org.tutti.job.node.RankFailure;

/**
 * The nodes of a job as the launcher sees them. Questions about a rank go to its own node, which knows first; questions
 * about the job go to any node. The launcher tells its own news to all nodes.
 */
final class JobNodes implements AutoCloseable {
    private static final int NOBODY = -1;
    private static final long LOOK_MILLIS = 10;

    private final Placement placement;
    private final List<JobNode> nodes;
    private boolean rendezvousPassedOn;

    /**
     * @param placement the node and the process of each rank
     * @param nodes the nodes by number
     */
    JobNodes(Placement placement, List<JobNode> nodes) {
        this.placement = placement;
        this.nodes = nodes;
        this.rendezvousPassedOn = nodes.size() == 1;
    }

    /** {@return the process with this number, started by this call} */
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

    /** {@return the rank without which a rank could not go on, although the missed rank has not failed; or −1} */
    int missed(int rank) {
        return nodeOf(rank).missed(rank);
    }

    /** Tells all nodes that a rank has failed, unless the rank has left properly. */
    void markFailed(RankFailure failure) {
        if (!hasLeft(failure.rank())) { // the other nodes may not know yet that it has left
            nodes.forEach(node -> node.markFailed(failure));
        }
    }

    /**
     * {@return the rank that failed first, as far as the nodes know, or −1; a rank that has left by its own node's
     * account does not count}
     */
    int firstFailedRank() {
        return failures().mapToInt(RankFailure::rank).findFirst().orElse(NOBODY);
    }

    /** {@return the failure of a rank that counts as failed first; as its own node knows it, if that node knows} */
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

    /** {@return whether another node that still takes part in the job has not heard of this failure} */
    boolean isDisputed(int failedRank) {
        return IntStream.range(0, nodes.size()).filter(node -> node != placement.nodeOfRank(failedRank))
                .filter(node -> nodes.get(node).firstFailure().isEmpty())
                .anyMatch(node -> placement.ranksOfNode(node).ranks().anyMatch(rank -> !hasLeft(rank)));
    }

    /** {@return a clause about nodes that cannot reach each other, if that is why ranks count as failed} */
    Optional<String> separation() {
        var apart = apart(IntStream.range(0, nodes.size())
                .map(node -> cause(node).map(failure -> blamed(node, failure)).orElse(NOBODY))
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

    /**
     * {@return the first failure that a node knows; if it is not of the network, the first failure that the failed
     * rank's node knows, and so on, because a rank that loses another one ends}
     */
    private Optional<RankFailure> cause(int node) {
        var cause = nodes.get(node).firstFailure();
        for (int step = 1; step < nodes.size() && cause.isPresent() && !cause.get().reason().isOfTheNetwork(); step++) {
            cause = nodes.get(placement.nodeOfRank(cause.get().rank())).firstFailure();
        }
        return cause;
    }

    /** {@return the node that a node has lost, or −1; a report from other nodes is no evidence} */
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
     * {@return the nodes that are cut off: each has lost a node, at least one node has lost it, and no other node has
     * lost a third; two nodes that have lost only each other are both returned}
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

    /** {@return the ending of an aborted job, if a rank has aborted it} */
    Optional<Ending> abort() {
        for (var node : nodes) {
            OptionalInt status = node.abortStatus();
            if (status.isPresent()) {
                return Optional.of(Ending.aborted(node.abortRank(), status.getAsInt()));
            }
        }
        return Optional.empty();
    }

    /**
     * Passes the address of rank 0 on to the other nodes, once it is known. {@return whether that is still to be done}
     */
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

    /** {@return where the ranks of a process are, if the process has answered the last question} */
    Optional<List<RankLocation>> answer(int process) {
        int node = placement.nodeOfProcess(process);
        return nodes.get(node).answer(process - placement.firstProcessOf(node));
    }

    /**
     * Asks for the records of all ranks. {@return the records of the ranks that have joined, from the nodes that have
     * answered in time}
     *
     * @param patience how long to wait for the answers of nodes
     */
    synchronized Map<Integer, RankRecord> records(Duration patience) throws InterruptedException {
        nodes.forEach(JobNode::askRecords);
        long deadlineNanos = System.nanoTime() + patience.toNanos();
        Map<Integer, RankRecord> all = new TreeMap<>();
        for (var node : nodes) {
            var records = node.records();
            while (records.isEmpty() && System.nanoTime() - deadlineNanos < 0 && !node.isLost()) {
                Thread.sleep(LOOK_MILLIS);
                records = node.records();
            }
            records.ifPresent(all::putAll);
        }
        return all;
    }

    /** {@return the number of nodes that have not answered the last question for records} */
    int nodesWithoutRecords() {
        return (int) nodes.stream().filter(node -> !node.hasAnsweredRecords()).count();
    }

    /** Checks whether nodes have been silent for too long. */
    void look() {
        nodes.forEach(JobNode::look);
    }

    /** Completes the recordings of the job's processes. {@return sentences about recordings that are not complete} */
    List<String> gatherRecordings() throws InterruptedException {
        List<String> sentences = new ArrayList<>();
        for (var node : nodes) {
            sentences.addAll(node.gatherRecordings());
        }
        return sentences;
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
