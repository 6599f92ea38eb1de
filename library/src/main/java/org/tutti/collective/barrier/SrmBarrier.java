/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.barrier;

import org.tutti.collective.NodeTree;
import org.tutti.collective.Team;

/**
 * SRM's barrier. In a node a flat tree, one flag for each rank, each on a line of its own (paper: section 2.2, "Shared
 * Memory Barrier"): one rank is the master; every other rank sets its flag, and the master waits for all of them.
 * Between the nodes the masters exchange zero-byte puts in pairs, at distances 1, 2, 4, … (section 2.4, "Barrier");
 * when
 * the nodes are no power of two, every master signals the one at that distance ahead instead and waits for the one
 * behind: dissemination, which takes one round more than there are whole powers. Then the master says that all have
 * arrived.
 *
 * <p>The paper's master resets the flags of the others one by one; flags that only grow need no reset, so here the
 * others watch the one flag of the master.
 */
public final class SrmBarrier extends Barrier {
    private static final int MASTER = 0;
    private static final int ARRIVED = 1;

    /** The only object that is needed. */
    public SrmBarrier() {
        super(new Description("srm", Order.ALWAYS, true, "2 + ⌈log₂ n⌉", "p−1 lines at a master", "0", "none",
                "SRM 2003, sections 2.2 and 2.4"));
    }

    @Override
    public void run(Team team) {
        if (team.isMaster()) {
            team.awaitOthers(Team.READY, ARRIVED);
            exchange(team);
            team.noteAllAreHere();
            team.post(Team.READY, ARRIVED);
        } else {
            team.post(Team.READY, ARRIVED);
            team.await(MASTER, Team.READY, ARRIVED);
        }
    }

    private static void exchange(Team team) {
        int node = team.node();
        int nodes = team.nodes();
        boolean pairs = Integer.bitCount(nodes) == 1;
        int round = 0;
        for (int distance = 1; distance < nodes; distance <<= 1) {
            int to = pairs ? node ^ distance : (node + distance) % nodes;
            int from = pairs ? to : Math.floorMod(node - distance, nodes);
            int edge = NodeTree.edge(round++);
            team.signal(to, edge, ARRIVED);
            team.awaitArrival(edge, ARRIVED, from);
        }
    }
}
