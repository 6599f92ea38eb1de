/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.pattern;

/**
 * Making a power of two of any number of participants: of the first 2·(size − power) ones each even one hands what it
 * has to the odd one after it, which stands for both from then on. So those that are left stand for consecutive runs,
 * in ascending order.
 *
 * <pre>
 *  size 6:   0 → 1   2 → 3   4   5
 *  position    0       1     2   3
 * </pre>
 */
public final class Folding {
    private Folding() {}

    /**
     * Counts those that are left.
     *
     * @param size the number of participants, 1 or more
     * @return the greatest power of two that is not greater
     */
    public static int positions(int size) {
        return Integer.highestOneBit(size);
    }

    /**
     * Tells whether a participant hands over what it has, to the next one.
     *
     * @param index the participant, 0 to size − 1
     * @param size the number of participants
     * @return whether it does
     */
    public static boolean isFolded(int index, int size) {
        return index < pairs(size) && index % 2 == 0;
    }

    /**
     * Tells whether a participant stands for the one before it as well.
     *
     * @param index the participant, 0 to size − 1
     * @param size the number of participants
     * @return whether it does
     */
    public static boolean standsForTwo(int index, int size) {
        return index < pairs(size) && index % 2 == 1;
    }

    /**
     * Finds the position of a participant among those that are left.
     *
     * @param index the participant, which is not folded
     * @param size the number of participants
     * @return its position
     */
    public static int position(int index, int size) {
        return index < pairs(size) ? index / 2 : index - pairs(size) / 2;
    }

    /**
     * Finds the participant at a position among those that are left.
     *
     * @param position the position
     * @param size the number of participants
     * @return the participant
     */
    public static int index(int position, int size) {
        return position < pairs(size) / 2 ? 2 * position + 1 : position + pairs(size) / 2;
    }

    /** Twice the number of those that are folded. */
    private static int pairs(int size) {
        return 2 * (size - positions(size));
    }
}
