/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.pattern;

/**
 * The way of blocks that every participant has for every other one, in steps. With k ports numbers are written in base
 * k + 1, and a step settles one of their digits: so a participant sends k messages in a step, one for each other value
 * of the digit, and there are ⌈log<sub>k+1</sub> size⌉ steps.
 *
 * <p>A message has rows, one for each destination. What has come together for a destination is from consecutive
 * sources, wrapping around: so a row lies as it is, whoever it came from, and wherever it goes on to. The first row of
 * a message is for its receiver, and all others go on. Between two participants there is one message at most each way.
 */
public abstract class Route {
    /** As many ports as there are others: everybody sends to everybody, in one step. */
    public static final int ALL_PORTS = Integer.MAX_VALUE;

    private final int portsMax;

    /**
     * @param ports how many messages a participant sends in a step, 1 or more
     */
    protected Route(int ports) {
        if (ports < 1) {
            throw new IllegalArgumentException(ports + " ports were asked for; there must be 1 or more");
        }
        this.portsMax = ports;
    }

    /**
     * Counts the messages that a participant sends in a step at most.
     *
     * @param size the number of participants, 2 or more
     * @return the ports; they are numbered from 1
     */
    public final int ports(int size) {
        return Math.min(portsMax, size - 1);
    }

    /**
     * Counts the messages that come to a participant in a step at most.
     *
     * @param size the number of participants, 2 or more
     * @return their number; they are numbered from 1 as the ports are, and further
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
     * Finds to whom a participant sends.
     *
     * @param index the participant
     * @param size the number of participants
     * @param step the step, from 0 on
     * @param port the port, from 1 on
     * @return the receiver, or −1
     */
    public abstract int receiver(int index, int size, int step, int port);

    /**
     * Finds who sends to a participant.
     *
     * @param index the participant
     * @param size the number of participants
     * @param step the step, from 0 on
     * @param arrival which message, from 1 on
     * @return the sender, or −1
     */
    public abstract int sender(int index, int size, int step, int arrival);

    /**
     * Bounds the blocks of a message.
     *
     * @param size the number of participants
     * @param step the step, from 0 on
     * @param arrival the port, or which message comes
     * @return how many at most; 0 if there is none
     */
    public abstract int blocksMax(int size, int step, int arrival);

    /**
     * Counts the rows of a message.
     *
     * @param sender who sends it
     * @param receiver who gets it
     * @param size the number of participants
     * @param step in which step
     * @return the rows, 1 or more
     */
    public abstract int rows(int sender, int receiver, int size, int step);

    /**
     * Tells whom a row of a message is for.
     *
     * @param receiver who gets the message
     * @param size the number of participants
     * @param step in which step
     * @param row which row, from 0 on
     * @return the destination; of the first row it is the receiver
     */
    public abstract int destination(int receiver, int size, int step, int row);

    /**
     * Counts the blocks that a participant has for a destination before a step, its own included.
     *
     * @param index the participant
     * @param destination the destination, to which it sends in this step or later
     * @param size the number of participants
     * @param step the step
     * @return how many
     */
    public abstract int sources(int index, int destination, int size, int step);

    /**
     * Finds the first of those that these blocks are from; the others follow it, wrapping around.
     *
     * @param index the participant
     * @param destination the destination
     * @param size the number of participants
     * @param step the step
     * @return the first source
     */
    public abstract int firstSource(int index, int destination, int size, int step);

    /**
     * Tells in which step a participant sends what it has for a destination.
     *
     * @param index the participant
     * @param destination another one
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
     * Tells over which port a participant sends in a step what it has for a destination.
     *
     * @param index the participant
     * @param destination another one
     * @param size the number of participants
     * @param step the step
     * @return the port, from 1 on; 0 if it keeps it in this step
     */
    public abstract int portTowards(int index, int destination, int size, int step);

    /** What the digit that a step settles counts for. */
    final int weight(int size, int step) {
        int weight = 1;
        for (int i = 0; i < step; i++) {
            weight *= ports(size) + 1;
        }
        return weight;
    }

    /** What the next digit counts for; more than the greatest number below size may be. */
    final long nextWeight(int size, int step) {
        return (long) weight(size, step) * (ports(size) + 1);
    }
}
