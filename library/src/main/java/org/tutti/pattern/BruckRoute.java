/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.pattern;

/**
 * Bruck's route: blocks are numbered by how far they have to go, wrapping around. In step j those whose digit j is z go
 * z·(k+1)<sup>j</sup> further; so all participants do the same, whatever their number is. Before step j a participant
 * has the blocks of (k+1)<sup>j</sup> sources, itself the last of them: fewer, if some of them have none that goes so
 * far.
 *
 * <pre>
 *  size 5, 1 port, what 0 sends:   step 0: blocks that go 1 and 3 far     to 1
 *                                  step 1: those that go 2 (3) far        to 2     (of which 1 is done: from 4)
 *                                  step 2: that which goes 4 far          to 4
 * </pre>
 */
public final class BruckRoute extends Route {
    /**
     * @param ports how many messages a participant sends in a step, 1 or more
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

    /** Exactly as many numbers below size have the digit. */
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
