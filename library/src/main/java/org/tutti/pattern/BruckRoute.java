/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.pattern;

/**
 * Bruck's route, by which each participant sends a block to every other in few steps. A block is numbered by the
 * distance from its source to its destination, wrapping around. With k ports, a participant sends k messages in a step,
 * and distances are written to base k + 1. In step j each block whose distance has z as digit j moves
 * z·(k+1)<sup>j</sup> participants further. Therefore all participants do the same, whatever their numbers are. Before
 * step j a participant has the blocks of (k+1)<sup>j</sup> sources, of which it is the last. It has fewer if some
 * sources have no block that goes so far.
 *
 * <pre>
 *  size 5, 1 port, messages of 0:   step 0, to 1: its blocks for 1 and 3
 *                                   step 1, to 2: its block for 2, and the block of 4 for 2, which came in step 0
 *                                   step 2, to 4: its block for 4
 * </pre>
 */
public final class BruckRoute extends Route {
    /**
     * Creates a route.
     *
     * @param ports the number of messages that a participant sends in a step, k, 1 or more
     */
    public BruckRoute(int ports) {
        super(ports);
    }

    @Override
    public int arrivals(int size) {
        return ports(size);
    }

    @Override
    public int receiver(int index, int size, int step, int port) {
        long distance = (long) port * weight(size, step);
        return distance < size ? (int) ((index + distance) % size) : -1;
    }

    @Override
    public int sender(int index, int size, int step, int arrival) {
        long distance = (long) arrival * weight(size, step);
        return distance < size ? (int) Math.floorMod(index - distance, (long) size) : -1;
    }

    /** Returns the number of distances below size that have {@code arrival} as the digit of this step. */
    @Override
    public int blocksMax(int size, int step, int arrival) {
        int weight = weight(size, step);
        long next = nextWeight(size, step);
        return (int) (size / next * weight + Math.clamp(size % next - (long) arrival * weight, 0, weight));
    }

    @Override
    public int rows(int sender, int receiver, int size, int step) {
        return (int) Math.ceilDiv(size - distance(sender, receiver, size), nextWeight(size, step));
    }

    @Override
    public int destination(int receiver, int size, int step, int row) {
        return (int) ((receiver + row * nextWeight(size, step)) % size);
    }

    @Override
    public int sources(int index, int destination, int size, int step) {
        return Math.min(weight(size, step), size - distance(index, destination, size));
    }

    @Override
    public int firstSource(int index, int destination, int size, int step) {
        return Math.floorMod(index + 1 - sources(index, destination, size, step), size);
    }

    @Override
    public int portTowards(int index, int destination, int size, int step) {
        return distance(index, destination, size) / weight(size, step) % (ports(size) + 1);
    }

    private static int distance(int from, int to, int size) {
        return Math.floorMod(to - from, size);
    }
}
