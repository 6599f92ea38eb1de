/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.pattern;

/**
 * Reduces the number of participants to a power of two. The participants are divided into that many runs of one or two,
 * as evenly as possible. In a run of two, the first participant hands its data to the second, which then represents the
 * run. The remaining participants represent consecutive runs, in ascending order.
 *
 * <pre>
 *  size 6:    0 → 1   2 → 3   4   5
 *  position     0       1     2   3
 * </pre>
 */
public final class Folding {
    private Folding() {}

    /**
     * Returns the number of participants that remain.
     *
     * @param size the number of participants, 1 or more
     * @return the greatest power of two that is not greater than size
     */
    public static int positions(int size) {
        return Integer.highestOneBit(size);
    }

    /**
     * Returns the greatest number of participants that hand their data to the same one.
     *
     * @param size the number of participants, 1 or more
     * @return 0 if the size is a power of two, otherwise 1
     */
    public static int foldedMax(int size) {
        return positions(size) == size ? 0 : 1;
    }

    /**
     * Returns the position of the run that a participant belongs to.
     *
     * @param index the participant, 0 to size − 1
     * @param size the number of participants
     * @return the position of the run, from 0
     */
    public static int position(int index, int size) {
        return Partition.index(size, 1, positions(size), index);
    }

    /**
     * Returns the first participant of the run at a position.
     *
     * @param position the position of the run, from 0
     * @param size the number of participants
     * @return the participant. It hands its data to the second one, unless it is alone in the run.
     */
    public static int first(int position, int size) {
        return (int) Partition.start(size, 1, positions(size), position);
    }

    /**
     * Returns the last participant of the run at a position, which represents the run.
     *
     * @param position the position of the run, from 0
     * @param size the number of participants
     * @return the participant
     */
    public static int last(int position, int size) {
        return first(position + 1, size) - 1;
    }
}
