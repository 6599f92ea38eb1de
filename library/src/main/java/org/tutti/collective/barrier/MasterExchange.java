/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.barrier;

import org.tutti.collective.Team;
import org.tutti.collective.stage.NodeTree;

/**
 * How the masters of the nodes wait for each other: with zero-byte puts in pairs, at distances 1, 2, 4, … (SRM 2003,
 * section 2.4, "Barrier"). If the number of nodes is not a power of two, every master signals the node at that distance
 * ahead, and waits for the node at that distance behind: dissemination. Both take ⌈log₂ n⌉ steps. Each step has an edge
 * of its own, so a signal that arrives early waits there.
 *
 * <p>In the first operation of a group the masters {@linkplain Team#meet meet} instead, in pairs, because the two nodes
 * of a pair must hear of each other. If the number of nodes is not a power of two, each node beyond the greatest power
 * of two first meets a partner below it. That partner signals to it when all have met.
 */
final class MasterExchange {
    private MasterExchange() {}

    /**
     * Returns when every node's master has called it.
     *
     * @param team the ranks; this rank is a master, and all ranks of its node have arrived
     */
    static void run(Team team) {
        if (team.isComplete()) {
            exchange(team);
        } else {
            meet(team);
        }
        team.noteAllAreHere();
    }

    private static void meet(Team team) {
        int node = team.node();
        int whole = Integer.highestOneBit(team.nodes());
        int partner = node ^ whole;
        boolean hasPartner = partner < team.nodes();
        if (hasPartner) {
            team.meet(partner, NodeTree.PARENT);
        }
        if (node < whole) {
            int round = 0;
            for (int distance = 1; distance < whole; distance <<= 1) {
                team.meet(node ^ distance, NodeTree.edge(round++));
            }
            if (hasPartner) {
                team.outflow(NodeTree.PARENT).openNext(partner, NodeTree.PARENT, Team.MET);
                team.outflow(NodeTree.PARENT).signal();
            }
        } else {
            team.inflow(NodeTree.PARENT).openNext(partner, Team.MET);
            team.inflow(NodeTree.PARENT).await();
        }
    }

    private static void exchange(Team team) {
        int node = team.node();
        int nodes = team.nodes();
        boolean inPairs = Integer.bitCount(nodes) == 1;
        int edge = 0;
        for (int distance = 1; distance < nodes; distance <<= 1) {
            int ahead = inPairs ? node ^ distance : (node + distance) % nodes;
            int behind = inPairs ? node ^ distance : Math.floorMod(node - distance, nodes);
            team.outflow(edge).openNext(ahead, edge, 0);
            team.outflow(edge).signal();
            team.inflow(edge).openNext(behind, 0);
            team.inflow(edge).await();
            edge++;
        }
    }
}
