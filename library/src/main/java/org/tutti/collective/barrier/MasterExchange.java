/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.barrier;

import org.tutti.collective.Team;
import org.tutti.collective.stage.NodeTree;

/**
 * Makes the masters, the first ranks of the nodes, wait for each other. In each step a master exchanges zero-byte puts
 * with the master at distance 1, 2, 4, … (SRM 2003, section 2.4, "Barrier"). If the number of nodes is not a power of
 * two, the masters use dissemination instead. In a step of dissemination every master signals to the node at that
 * distance ahead, and waits for a signal from the node at that distance behind. Both ways take ⌈log₂ n⌉ steps. Each
 * step uses a different edge, the words in which a signal arrives, so a signal that arrives early stays there.
 *
 * <p>In the first operation of a group the masters {@linkplain Team#meet meet} in pairs instead, because each of the
 * two nodes must learn that the other has joined. If the number of nodes is not a power of two, let w be the greatest
 * power of two below it. Each node from w on first meets the node that is w below it. The lower node signals to it when
 * the nodes below w have met.
 */
final class MasterExchange {
    private MasterExchange() {}

    /**
     * Waits until the master of every node has called this method. A master calls it once all ranks of its node have
     * arrived at the barrier.
     *
     * @param team the team of the calling rank, a master
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
