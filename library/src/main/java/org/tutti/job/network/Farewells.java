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
 * Compares, when a process leaves the job, the calls of its ranks with the calls of other nodes' ranks: each process
 * says with its good-bye how many calls its ranks have made, and a fingerprint of them. The comparison is needed
 * because a rank may wait for no other rank in its last calls, or may have left them out, and no later call shows that.
 *
 * <p><b>Why nothing is missed.</b> The ranks of a node compare their calls in the memory that they share ({@link
 * LastCalls#compare()}), so a process stands for its node. A process says good-bye to each process that it is
 * connected with, waits until the good-bye has arrived there, and then looks at the good-byes that it has heard. Of two
 * connected processes at least one has heard the other's before it looks: otherwise each would have looked before the
 * other's good-bye arrived, and so before it said its own. Data that a call moves between nodes go over a connection,
 * so the processes that called something different are connected, or others connect them, each of which compares.
 *
 * <p><b>Groups.</b> For each other process the sum of a fingerprint of the number and the calls of every group in which
 * both processes have ranks: the sum does not depend on the order in which the groups end. When such a group was
 * broken, or could not be made, its calls may differ, and the process says that its sum is worth nothing.
 *
 * <p>Memory: two numbers for each process of other nodes, at most. Safe for use by any number of threads.
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
     * @param node this process's node
     * @param self this process, by its first rank
     */
    Farewells(Node node, int self) {
        this.node = node;
        this.self = self;
    }

    /**
     * Takes note that a rank of this process calls nothing more on a communicator. The first of the process's ranks in
     * the communicator stands for all of them.
     *
     * @param rank its number in the job
     * @param communicator the number that all ranks of the communicator know it by
     * @param ranks these, by their ranks in the job
     * @param calls what it has called
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
     * Takes note that the calls of some ranks in a communicator may differ: it is broken, or could not be made.
     *
     * @param ranks its ranks in the job
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

    /** What this process says to another one. */
    synchronized Farewell to(int process) {
        return new Farewell((world == null ? 0 : HAS_WORLD) | (doubted.contains(process) ? 0 : HAS_GROUPS), worldCalls,
                worldHistory, groups.getOrDefault(process, 0L));
    }

    /** Another process has said it. */
    synchronized void hear(int process, Farewell farewell) {
        if (process >= 0 && process < node.size()) {
            heard.put(process, farewell);
        }
    }

    /**
     * Compares, when all that this process is connected with have heard its good-bye.
     *
     * @return what says how the calls of another process differ from those here; null if none are known to, or a rank
     *         has failed, so that calls may differ because of that
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
