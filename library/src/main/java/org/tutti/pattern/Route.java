/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.pattern;

/**
 * A way to move a block from every participant to every other participant, in steps. Blocks of several participants
 * travel together in a message. A participant has k ports, over which it sends k messages in a step. The numbers of
 * participants are written to base k + 1. Each step handles one of their digits, and sends one message for each other
 * value of the digit. There are ⌈log<sub>k+1</sub> size⌉ steps.
 *
 * <p>A message has rows, one for each destination. A row has the blocks for its destination that have come together on
 * the way. These blocks are from consecutive sources, wrapping around, so a row never has to be reordered. The first
 * row of a message is for its receiver, and the receiver sends all other rows on in later steps. Over all steps
 * together, a participant sends at most one message to another.
 */
public abstract class Route {
    /** The number of ports with which each participant sends to all others in one step. */
    public static final int ALL_PORTS = Integer.MAX_VALUE;

    private final int portsMax;

    /**
     * Creates a route.
     *
     * @param ports the number of messages that a participant sends in a step, k, 1 or more
     */
    protected Route(int ports) {
        if (ports < 1) {
            throw new IllegalArgumentException(ports + " ports were asked for; there must be 1 or more");
        }
        this.portsMax = ports;
    }

    /** {@return the greatest number of messages that a participant sends in a step, for any number of participants} */
    public final int portsMax() {
        return portsMax;
    }

    /**
     * Returns the greatest number of messages that a participant sends in a step. Each of them has a port, numbered
     * from 1.
     *
     * @param size the number of participants, 2 or more
     * @return the number of ports, 1 or more
     */
    public final int ports(int size) {
        return Math.min(portsMax, size - 1);
    }

    /**
     * Returns the greatest number of messages that come to a participant in a step.
     *
     * @param size the number of participants, 2 or more
     * @return the number of messages. They are numbered from 1. The first have the numbers of the ports, and further
     *         messages follow.
     */
    public abstract int arrivals(int size);

    /**
     * Returns the number of steps.
     *
     * @param size the number of participants
     * @return the number of digits that the numbers below size have
     */
    public final int steps(int size) {
        int steps = 0;
        for (long weight = 1; weight < size; weight *= ports(size) + 1) {
            steps++;
        }
        return steps;
    }

    /**
     * Returns the participant that receives a message. In each step of the route a participant sends at most one
     * message over each of its ports, which are numbered from 1.
     *
     * @param index the participant that sends
     * @param size the number of participants
     * @param step the step, from 0
     * @param port the port, from 1
     * @return the receiver, or −1 if nothing is sent over the port in this step
     */
    public abstract int receiver(int index, int size, int step, int port);

    /**
     * Returns the sender of a message that comes to a participant in a step. A number selects one of its messages.
     *
     * @param index the participant that receives
     * @param size the number of participants
     * @param step the step, from 0
     * @param arrival the number of the message, 1 to {@link #arrivals}
     * @return the sender, or −1 if no such message comes in this step
     */
    public abstract int sender(int index, int size, int step, int arrival);

    /**
     * Returns an upper bound of the number of blocks that a message of a step contains.
     *
     * @param size the number of participants
     * @param step the step, from 0
     * @param arrival the port over which the message is sent, or its number at the receiver
     * @return the bound; 0 if there is no such message
     */
    public abstract int blocksMax(int size, int step, int arrival);

    /**
     * Returns the number of rows of a message. A row has the blocks for one destination.
     *
     * @param sender the participant that sends the message
     * @param receiver the participant that receives the message
     * @param size the number of participants
     * @param step the step, from 0
     * @return the number of rows, 1 or more
     */
    public abstract int rows(int sender, int receiver, int size, int step);

    /**
     * Returns the destination to which the blocks in a row of a message travel.
     *
     * @param receiver the participant that receives the message
     * @param size the number of participants
     * @param step the step, from 0
     * @param row the index of the row, from 0
     * @return the destination; for row 0, that is the receiver
     */
    public abstract int destination(int receiver, int size, int step, int row);

    /**
     * Returns the number of blocks for a destination that a participant has before a step. They are its own block, and
     * blocks that came to it in earlier steps.
     *
     * @param index the participant that has the blocks
     * @param destination the destination, to which the participant sends in this step or later
     * @param size the number of participants
     * @param step the step, from 0
     * @return the number of blocks, including its own
     */
    public abstract int sources(int index, int destination, int size, int step);

    /**
     * Returns the source of the first of the blocks for a destination that a participant has before a step. The sources
     * of the other blocks follow it, wrapping around.
     *
     * @param index the participant that has the blocks
     * @param destination the destination, to which the participant sends in this step or later
     * @param size the number of participants
     * @param step the step, from 0
     * @return the source of the first block
     */
    public abstract int firstSource(int index, int destination, int size, int step);

    /**
     * Returns the step in which a participant sends its blocks for a destination.
     *
     * @param index the participant that sends
     * @param destination the participant for which the blocks are
     * @param size the number of participants
     * @return the step, from 0
     */
    public final int stepTowards(int index, int destination, int size) {
        int step = 0;
        while (portTowards(index, destination, size, step) == 0) {
            step++;
        }
        return step;
    }

    /**
     * Returns the port over which a participant sends its blocks for a destination in a step.
     *
     * @param index the participant that sends
     * @param destination the participant for which the blocks are
     * @param size the number of participants
     * @param step the step, from 0
     * @return the port, from 1; 0 if the participant keeps the blocks in this step
     */
    public abstract int portTowards(int index, int destination, int size, int step);

    /** Returns the weight of the digit that a step handles. */
    final int weight(int size, int step) {
        int weight = 1;
        for (int i = 0; i < step; i++) {
            weight *= ports(size) + 1;
        }
        return weight;
    }

    /**
     * Returns the weight of the digit after the one that a step handles. It may be greater than all numbers below size.
     */
    final long nextWeight(int size, int step) {
        return (long) weight(size, step) * (ports(size) + 1);
    }
}
