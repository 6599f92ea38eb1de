/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.barrier;

import org.tutti.collective.Team;
import org.tutti.collective.stage.NodeTree;

/**
 * How the masters of the nodes wait for each other: zero-byte puts in pairs, at distances 1, 2, 4, … (SRM 2003, section
 * 2.4, "Barrier"). When the nodes are no power of two, every master signals the one at that distance ahead instead, and
 * waits for the one behind: dissemination, which takes one step more than there are whole powers. Each step has an edge
 * of its own, so a signal that arrives early waits there.
 *
 * <p>In the first operation of a group the masters {@linkplain Team#meet meet} instead, in pairs, as both of two have
 * to hear of each other. When the nodes are no power of two, those beyond the greatest one that there is meet a partner
 * before, which says when all have met.
 */
final class MasterExchange {
    private MasterExchange() {}

    /**
     * Returns when every node's master has called it.
     *
     * @param team the ranks; this one is a master, and all ranks of its node have come
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
