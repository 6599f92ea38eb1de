/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.network;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import org.tutti.CollectiveMismatchException;
import org.tutti.collective.communicator.LastCalls;
import org.tutti.collective.layout.Fingerprint;
import org.tutti.fabric.Farewell;
import org.tutti.job.node.Node;

/**
 * Compares the calls of a process's ranks with the calls of other nodes' ranks when the process leaves the job. The
 * good-bye of each process has the number of its ranks' calls and a fingerprint of them. The comparison is needed
 * because a rank may wait for no other rank in its last calls, or may have left them out, and no later call shows that.
 *
 * <p><b>Why nothing is missed.</b> The ranks of a node compare their calls in the memory that they share ({@link
 * LastCalls#compare()}), so a process stands for its node. A process says good-bye to each process that it is connected
 * with, waits until the good-bye has arrived there, and then looks at the good-byes that it has heard. At least one of
 * two connected processes has heard the other's good-bye before it looks. Otherwise each would have looked before the
 * other's good-bye arrived, and therefore before the other looked, which cannot hold for both. Data that a call moves
 * between nodes go over a connection. Therefore processes that called something different are connected, directly or
 * through other processes, and all of these compare.
 *
 * <p><b>Groups.</b> For each other process, a process adds up a fingerprint of the number and the calls of every group
 * in which both processes have ranks. The sum does not depend on the order in which the groups end. When such a group
 * was broken, or could not be made, its calls may differ, so the process declares its sum invalid.
 *
 * <p>It keeps at most two numbers for each process of other nodes. Any number of threads may use it.
 */
public final class Farewells {
    private static final int HAS_WORLD = 1;
    private static final int HAS_GROUPS = 2;

    private final Node node;
    private final int self;
    private final Map<Integer, Long> groups = new HashMap<>();
    private final Set<Integer> doubted = new HashSet<>();
    private final Map<Integer, Farewell> heard = new HashMap<>();
    private LastCalls world;
    private long worldCalls;
    private long worldHistory;

    /**
     * Creates the good-byes of a process. It has heard none of other processes.
     *
     * @param node this process's node
     * @param self the first rank of this process
     */
    Farewells(Node node, int self) {
        this.node = node;
        this.self = self;
    }

    /**
     * Records that a rank of this process makes no more calls on a communicator. Only the first of the process's ranks
     * in the communicator counts.
     *
     * @param rank the rank in the job
     * @param communicator the number by which all ranks know the communicator
     * @param ranks the communicator's ranks, by their ranks in the job
     * @param calls the rank's calls
     */
    public synchronized void end(int rank, long communicator, int[] ranks, LastCalls calls) {
        if (rank != firstHere(ranks)) {
            return;
        }
        if (calls.isBroken()) {
            doubt(ranks);
        } else if (communicator == Node.WORLD) {
            world = calls;
            worldCalls = calls.drawn();
            worldHistory = calls.history();
        } else {
            long history = Fingerprint.mix(communicator, calls.history());
            for (int process : processesElsewhere(ranks)) {
                groups.merge(process, history, Long::sum);
            }
        }
    }

    /**
     * Records that the calls of a communicator's ranks may differ, because the communicator is broken or could not be
     * made.
     *
     * @param ranks the communicator's ranks in the job
     */
    public synchronized void doubt(int[] ranks) {
        doubted.addAll(processesElsewhere(ranks));
    }

    private int firstHere(int[] ranks) {
        int first = Integer.MAX_VALUE;
        for (int rank : ranks) {
            first = node.firstRankOfProcess(rank) == self ? Math.min(first, rank) : first;
        }
        return first;
    }

    private Set<Integer> processesElsewhere(int[] ranks) {
        Set<Integer> processes = new HashSet<>();
        for (int rank : ranks) {
            if (!node.isHere(rank)) {
                processes.add(node.firstRankOfProcess(rank));
            }
        }
        return processes;
    }

    /** Returns the good-bye of this process to another process. */
    synchronized Farewell to(int process) {
        return new Farewell((world == null ? 0 : HAS_WORLD) | (doubted.contains(process) ? 0 : HAS_GROUPS), worldCalls,
                worldHistory, groups.getOrDefault(process, 0L));
    }

    /** Records the good-bye of another process. */
    synchronized void hear(int process, Farewell farewell) {
        if (process >= 0 && process < node.size()) {
            heard.put(process, farewell);
        }
    }

    /**
     * Compares this process's calls with the good-byes that it has heard. All processes that this process is connected
     * with must have heard its good-bye.
     *
     * @return an exception that says how the calls of another process differ from those of this process; null if no
     *             difference is known, or if a rank has failed, because calls may differ after a failure
     */
    synchronized CollectiveMismatchException compare() {
        if (world == null || node.abortStatus() >= 0 || node.firstFailedRank() >= 0) {
            return null;
        }
        for (var each : heard.entrySet()) {
            var mismatch = compare(each.getKey(), each.getValue());
            if (mismatch != null) {
                return mismatch;
            }
        }
        return null;
    }

    private CollectiveMismatchException compare(int process, Farewell there) {
        Farewell here = to(process);
        int both = here.state() & there.state();
        var mismatch = (both & HAS_WORLD) == 0 ? null : world.compare(process, there.calls(), there.history());
        if (mismatch != null || (both & HAS_GROUPS) == 0 || here.groups() == there.groups()) {
            return mismatch;
        }
        return new CollectiveMismatchException("the process of rank " + self + " and the process of rank " + process
                + " called different collectives on a group in which both have ranks, and have left the job; all ranks"
                + " of a group must call the same collectives in the same order, with the same arguments", true);
    }
}
