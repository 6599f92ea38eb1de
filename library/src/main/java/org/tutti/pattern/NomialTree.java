/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.pattern;

/**
 * The (k+1)-nomial tree for k ports, in which each position sends k messages at the same time. The children of position
 * p are p + z·(k+1)<sup>j</sup> for z from 1 to k, under two conditions. The sum is below size. The power is below the
 * weight of p's lowest digit other than 0, if p is written to base k + 1. For the root the second condition does not
 * apply. With one port it is the {@link BinomialTree}.
 *
 * <pre>
 *  size 9, 2 ports:            0
 *                      /   /   |   \
 *                     1   2    3     6
 *                            /  \   /  \
 *                           4    5 7    8
 * </pre>
 *
 * <p>If each position sends to k others at the same time, all positions are reached in ⌈log<sub>k+1</sub> size⌉ steps.
 */
public final class NomialTree implements Tree {
    private final int ports;
    private final int base;

    /**
     * Creates a tree.
     *
     * @param ports the number of ports, k, 1 or more
     */
    public NomialTree(int ports) {
        this.ports = ports;
        this.base = ports + 1;
    }

    /**
     * Returns the number of steps after which a message has reached all positions. In each step, each position that
     * already has the message sends it to k others.
     *
     * @param size the number of positions
     * @param ports the number of ports, k, the messages that a position sends in a step; 1 or more
     * @return ⌈log<sub>k+1</sub> size⌉
     */
    public static int steps(int size, int ports) {
        int steps = 0;
        for (long reached = 1; reached < size; reached *= ports + 1L) {
            steps++;
        }
        return steps;
    }

    /**
     * Returns the least number of ports for which the nomial tree is the same as a given tree.
     *
     * @param tree the tree
     * @param size the number of positions
     * @param portsMax the greatest number of ports to try
     * @return the number of ports; 0 if there is none up to {@code portsMax}
     */
    public static int portsOf(Tree tree, int size, int portsMax) {
        for (int ports = 1; ports <= portsMax; ports++) {
            if (tree.isLike(new NomialTree(ports), size)) {
                return ports;
            }
        }
        return 0;
    }

    @Override
    public int parent(int position, int size) {
        int weight = weight(position);
        return position - position / weight % base * weight;
    }

    @Override
    public int children(int position, int size) {
        int count = 0;
        long limit = position == 0 ? Long.MAX_VALUE : weight(position);
        while (power(count) < limit && position + distance(count) < size) {
            count++;
        }
        return count;
    }

    @Override
    public int child(int position, int index, int size) {
        return (int) (position + distance(index));
    }

    @Override
    public int indexAtParent(int position, int size) {
        int weight = weight(position);
        int digit = position / weight % base;
        int exponent = 0;
        for (int power = 1; power < weight; power *= base) {
            exponent++;
        }
        return exponent * ports + digit - 1;
    }

    /** Returns the weight of the lowest digit of a position that is not 0. */
    private int weight(int position) {
        int weight = 1;
        while (position / weight % base == 0) {
            weight *= base;
        }
        return weight;
    }

    private long power(int index) {
        long power = 1;
        for (int i = index / ports; i > 0; i--) {
            power *= base;
        }
        return power;
    }

    private long distance(int index) {
        return (index % ports + 1) * power(index);
    }
}
