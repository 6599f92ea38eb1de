/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.tutti.Topology;

/**
 * Assigns the cores of each host to ranks in a predicted run; other ranks queue. A rank prefers its last core, then a
 * core that no rank has had yet.
 */
final class SimulatedCores {
    static final int NOBODY = -1;

    private final Topology topology;
    private final int nodesPerHost;
    private final List<int[]> lastOnCore = new ArrayList<>();
    private final List<boolean[]> busy = new ArrayList<>();
    private final List<ArrayDeque<Integer>> queues = new ArrayList<>();
    private final int[] waiting;
    private final boolean[] isShared;
    private final int[] coreOf;
    private final boolean[] isSwitch;

    SimulatedCores(Topology topology, Model model) {
        this.topology = topology;
        this.nodesPerHost = model.nodesPerHost();
        this.coreOf = new int[topology.size()];
        this.isSwitch = new boolean[topology.size()];
        Arrays.fill(coreOf, NOBODY);
        int[] ranks = new int[host(topology.nodes() - 1) + 1];
        for (int rank = 0; rank < topology.size(); rank++) {
            ranks[host(topology.nodeOf(rank))]++;
        }
        this.waiting = new int[ranks.length];
        this.isShared = new boolean[ranks.length];
        for (int host = 0; host < ranks.length; host++) {
            int cores = Math.min(model.cores(), ranks[host]);
            isShared[host] = cores < ranks[host];
            int[] nobody = new int[cores];
            Arrays.fill(nobody, NOBODY);
            lastOnCore.add(nobody);
            busy.add(new boolean[cores]);
            queues.add(new ArrayDeque<>());
        }
    }

    private int host(int node) {
        return node / nodesPerHost;
    }

    /** {@return whether a rank that is ready gets a core; otherwise it joins the queue of its host} */
    boolean isTaken(int rank) {
        int host = host(topology.nodeOf(rank));
        int core = free(busy.get(host), lastOnCore.get(host), coreOf[rank]);
        if (core == NOBODY) {
            queues.get(host).add(rank);
            return false;
        }
        busy.get(host)[core] = true;
        assign(rank, host, core);
        return true;
    }

    private static int free(boolean[] busy, int[] last, int preferred) {
        if (preferred != NOBODY && !busy[preferred]) {
            return preferred;
        }
        int found = NOBODY;
        for (int core = 0; core < busy.length; core++) {
            if (!busy[core] && (found == NOBODY || last[found] != NOBODY && last[core] == NOBODY)) {
                found = core;
            }
        }
        return found;
    }

    private void assign(int rank, int host, int core) {
        int[] last = lastOnCore.get(host);
        isSwitch[rank] = last[core] != NOBODY && last[core] != rank;
        last[core] = rank;
        coreOf[rank] = core;
    }

    /**
     * {@return the rank that gets the core of a rank that waits or has ended: the first in the queue, or
     * {@link #NOBODY}}
     */
    int passOn(int rank) {
        int host = host(topology.nodeOf(rank));
        Integer next = queues.get(host).poll();
        if (next == null) {
            busy.get(host)[coreOf[rank]] = false;
            return NOBODY;
        }
        assign(next, host, coreOf[rank]);
        return next;
    }

    /** Notes that a rank begins or ends a wait. */
    void noteWaiting(int rank, boolean waits) {
        waiting[host(topology.nodeOf(rank))] += waits ? 1 : -1;
    }

    /**
     * {@return the number of waiting ranks that have a turn on a core before a rank that is ready: half of those that
     * share the core, because each looks and yields to the next one}
     */
    double turnsBefore(int rank) {
        int host = host(topology.nodeOf(rank));
        return isShared[host] ? waiting[host] / (2.0 * busy.get(host).length) : 0;
    }

    /** {@return whether the core of a rank had run another rank before} */
    boolean isSwitch(int rank) {
        return isSwitch[rank];
    }

    /** {@return the core of a rank, or its last core if it has none} */
    int of(int rank) {
        return coreOf[rank];
    }
}
