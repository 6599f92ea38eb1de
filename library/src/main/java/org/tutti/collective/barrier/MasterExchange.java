/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.barrier;

import org.tutti.collective.NodeTree;
import org.tutti.collective.RingLayout;
import org.tutti.collective.Team;
import org.tutti.pattern.Folding;
import org.tutti.pattern.NomialTree;

/**
 * How the masters of the nodes wait for each other: zero-byte puts in groups of k + 1, in step j of those whose numbers
 * differ in digit j to that base only; with one port in pairs, at distances 1, 2, 4, … (SRM 2003, section 2.4,
 * "Barrier"). When the nodes are no power of k + 1, every master signals the k ones at distances z·(k+1)<sup>j</sup>
 * ahead instead, and waits for those behind: dissemination, which takes one step more than there are whole powers. Each
 * signal of a step has an edge of its own, so one that arrives early waits there.
 *
 * <p>In the first operation of a group the masters {@linkplain Team#meet meet} instead, in pairs, as both of two have
 * to hear of each other. When the nodes are no power of two, those beyond the greatest one that there is meet a partner
 * before, which says when all have met.
 */
final class MasterExchange {
    /** One port. */
    static final MasterExchange PAIRS = new MasterExchange(1);

    private final int ports;
    private final Folding folding;

    /**
     * @param ports k, 1 to {@value RingLayout#PORTS_MAX}
     */
    MasterExchange(int ports) {
        this.ports = RingLayout.checkPorts(ports);
        this.folding = new Folding(ports);
    }

    /**
     * Returns when every node's master has called it.
     *
     * @param team the ranks; this one is a master, and all ranks of its node have come
     */
    void run(Team team) {
        if (team.isFounded()) {
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

    private void exchange(Team team) {
        int node = team.node();
        int nodes = team.nodes();
        int base = folding.ports(nodes) + 1;
        boolean areGroups = folding.positions(nodes) == nodes;
        int edge = 0;
        for (int distance = 1; distance < nodes; distance *= base) {
            int others = Math.min(base - 1, (nodes - 1) / distance);
            int around = areGroups ? distance * base : nodes;
            for (int i = 1; i <= others; i++) {
                team.outflow(edge + i - 1).openNext(at(node, i * distance, around), edge + i - 1, 0);
                team.outflow(edge + i - 1).signal();
            }
            for (int i = 1; i <= others; i++) {
                team.inflow(edge + i - 1).openNext(at(node, -i * distance, around), 0);
                team.inflow(edge + i - 1).await();
            }
            edge += others;
        }
    }

    /** The node at a distance ahead of one, among so many that it is of, wrapping around. */
    private static int at(int node, int distance, int around) {
        int first = node / around * around;
        return first + Math.floorMod(node - first + distance, around);
    }

    /**
     * {@return how many steps it takes: ⌈log nodes⌉ to the base of k + 1}
     *
     * @param nodes how many nodes there are
     */
    int steps(int nodes) {
        return NomialTree.steps(nodes, ports);
    }

    /**
     * {@return how many signals a master sends in all of them}
     *
     * @param nodes how many nodes there are
     */
    int signals(int nodes) {
        return new NomialTree(ports).children(0, nodes); // one for each z·(k+1)^j below the number of nodes, too
    }
}
