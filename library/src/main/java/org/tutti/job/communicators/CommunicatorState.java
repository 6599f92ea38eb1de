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
import org.tutti.job.requests.ProgressPolicy;
import org.tutti.job.requests.RequestRunner;
import org.tutti.onesided.Allocator;

/**
 * A rank's part in a communicator: what all views of it share.
 */
final class CommunicatorState {
    private static final int LISTS_MAX = 1 << 16;

    final long id;
    final Team team;
    final LiveMembers members;
    final Allocator allocator;
    final RequestRunner runner;
    final Call call = new Call();
    final KernelCache kernels = new KernelCache();
    private final Topology topology;
    final LastCalls lastCalls;
    private final Runnable leaveGroup;
    private final Map<Long, Integer> made = new HashMap<>();
    private volatile boolean closed;

    /**
     * @param id the number that all ranks of the communicator know it by
     * @param team this rank's
     * @param members what is known of the ranks' lives
     * @param topology where they are
     * @param allocator gives remote memory
     * @param machine what calls do things with on the threads that make or await them
     * @param backgroundMachine what non-blocking calls do things with
     * @param policy whether the rank waits for them
     * @param leaveGroup leaves what the process's ranks share of it; null for the world
     */
    CommunicatorState(long id, Team team, LiveMembers members, Topology topology, Allocator allocator,
            Machine machine, Machine backgroundMachine, ProgressPolicy policy, Runnable leaveGroup) {
        this.id = id;
        this.team = team;
        this.members = members;
        this.topology = topology;
        this.allocator = allocator;
        this.runner = new RequestRunner(team, () -> team.forBackground(machine),
                () -> team.forBackground(backgroundMachine), policy);
        this.lastCalls = new LastCalls(team.context());
        this.leaveGroup = leaveGroup;
    }

    Topology topology() {
        return topology;
    }

    /** The rank in the job of one of the communicator. */
    int rankInJob(int rank) {
        return members.rankInJob(rank);
    }

    void setName(String name) {
        members.setName(name);
    }

    /** Numbers groups by their ranks: how often this rank has made one of the same ranks here, and which these are. */
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

    /** Gives back what the rank has of a group that it has closed, as far as others are done with it. */
    boolean tryRelease() {
        return team.ending().tryRelease(leaveGroup);
    }

    /** The same at the end of the rank, which waits for nothing more. */
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

    /** Checks that it can be closed: nothing is in flight or allocated by it. */
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
        team.ending().leave();
    }
}
