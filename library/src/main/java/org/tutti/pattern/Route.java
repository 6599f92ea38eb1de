/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.pattern;

/**
 * A way to move a block from every participant to every other one, in steps. With k ports, numbers are written to base
 * k + 1, and a step settles one of their digits. A participant sends k messages in a step, one for each other value of
 * the digit, and there are ⌈log<sub>k+1</sub> size⌉ steps.
 *
 * <p>A message has rows, one for each destination. The blocks that have come together for a destination are from
 * consecutive sources, wrapping around, so a row stays as it is on all its way. The first row of a message is for its
 * receiver, and all others go on. Between two participants there is at most one message each way.
 */
public abstract class Route {
    /** As many ports as there are other participants: each sends to all others, in one step. */
    public static final int ALL_PORTS = Integer.MAX_VALUE;

    private final int portsMax;

    /**
     * @param ports the number of messages that a participant sends in a step, 1 or more
     */
    protected Route(int ports) {
        if (ports < 1) {
            throw new IllegalArgumentException(ports + " ports were asked for; there must be 1 or more");
        }
        this.portsMax = ports;
    }

    /**
     * Counts the messages that a participant may send in a step.
     *
     * @param size the number of participants, 2 or more
     * @return the ports; they are numbered from 1
     */
    public final int ports(int size) {
        return Math.min(portsMax, size - 1);
    }

    /**
     * Counts the messages that may come to a participant in a step.
     *
     * @param size the number of participants, 2 or more
     * @return the number; messages have the numbers of the ports, from 1 on, and then further ones
     */
    public abstract int arrivals(int size);

    /**
     * Counts the steps.
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
     * Finds the receiver of a message.
     *
     * @param index the sender
     * @param size the number of participants
     * @param step the step, from 0 on
     * @param port the port, from 1 on
     * @return the receiver, or −1 if there is none
     */
    public abstract int receiver(int index, int size, int step, int port);

    /**
     * Finds the sender of a message.
     *
     * @param index the receiver
     * @param size the number of participants
     * @param step the step, from 0 on
     * @param arrival the number of the message, from 1 on
     * @return the sender, or −1 if there is none
     */
    public abstract int sender(int index, int size, int step, int arrival);

    /**
     * Bounds the blocks of a message.
     *
     * @param size the number of participants
     * @param step the step, from 0 on
     * @param arrival the port, or the number of an arriving message
     * @return the greatest number; 0 if there is no such message
     */
    public abstract int blocksMax(int size, int step, int arrival);

    /**
     * Counts the rows of a message.
     *
     * @param sender the sender of the message
     * @param receiver the receiver of the message
     * @param size the number of participants
     * @param step the step, from 0 on
     * @return the number of rows, 1 or more
     */
    public abstract int rows(int sender, int receiver, int size, int step);

    /**
     * Finds the destination of a row of a message.
     *
     * @param receiver the receiver of the message
     * @param size the number of participants
     * @param step the step, from 0 on
     * @param row the row, from 0 on
     * @return the destination; for the first row, the receiver
     */
    public abstract int destination(int receiver, int size, int step, int row);

    /**
     * Counts the blocks that a participant has for a destination before a step, its own included.
     *
     * @param index the participant
     * @param destination the destination, to which it sends in this step or later
     * @param size the number of participants
     * @param step the step
     * @return the number of blocks
     */
    public abstract int sources(int index, int destination, int size, int step);

    /**
     * Finds the first source of these blocks; the other sources follow it, wrapping around.
     *
     * @param index the participant
     * @param destination the destination
     * @param size the number of participants
     * @param step the step
     * @return the first source
     */
    public abstract int firstSource(int index, int destination, int size, int step);

    /**
     * Finds the step in which a participant sends its blocks for a destination.
     *
     * @param index the participant
     * @param destination another participant
     * @param size the number of participants
     * @return the step, from 0 on
     */
    public final int stepTowards(int index, int destination, int size) {
        int step = 0;
        while (portTowards(index, destination, size, step) == 0) {
            step++;
        }
        return step;
    }

    /**
     * Finds the port over which a participant sends its blocks for a destination in a step.
     *
     * @param index the participant
     * @param destination another participant
     * @param size the number of participants
     * @param step the step
     * @return the port, from 1 on; 0 if it keeps the blocks in this step
     */
    public abstract int portTowards(int index, int destination, int size, int step);

    /** Returns the weight of the digit that a step settles. */
    final int weight(int size, int step) {
        int weight = 1;
        for (int i = 0; i < step; i++) {
            weight *= ports(size) + 1;
        }
        return weight;
    }

    /** Returns the weight of the next digit, which may exceed the greatest number below size. */
    final long nextWeight(int size, int step) {
        return (long) weight(size, step) * (ports(size) + 1);
    }
}
