/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.pattern;

/**
 * The route of Standard Exchange: in step j groups of k + 1 exchange what is for each other's destinations, those whose
 * numbers differ in digit j only. After it a participant has the blocks for those destinations that have its last j + 1
 * digits, of the (k+1)<sup>j+1</sup> sources that have its other digits.
 *
 * <p><b>Corrections.</b> When the size is no power of k + 1, the last group of a step may lack some. What was for one
 * of them goes to the one at the same place in the group before, (k+1)<sup>j+1</sup> less: it is there, as the
 * destination itself has these last digits, and is no greater. So whoever lacks a counterpart in the last group has the
 * blocks of all sources there as well, and one may get up to k messages more in a step; there are no more steps.
 *
 * <pre>
 *  size 5, 1 port:   step 0: 0 ↔ 1   2 ↔ 3   4 → 3       what 4 has for 1 and 3: 5 is not there
 *                    step 1: 0 ↔ 2   1 ↔ 3   4 → 2       what 4 has for 2: 6 is not there
 *                    step 2: 0 ↔ 4                       3, as all odd ones, has sent what it had for 4 in step 0
 * </pre>
 */
public final class ExchangeRoute extends Route {
    /**
     * @param ports how many messages a participant sends in a step, 1 or more
     */
    public ExchangeRoute(int ports) {
        super(ports);
    }

    @Override
    public int arrivals(int size) {
        return 2 * ports(size);
    }

    @Override
    public int receiver(int index, int size, int step, int port) {
        int weight = weight(size, step);
        int own = digit(index, size, step);
        long other = index + (long) ((own + port) % (ports(size) + 1) - own) * weight;
        return other < size ? (int) other : (int) Math.max(-1, other - nextWeight(size, step));
    }

    @Override
    public int sender(int index, int size, int step, int arrival) {
        int weight = weight(size, step);
        int own = digit(index, size, step);
        int ports = ports(size);
        long other;
        if (arrival <= ports) {
            other = index + (long) ((own + arrival) % (ports + 1) - own) * weight;
        } else { // from the last group, which lacks one at this place
            int digit = arrival - ports - 1;
            long lacking = index + nextWeight(size, step);
            other = lacking < size || digit >= own ? size : lacking - (long) (own - digit) * weight;
        }
        return other < size ? (int) other : -1;
    }

    @Override
    public int blocksMax(int size, int step, int arrival) {
        int weight = weight(size, step);
        long next = nextWeight(size, step);
        if (arrival > ports(size) && (next >= size || size % next == 0)) {
            return 0; // there is no group that lacks some
        }
        return (int) Math.ceilDiv(size, next) * (size % weight == 0 ? weight : Math.min(size, 2 * weight - 1));
    }

    @Override
    public int rows(int sender, int receiver, int size, int step) {
        long next = nextWeight(size, step);
        return (int) Math.ceilDiv(size - receiver % next, next);
    }

    @Override
    public int destination(int receiver, int size, int step, int row) {
        long next = nextWeight(size, step);
        return (int) ((receiver / next + row) % rows(receiver, receiver, size, step) * next + receiver % next);
    }

    @Override
    public int sources(int index, int destination, int size, int step) {
        int weight = weight(size, step);
        return index + weight < size ? weight : size - index / weight * weight;
    }

    @Override
    public int firstSource(int index, int destination, int size, int step) {
        int weight = weight(size, step);
        return index / weight * weight;
    }

    @Override
    public int portTowards(int index, int destination, int size, int step) {
        return Math.floorMod(digit(destination, size, step) - digit(index, size, step), ports(size) + 1);
    }

    private int digit(int number, int size, int step) {
        return number / weight(size, step) % (ports(size) + 1);
    }
}
