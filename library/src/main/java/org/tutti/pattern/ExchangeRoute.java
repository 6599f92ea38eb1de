/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.pattern;

/**
 * The route of Standard Exchange, by which each participant sends a block to every other in few steps. With k ports, a
 * participant sends k messages in a step, and the numbers of participants are written to base k + 1. In step j, groups
 * of k + 1 participants with numbers that differ only in digit j exchange the blocks for each other's destinations.
 * After the step a participant has the blocks for the destinations that share its last j + 1 digits, from the
 * (k+1)<sup>j+1</sup> sources that share its other digits.
 *
 * <p><b>Corrections.</b> If the size is not a power of k + 1, the last group of a step may lack members. Blocks for a
 * missing member go to the participant at the same position in the group before, with a number that is
 * (k+1)<sup>j+1</sup> less. That participant exists, because the destination itself has the same last digits and is no
 * greater. Therefore a participant with no counterpart in the last group also has the blocks of all sources there, and
 * may receive up to k more messages in a step. The number of steps stays the same.
 *
 * <pre>
 *  size 5, 1 port:   step 0: 0 ↔ 1   2 ↔ 3   4 → 3       4 sends its blocks for 1 and 3: there is no 5
 *                    step 1: 0 ↔ 2   1 ↔ 3   4 → 2       4 sends its block for 2: there is no 6
 *                    step 2: 0 ↔ 4                       odd numbers sent their blocks for 4 in step 0
 * </pre>
 *
 * <p><b>The order of digits.</b> Destinations are ordered by their last digit. Destinations with the same last digit
 * are ordered by the last digit but one, and so on. For five destinations and one port the order is 0 2 4 1 3. In this
 * order the destinations of a message follow each other.
 *
 * <p><b>Turns.</b> The blocks that a participant has for a destination are from consecutive sources that do not wrap
 * around. If a participant takes messages in the order of {@linkplain #arrival turns}, the rows of each message are
 * from the sources right after these, or right before them.
 */
public final class ExchangeRoute extends Route {
    /**
     * Creates a route.
     *
     * @param ports the number of messages that a participant sends in a step, k, 1 or more
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
        } else { // from the last group, which lacks a member at this position
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
            return 0; // no group lacks a member
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
     * Returns the destination of the first blocks in a message, in the {@linkplain ExchangeRoute order of digits}.
     *
     * @param receiver the participant that receives the message
     * @param size the number of participants
     * @param step the step, from 0
     * @return the first destination. The message has {@link #rows} destinations, which follow each other in this order
     */
    public int firstDestination(int receiver, int size, int step) {
        return (int) (receiver % nextWeight(size, step));
    }

    /**
     * Returns the destination that follows another one in the {@linkplain ExchangeRoute order of digits}, in which
     * messages contain their destinations. The order begins with 0.
     *
     * @param destination a destination, from 0
     * @param size the number of participants
     * @return the destination that follows, or −1 if the given one is the last
     */
    public int nextDestination(int destination, int size) {
        int next = destination;
        for (int step = steps(size) - 1; step >= 0; step--) {
            int weight = weight(size, step);
            if (digit(next, size, step) < ports(size) && next + weight < size) {
                return next + weight;
            }
            next %= weight; // carry: the digits above are 0 already
        }
        return -1;
    }

    /**
     * Returns the number of the message that a participant takes as the next of those that come to it in a step. If it
     * takes messages in this order, its blocks for a destination always come from consecutive sources. The reason is
     * that a sender with a higher number has blocks from sources after those that the participant already has.
     *
     * @param index the participant that receives the messages
     * @param size the number of participants
     * @param step the step, from 0
     * @param turn the place of the message in this order, from 1 to {@link #arrivals}
     * @return the number of the message, which {@link #sender} accepts
     */
    public int arrival(int index, int size, int step, int turn) {
        int ports = ports(size);
        int higher = ports - digit(index, size, step);
        int lower = turn - higher - ports;
        if (turn <= higher) { // senders after it in its group, upwards
            return turn;
        }
        return lower <= 0 ? turn - higher + ports // senders in the last group, upwards
                : ports + 1 - lower; // senders before it in its group, downwards
    }

    /**
     * Returns an upper bound of the number of rows, the blocks of a message for one destination, that come to a
     * participant in all steps together.
     *
     * @param size the number of participants
     * @return the bound; size − 1 if the size is a power of k + 1
     */
    public int rowsArrivingMax(int size) {
        int rows = 0;
        for (int step = 0; step < steps(size); step++) {
            int next = (int) Math.min(size, nextWeight(size, step));
            int places = Math.ceilDiv(next, weight(size, step)); // of a group
            int lastPlaces = Math.ceilDiv(size % next, weight(size, step)); // of the last group, if it lacks members
            int corrections = Math.min(ports(size), lastPlaces);
            rows += Math.max((places - 1) * Math.ceilDiv(size, next), (places - 1 + corrections) * (size / next));
        }
        return rows;
    }

    private int digit(int number, int size, int step) {
        return number / weight(size, step) % (ports(size) + 1);
    }
}
