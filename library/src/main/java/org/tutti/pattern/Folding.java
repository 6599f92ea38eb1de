/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.pattern;

/**
 * Reduces any number of participants to a power of two: they are cut into that many runs of one or two, as evenly as
 * possible. The first of two hands its data to the second, which stands for the run from then on. The remaining
 * participants stand for consecutive runs, in ascending order.
 *
 * <pre>
 *  size 6:    0 → 1   2 → 3   4   5
 *  position     0       1     2   3
 * </pre>
 */
public final class Folding {
    private Folding() {}

    /**
     * Counts the participants that remain.
     *
     * @param size the number of participants, 1 or more
     * @return the greatest power of two that is not greater than size
     */
    public static int positions(int size) {
        return Integer.highestOneBit(size);
    }

    /**
     * Counts the participants that hand their data to the same one.
     *
     * @param size the number of participants
     * @return the greatest number: 0 for a power of two, else 1
     */
    public static int foldedMax(int size) {
        return positions(size) == size ? 0 : 1;
    }

    /**
     * Finds the position of a participant's run.
     *
     * @param index the participant, 0 to size − 1
     * @param size the number of participants
     * @return its position
     */
    public static int position(int index, int size) {
        return Partition.index(size, 1, positions(size), index);
    }

    /**
     * Finds the first participant of the run at a position.
     *
     * @param position the position
     * @param size the number of participants
     * @return the participant, which is folded unless it is alone
     */
    public static int first(int position, int size) {
        return (int) Partition.start(size, 1, positions(size), position);
    }

    /**
     * Finds the last participant of the run at a position, which stands for all of it.
     *
     * @param position the position
     * @param size the number of participants
     * @return the participant
     */
    public static int last(int position, int size) {
        return first(position + 1, size) - 1;
    }
}
