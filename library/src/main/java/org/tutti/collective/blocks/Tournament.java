/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.blocks;

/**
 * The order in which each of n nodes exchanges with each other node, so that two nodes are partners of each other at
 * the same time. It is a tournament in which every node plays every other, by the circle method: in round r two nodes
 * of the circle are partners if the sum of their numbers is r, modulo the size of the circle. If n is odd, the circle
 * has all nodes, and a node that would be its own partner has none in that round. If n is even, the last node is not in
 * the circle, and is the partner of that node: n − 1 rounds, in which no node waits.
 */
final class Tournament {
    private Tournament() {}

    /**
     * Lists the partners of a node.
     *
     * @param nodes the number of nodes, 1 or more
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
        // the last node, outside the circle, plays the node that would be its own partner: twice its number is the
        // round
        return node < circle ? Math.floorMod(round - node, circle) : round * ((circle + 1) / 2) % circle;
    }
}
