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
 *
 * <p><b>The order of digits.</b> Destinations are ordered by their last digit, those with the same one by the last but
 * one, and so on: 0 2 4 1 3 of five with one port. So those that a message has rows for follow each other.
 *
 * <p><b>Turns.</b> What a participant has for a destination is from consecutive sources that do not wrap around. Taken
 * by {@linkplain #arrival turns}, each message of a step has rows from the sources right after these, or right before.
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

    /**
     * Finds where the rows of a message begin in the order of digits.
     *
     * @param receiver who gets the message
     * @param size the number of participants
     * @param step in which step
     * @return the first destination, of as many as the message has {@link #rows}
     */
    public int firstDestination(int receiver, int size, int step) {
        return (int) (receiver % nextWeight(size, step));
    }

    /**
     * Goes on in the order of digits, which begins with 0.
     *
     * @param destination a destination
     * @param size the number of participants
     * @return the destination after it, or −1
     */
    public int nextDestination(int destination, int size) {
        int next = destination;
        for (int step = steps(size) - 1; step >= 0; step--) {
            int weight = weight(size, step);
            if (digit(next, size, step) < ports(size) && next + weight < size) {
                return next + weight;
            }
            next %= weight; // carry: those above are 0 already
        }
        return -1;
    }

    /**
     * Tells which message of a step to take, one after the other, so that what is for a destination stays from
     * consecutive sources. Those of senders with higher numbers have rows from sources after those that are there.
     *
     * @param index who gets the messages
     * @param size the number of participants
     * @param step in which step
     * @param turn 1 to {@link #arrivals}
     * @return the message, as {@link #sender} counts them
     */
    public int arrival(int index, int size, int step, int turn) {
        int ports = ports(size);
        int higher = ports - digit(index, size, step);
        int lower = turn - higher - ports;
        if (turn <= higher) { // after it in its group, upwards
            return turn;
        }
        return lower <= 0 ? turn - higher + ports // in the last group, upwards
                : ports + 1 - lower; // before it in its group, downwards
    }

    /**
     * Bounds the rows that come to a participant in all steps.
     *
     * @param size the number of participants
     * @return how many at most; where the size is a power of the ports and one, that is size − 1
     */
    public int rowsArrivingMax(int size) {
        int rows = 0;
        for (int step = 0; step < steps(size); step++) {
            int next = (int) Math.min(size, nextWeight(size, step));
            int places = Math.ceilDiv(next, weight(size, step)); // in a group
            int lastPlaces = Math.ceilDiv(size % next, weight(size, step)); // in the last one, if it lacks some
            int corrections = Math.min(ports(size), lastPlaces);
            rows += Math.max((places - 1) * Math.ceilDiv(size, next), (places - 1 + corrections) * (size / next));
        }
        return rows;
    }

    private int digit(int number, int size, int step) {
        return number / weight(size, step) % (ports(size) + 1);
    }
}
