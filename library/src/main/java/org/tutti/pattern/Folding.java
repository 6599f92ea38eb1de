/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.pattern;

/**
 * Reduces the number of participants of an algorithm to a power of two. The participants are divided into that many
 * runs of one or two, as evenly as possible. In a run of two, the first participant passes its data to the second,
 * which then represents the run. The remaining participants represent consecutive runs, in ascending order.
 *
 * <pre>
 *  size 6:    0 → 1   2 → 3   4   5
 *  position     0       1     2   3
 * </pre>
 */
public final class Folding {
    private Folding() {}

    /**
     * Returns the number of participants that remain if the others pass their data to a neighbour.
     *
     * @param size the number of participants, 1 or more
     * @return the greatest power of two that is not greater than size
     */
    public static int positions(int size) {
        return Integer.highestOneBit(size);
    }

    /**
     * Returns the greatest number of participants that pass their data to the same participant.
     *
     * @param size the number of participants, 1 or more
     * @return 0 if the size is a power of two, otherwise 1
     */
    public static int foldedMax(int size) {
        return positions(size) == size ? 0 : 1;
    }

    /**
     * Returns the number of the run to which a participant belongs. A run is one participant, or two of which the first
     * passes its data to the second.
     *
     * @param index the participant, 0 to size − 1
     * @param size the number of participants before the folding
     * @return the position of the run, from 0
     */
    public static int position(int index, int size) {
        return Partition.index(size, 1, positions(size), index);
    }

    /**
     * Returns the first participant of a run. It passes its data to the second one, unless it is alone in the run.
     *
     * @param position the position of the run, from 0
     * @param size the number of participants before the folding
     * @return the participant, 0 to size − 1
     */
    public static int first(int position, int size) {
        return (int) Partition.start(size, 1, positions(size), position);
    }

    /**
     * Returns the last participant of a run, which represents the run after the first one has passed its data to it.
     *
     * @param position the position of the run, from 0
     * @param size the number of participants before the folding
     * @return the participant, 0 to size − 1
     */
    public static int last(int position, int size) {
        return first(position + 1, size) - 1;
    }
}
