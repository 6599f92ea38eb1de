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
 * Compares the calls of this process's ranks with the calls of ranks on other nodes when the process leaves the job.
 * For this purpose the processes send each other good-byes. A good-bye has the number of calls on the world, the
 * communicator of all ranks, and fingerprints, which are hashes of calls. The comparison is needed because a rank may
 * wait for no other rank in its last calls, or may have left them out, and no later call shows that.
 *
 * <p><b>Why nothing is missed.</b> The ranks of a node compare their calls in the memory that they share ({@link
 * LastCalls#compare()}), so the calls of a process stand for those of its node. A process says good-bye to each process
 * that it is connected with, waits until the good-bye has arrived there, and only then looks at the good-byes that it
 * has heard. At least one of two connected processes has heard the other's good-bye before it looks. Otherwise each
 * process would have looked before the other's good-bye arrived. The other looks only after that arrival, so each
 * process would have looked before the other, which is impossible. Data that a call moves between nodes go over a
 * connection. Therefore processes that called something different are connected, directly or through other processes,
 * and all of these compare.
 *
 * <p><b>Groups.</b> For each other process, this process keeps a sum over all groups in which both processes have
 * ranks. For each group it adds a fingerprint of the group's number and calls. The sum does not depend on the order in
 * which the groups end. If such a group was broken, or could not be made, its ranks' calls may differ, so this process
 * declares the sum invalid.
 *
 * <p>Two processes of one node are connected only if they have called {@code flatten}. They then compare, too.
 *
 * <p>For each other process, this object keeps at most the sum, whether it is invalid, and the good-bye that it has
 * heard. Any number of threads may use it.
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
     * Creates the good-byes of a process, which has heard none from other processes.
     *
     * @param node the state that the ranks of this process's node share
     * @param self the first rank of this process
     */
    Farewells(Node node, int self) {
        this.node = node;
        this.self = self;
    }

    /**
     * Records all calls of a rank on a communicator, after the last one. If several ranks of the process are in the
     * communicator, only the lowest counts, because the ranks of a node compare their calls themselves.
     *
     * @param rank a rank of this process, by its number in the job
     * @param communicator the number by which all ranks know the communicator
     * @param ranks the communicator's ranks, by their numbers in the job
     * @param calls all calls of the rank on the communicator
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
            for (int process : otherProcesses(ranks)) {
                groups.merge(process, history, Long::sum);
            }
        }
    }

    /**
     * Records that the ranks of a communicator may have made different calls, because the communicator is broken or
     * could not be made. This process then compares no calls on groups with the processes of these ranks.
     *
     * @param ranks the communicator's ranks, by their numbers in the job
     */
    public synchronized void doubt(int[] ranks) {
        doubted.addAll(otherProcesses(ranks));
    }

    private int firstHere(int[] ranks) {
        int first = Integer.MAX_VALUE;
        for (int rank : ranks) {
            first = node.firstRankOfProcess(rank) == self ? Math.min(first, rank) : first;
        }
        return first;
    }

    private Set<Integer> otherProcesses(int[] ranks) {
        Set<Integer> processes = new HashSet<>();
        for (int rank : ranks) {
            processes.add(node.firstRankOfProcess(rank));
        }
        processes.remove(self);
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
     * Compares the calls of this process with the good-byes that it has heard. Before, all processes that this process
     * is connected with must have heard its own good-bye.
     *
     * @return an exception that says how the calls of another process differ from those of this process; null if no
     *         difference is known, or if a rank has failed, because calls may differ after a failure
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
