/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.blocks;

/**
 * In which order each of n nodes exchanges something with each of the others, so that two are partners of each other at
 * the same time. A tournament in which everybody plays everybody, by the circle method: in round r those are partners
 * whose numbers have the sum r, modulo n. If n is odd, one node has no partner in a round, its own number being its
 * counterpart. If n is even, the last node is left out of the circle, and is the partner of that one: n − 1 rounds, in
 * which nobody waits.
 */
final class Tournament {
    private Tournament() {}

    /**
     * Lists the partners of a node.
     *
     * @param nodes how many there are, 1 or more
     * @param node one of them
     * @return all others, in the order of rounds
     */
    static int[] partners(int nodes, int node) {
        int circle = nodes % 2 == 0 ? nodes - 1 : nodes;
        int[] partners = new int[nodes - 1];
        int count = 0;
        for (int round = 0; round < circle; round++) {
            int partner = partner(circle, node, round);
            if (partner != node) {
                partners[count++] = partner;
            } else if (circle < nodes) {
                partners[count++] = nodes - 1;
            }
        }
        return partners;
    }

    private static int partner(int circle, int node, int round) {
        // of the last node, which is not in the circle, it is who is its own counterpart: twice its number is the round
        return node < circle ? Math.floorMod(round - node, circle) : round * ((circle + 1) / 2) % circle;
    }
}
