/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.communicators;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;

import org.tutti.Collective;
import org.tutti.JobAbortedException;
import org.tutti.RankFailedException;
import org.tutti.choice.Catalogue;
import org.tutti.collective.blocks.CarriedBlocksAlgorithm;
import org.tutti.collective.communicator.GroupCreation;
import org.tutti.collective.layout.CallShape;
import org.tutti.collective.members.Members;
import org.tutti.job.diagnosis.FirstDeadline;
import org.tutti.job.diagnosis.RankList;
import org.tutti.job.node.Node;
import org.tutti.job.node.NodeLayout;
import org.tutti.job.node.RankFailure;
import org.tutti.memory.CallSite;
import org.tutti.memory.Waiter;

/**
 * Tells whether the ranks of a communicator have joined, left or failed. This is a view of {@link Node}, which has the
 * states of all ranks of the job. An abort ends the calls of all communicators. A failed rank ends only the calls of
 * the communicators that it is in.
 *
 * <p>Memory ordering: a process first marks a rank as failed, and then increments the node's changes word. If a thread
 * reads the changes word and then finds no failed member, no member has failed as long as the word stays the same. The
 * thread stores this value of the word, so that later calls need not look again. Threads may store such values in any
 * order.
 */
public final class LiveMembers implements Members {
    private static final int NOBODY = -1;

    private final Node node;
    private final int[] ranks;
    private final FirstDeadline firstDeadline;
    private volatile long changesWithoutFailure = -1;
    private volatile String name;
    private volatile GroupCreation creation;

    /**
     * Creates a view of the states of a communicator's ranks.
     *
     * @param node the state that the ranks of the node share, which has the states of all ranks
     * @param ranks for each rank of the communicator its rank in the job; null for all ranks of the job in their order
     * @param firstDeadline the report of where the ranks of the node are when a deadline has passed
     */
    LiveMembers(Node node, int[] ranks, FirstDeadline firstDeadline) {
        this.node = node;
        this.ranks = ranks;
        this.firstDeadline = firstDeadline;
    }

    /** Returns for each rank of the communicator its rank in the job. */
    int[] ranksInJob() {
        return ranks != null ? ranks : IntStream.range(0, node.size()).toArray();
    }

    /** Sets the name of the communicator in messages. */
    void setName(String newName) {
        name = newName;
    }

    /**
     * Sets the creation of this group while it is in progress. If the creation fails, the group's first operation ends,
     * too. This is needed because a member that has not joined the group can break only the communicator from which it
     * is made.
     *
     * @param newCreation the creation; null once the group is complete
     */
    void setCreation(GroupCreation newCreation) {
        creation = newCreation;
    }

    @Override
    public String describe(Collective collective, String algorithm, CallShape shape) {
        return Catalogue.search(collective, algorithm)
                .map(found -> shape.isUnequal() ? CarriedBlocksAlgorithm.of(found) : found)
                .map(running -> running.describe(shape)).orElse(algorithm);
    }

    @Override
    public Object job() {
        return node;
    }

    @Override
    public long changes() {
        return node.changes();
    }

    @Override
    public RuntimeException failure(int awaited) {
        if (node.abortStatus() >= 0) {
            return new JobAbortedException(node.abortRank(), node.abortStatus(),
                    "rank " + node.abortRank() + " aborted the job with status " + node.abortStatus());
        }
        int failed = firstFailed();
        if (failed != NOBODY) {
            return exception(failed);
        }
        if (awaited >= 0 && hasLeft(awaited)) {
            return new RankFailedException(rankInJob(awaited), describe(awaited)
                    + " has left the job, as its program or an exception in it closed the job, and will not take "
                    + "part in this call" + CallSite.here());
        }
        GroupCreation making = creation;
        return making == null ? null : making.failure(awaited);
    }

    @Override
    public RuntimeException look(int awaited, Waiter.Check check) {
        GroupCreation making = creation;
        return making == null ? null : making.look(awaited, check);
    }

    /**
     * Returns the rank of the communicator that failed first, or {@link #NOBODY}. If a rank outside the communicator
     * failed first, returns any rank of the communicator that has failed.
     */
    private int firstFailed() {
        int first = node.firstFailedRank();
        if (first < 0 || ranks == null) {
            return first;
        }
        long changes = node.changes();
        if (changes == changesWithoutFailure) {
            return NOBODY;
        }
        int failed = NOBODY;
        for (int rank = 0; rank < ranks.length; rank++) {
            if (ranks[rank] == first) {
                return rank;
            }
            if (failed == NOBODY && node.state(ranks[rank]) == NodeLayout.FAILED) {
                failed = rank;
            }
        }
        if (failed == NOBODY) {
            changesWithoutFailure = changes;
        }
        return failed;
    }

    /**
     * Returns the exception to throw for a failed member. Usually it names the member. But if the member runs on this
     * node, and counts as failed because of a network fault, this node has lost its connection to the witness, the rank
     * that noticed the fault. In this case the exception names the witness.
     */
    private RankFailedException exception(int failed) {
        int rank = rankInJob(failed);
        RankFailure failure = RankFailure.of(rank, node.word(rank));
        int witness = failure.witness();
        if (node.processIdentifier(rank) == 0) {
            return new RankFailedException(rank,
                    describe(failed) + " failed: its process ended before it joined the job");
        }
        if (failure.reason().isOfTheNetwork() && witness >= 0 && node.isHere(rank)) {
            return new RankFailedException(witness, name(witness) + " is cut off from " + name(rank)
                    + ", which it counts as failed; see the network between them");
        }
        String why = failure.reason() == RankFailure.Reason.UNREACHABLE ? node.whyUnreachable(rank) : "";
        return new RankFailedException(rank, name(rank) + " "
                + failure.describe(witness < 0 ? "the launcher" : name(witness)) + (why.isEmpty() ? "" : ": " + why));
    }

    /** Returns a description of a rank of the job with its process and host. */
    private String name(int rank) {
        return describe(member(rank), rank, "process " + node.processIdentifier(rank)
                + node.host(rank).map(host -> " on host " + host).orElse(""));
    }

    /** Returns the number that a rank of the job has in the communicator, if it is a member. */
    OptionalInt find(int rank) {
        int member = member(rank);
        return member == NOBODY ? OptionalInt.empty() : OptionalInt.of(member);
    }

    /** Returns the number that a rank of the job has in the communicator, or {@link #NOBODY} if it is not a member. */
    private int member(int rank) {
        if (ranks == null) {
            return rank;
        }
        for (int member = 0; member < ranks.length; member++) {
            if (ranks[member] == rank) {
                return member;
            }
        }
        return NOBODY;
    }

    /**
     * Returns a description of a rank, with its number in the communicator. The rank's number in the job follows if the
     * two may differ.
     */
    private String describe(int member, int rank, String more) {
        List<String> added = new ArrayList<>();
        if (ranks != null && member != NOBODY) {
            added.add("rank " + rank + " of the job");
        }
        if (!more.isEmpty()) {
            added.add(more);
        }
        String known = name;
        return (member == NOBODY ? "rank " + rank + " of the job" : "rank " + member
                + (known == null ? "" : " of \"" + known + '"'))
                + (added.isEmpty() ? "" : " (" + String.join(", ", added) + ")");
    }

    @Override
    public boolean hasLeft(int rank) {
        return hasLeftJob(rankInJob(rank));
    }

    @Override
    public boolean hasLeftJob(int rank) {
        return node.state(rank) == NodeLayout.LEFT;
    }

    @Override
    public boolean hasEnded(int rank) {
        return node.hasEnded(rankInJob(rank));
    }

    @Override
    public boolean isGone(int rank) {
        return node.state(rankInJob(rank)) >= NodeLayout.LEFT;
    }

    @Override
    public String location(int rank) {
        return firstDeadline.passed(rankInJob(rank));
    }

    @Override
    public String communicator() {
        String known = name;
        return known != null ? '"' + known + '"' : ranks == null ? "the world" : "a group of " + RankList.name(ranks);
    }

    @Override
    public int rankInJob(int rank) {
        return ranks == null ? rank : ranks[rank];
    }

    @Override
    public String describe(int rank) {
        return describe(rank, rankInJob(rank), "");
    }

    @Override
    public String describeInJob(int rank) {
        return describe(member(rank), rank, "");
    }
}
