/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.util.HashMap;
import java.util.Map;

import org.tutti.Topology;
import org.tutti.collective.Call;
import org.tutti.collective.Machine;
import org.tutti.collective.Team;
import org.tutti.collective.kernel.Kernel;
import org.tutti.onesided.Allocator;

/**
 * A rank's part in a communicator: what all views of it share.
 */
final class Membership {
    private static final int KERNELS_KEPT = 8;
    private static final int LISTS_MAX = 1 << 16;

    final long id;
    final Team team;
    final LiveMembers members;
    final Allocator allocator;
    final Background background;
    final Call call = new Call();
    final Kernel[] kernels = new Kernel[KERNELS_KEPT];
    private final Topology topology;
    private final SharedGroup group;
    private final SharedGroup.All groups;
    private final Map<Long, Integer> made = new HashMap<>();
    private volatile boolean closed;
    private boolean settled;

    /**
     * @param id the number that all ranks of the communicator know it by
     * @param team this rank's
     * @param members what is known of the ranks' lives
     * @param topology where they are
     * @param allocator gives remote memory
     * @param backgroundMachine what non-blocking calls do things with
     * @param group what the process's ranks share of it, which this rank has entered; null for the world
     * @param groups where it leaves that
     */
    Membership(long id, Team team, LiveMembers members, Topology topology, Allocator allocator,
            Machine backgroundMachine, SharedGroup group, SharedGroup.All groups) {
        this.id = id;
        this.team = team;
        this.members = members;
        this.topology = topology;
        this.allocator = allocator;
        this.background = new Background(team, () -> team.forBackground(backgroundMachine));
        this.group = group;
        this.groups = groups;
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
            list = Communicators.mix(list, each);
        }
        if (made.size() == LISTS_MAX && !made.containsKey(list)) {
            throw new IllegalStateException(
                    members.describe(team.rank()) + " has called create on one communicator with "
                            + LISTS_MAX
                            + " different lists of ranks, which is the limit; create groups of a duplicate, or split");
        }
        return Communicators.mix(list, made.merge(list, 1, Integer::sum));
    }

    boolean isWorld() {
        return group == null;
    }

    void checkOpen() {
        if (closed) {
            throw new IllegalStateException(members.describe(team.rank())
                    + " has closed this communicator, and cannot use it any more");
        }
    }

    /** Closes it, when nothing is in flight; returns false if it was closed before. */
    boolean close() {
        if (closed) {
            return false;
        }
        team.checkIdle("close");
        background.checkIdle("close");
        closed = true;
        team.ending().leaveAll();
        return true;
    }

    /**
     * Gives back what this rank has of a group that it has closed, as far as the other ranks of its node have no need
     * of it any more: each gives up its part when all have closed it, and the master the block when all have done that.
     *
     * @return whether all is given back that this rank has to
     */
    boolean giveBack() {
        if (!settled && !team.ending().settle()) {
            return false;
        }
        leaveGroup();
        return team.ending().giveUp();
    }

    /** The rank leaves its job, and touches nothing any more, whatever others still do. */
    void abandon() {
        if (!isWorld() && !giveBack()) {
            leaveGroup();
            team.ending().saySettled();
        }
    }

    /** Before it says that it has settled: the block is released only when nobody can put there. */
    private void leaveGroup() {
        if (!settled) {
            groups.leave(group);
            settled = true;
        }
    }
}
