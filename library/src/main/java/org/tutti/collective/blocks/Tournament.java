/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.blocks;

/**
 * Computes the order in which each of n nodes exchanges data with the other nodes. In each round two nodes that
 * exchange are partners of each other. The order is that of a tournament in which every node plays every other node, by
 * the circle method. The nodes stand in a circle, and in round r two of them are partners if the sum of their numbers
 * is r, modulo the size of the circle.
 *
 * <p>If n is odd, the circle has all nodes. A node that would be its own partner has none in that round. If n is even,
 * the last node stands outside the circle, and is the partner of the node that would be its own partner. The tournament
 * then has n − 1 rounds, in which no node waits.
 */
final class Tournament {
    private Tournament() {}

    /**
     * Returns the partners of a node in the order of the rounds.
     *
     * @param nodes the number of nodes, 1 or more
     * @param node the node
     * @return all other nodes, in the order in which the node exchanges with them
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
