/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.communicators;

import java.util.HashMap;
import java.util.Map;

import org.tutti.Topology;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.communicator.LastCalls;
import org.tutti.collective.layout.Fingerprint;
import org.tutti.collective.machine.Machine;
import org.tutti.job.requests.RequestRunner;
import org.tutti.memory.ProgressPolicy;
import org.tutti.message.CommunicatorMessages;
import org.tutti.onesided.Allocator;

/**
 * Holds the state of one rank in a communicator, which all views of the communicator at this rank share. The state has
 * everything that the rank's calls need: the team with which its blocking calls run, the runner of its non-blocking
 * calls, the allocator of remote memory, and caches. Algorithms see only the team's {@code TeamContext}. A {@code
 * NodeView} only describes the communicator's ranks and nodes, and all ranks of a process share it.
 */
final class CommunicatorState {
    private static final int LISTS_MAX = 1 << 16;

    final long id;
    final Team team;
    final LiveMembers members;
    final Allocator allocator;
    final CommunicatorMessages messages;
    final RequestRunner runner;
    final Call call = new Call();
    final KernelCache kernels = new KernelCache();
    private final Topology topology;
    final LastCalls lastCalls;
    private final Runnable leaveGroup;
    private final Map<Long, Integer> made = new HashMap<>();
    private volatile boolean closed;

    /**
     * Creates the state of a rank's new communicator.
     *
     * @param id the number by which all ranks know the communicator
     * @param team the team with which this rank's blocking calls run
     * @param members the states of the communicator's ranks, which are joined, left or failed
     * @param topology the node of each rank
     * @param allocator the allocator of remote memory
     * @param messages the messages of the rank on the communicator
     * @param machine the access to memory for calls that run on the thread that makes or awaits them
     * @param backgroundMachine the access to memory for non-blocking calls that run on other threads
     * @param policy the record of whether the rank waits for its requests
     * @param leaveGroup an action that removes this rank from the {@link ProcessGroup}; null for the world
     */
    CommunicatorState(long id, Team team, LiveMembers members, Topology topology, Allocator allocator,
            CommunicatorMessages messages, Machine machine, Machine backgroundMachine, ProgressPolicy policy,
            Runnable leaveGroup) {
        this.id = id;
        this.team = team;
        this.members = members;
        this.topology = topology;
        this.allocator = allocator;
        this.messages = messages;
        this.runner = new RequestRunner(team, () -> team.forBackground(machine),
                () -> team.forBackground(backgroundMachine), policy);
        this.lastCalls = new LastCalls(team.context());
        this.leaveGroup = leaveGroup;
    }

    Topology topology() {
        return topology;
    }

    /** Returns the number that a rank of the communicator has in the job. */
    int rankInJob(int rank) {
        return members.rankInJob(rank);
    }

    void setName(String name) {
        members.setName(name);
    }

    /**
     * Returns the number of a new group, which all its ranks compute alike. It is a hash of the group's list of ranks
     * and of a count. The count is the number of groups, with the new one, that this rank has made of that list from
     * this communicator.
     */
    synchronized long numberOf(int[] ranks) {
        long list = ranks.length;
        for (int each : ranks) {
            list = Fingerprint.mix(list, each);
        }
        if (made.size() == LISTS_MAX && !made.containsKey(list)) {
            throw new IllegalStateException(
                    members.describe(team.rank()) + " has called create on one communicator with "
                            + LISTS_MAX
                            + " different lists of ranks, which is the limit; create groups of a duplicate, or split");
        }
        return Fingerprint.mix(list, made.merge(list, 1, Integer::sum));
    }

    boolean isWorld() {
        return leaveGroup == null;
    }

    /**
     * Frees this rank's part of the memory of a closed group, if the other ranks of the node have also closed the
     * group. Returns whether everything is freed.
     */
    boolean tryRelease() {
        return team.ending().tryRelease(leaveGroup);
    }

    /** Frees this rank's part of a group when the rank leaves the job, without waiting for other ranks. */
    void abandon() {
        team.ending().abandon(leaveGroup);
    }

    void checkOpen() {
        if (closed) {
            throw new IllegalStateException(members.describe(team.rank())
                    + " has closed this communicator, and cannot use it any more");
        }
    }

    boolean isClosed() {
        return closed;
    }

    /** Checks that the communicator can be closed, because no call is in flight and no remote memory is open. */
    void checkIdle() {
        team.checkIdle("close");
        runner.checkIdle("close");
        if (allocator.open() > 0) {
            throw new IllegalStateException(members.describe(team.rank()) + " cannot close the communicator while "
                    + "remote memory or mutexes that were allocated by it are open, " + allocator.open()
                    + " in all; close them first");
        }
    }

    void close() {
        closed = true;
        messages.close();
        team.ending().leave();
    }
}
