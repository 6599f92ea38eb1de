/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.pattern;

/**
 * Making a power of k + 1 of any number of participants: they are cut into that many runs, as evenly as that goes, and
 * in each run all but the last one hand what they have to it, k at most. It stands for the run from then on. So those
 * that are left stand for consecutive runs, in ascending order.
 *
 * <pre>
 *  size 6, 1 port:    0 → 1   2 → 3   4   5        size 6, 3 ports:    0 → 1   2 → 3   4   5
 *  position             0       1     2   3        size 15, 3 ports:   0 1 2 → 3   4 5 6 → 7   8 9 10 → 11   12 13 → 14
 * </pre>
 */
public final class Folding {
    private final int portsMax;

    /**
     * @param ports k, 1 or more; no more than there are others are used
     */
    public Folding(int ports) {
        this.portsMax = ports;
    }

    /**
     * Counts those with whom one of those that are left exchanges at a time.
     *
     * @param size the number of participants, 1 or more
     * @return k, 1 at least
     */
    public int ports(int size) {
        return Math.clamp(size - 1, 1, portsMax);
    }

    /**
     * Counts those that are left.
     *
     * @param size the number of participants
     * @return the greatest power of k + 1 that is not greater
     */
    public int positions(int size) {
        int base = ports(size) + 1;
        int positions = 1;
        for (int rest = size / base; rest > 0; rest /= base) {
            positions *= base;
        }
        return positions;
    }

    /**
     * Counts those that hand what they have to the same one.
     *
     * @param size the number of participants
     * @return how many at most, 0 to k
     */
    public int foldedMax(int size) {
        return Math.ceilDiv(size, positions(size)) - 1;
    }

    /**
     * Finds the position of a participant's run among those that are left.
     *
     * @param index the participant, 0 to size − 1
     * @param size the number of participants
     * @return its position
     */
    public int position(int index, int size) {
        return Partition.index(size, 1, positions(size), index);
    }

    /**
     * Finds the first one of the run at a position.
     *
     * @param position the position
     * @param size the number of participants
     * @return the participant, which is folded unless it is alone
     */
    public int first(int position, int size) {
        return (int) Partition.start(size, 1, positions(size), position);
    }

    /**
     * Finds the last one of the run at a position, which stands for all of it.
     *
     * @param position the position
     * @param size the number of participants
     * @return the participant
     */
    public int last(int position, int size) {
        return first(position + 1, size) - 1;
    }
}
