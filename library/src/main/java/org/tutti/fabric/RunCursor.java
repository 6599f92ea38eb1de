/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

import org.tutti.Section;

/**
 * A place in a section, which moves on through its runs. Grids are walked like an odometer, without divisions; one that
 * somebody else has described is given in numbers. Used again and again, so that transfers allocate nothing.
 */
public final class RunCursor {
    private static final int DIRECTIONS_MAX = Section.LEVELS_MAX - 1;

    private final long[] counts = new long[DIRECTIONS_MAX];
    private final long[] strides = new long[DIRECTIONS_MAX];
    private final long[] indexes = new long[DIRECTIONS_MAX];
    private int directions;
    private Section vector;
    private long vectorRun;
    private long start;
    private long gridRunBytes;
    private long bytes;
    private long position;
    private long runStart;
    private long runBytes;
    private long runDone;

    /**
     * Goes to the beginning of a section.
     *
     * @param section the section
     */
    public void begin(Section section) {
        if (section.isStrided()) {
            boolean empty = section.runs() == 0;
            for (int direction = 0; direction < section.directions(); direction++) {
                setDirection(direction, section.countOf(direction), section.strideOf(direction));
            }
            begin(empty ? 0 : section.offsetOf(0), empty ? 0 : section.bytesOf(0), empty ? 0 : section.directions(),
                    section.bytes());
        } else {
            begin(0, 0, 0, section.bytes());
            vector = section;
            vectorRun = -1;
            nextOfVector();
        }
    }

    /**
     * Goes to the beginning of bytes that follow each other.
     *
     * @param offset the first one
     * @param length how many, 0 or more
     */
    public void begin(long offset, long length) {
        begin(offset, length, 0, length);
    }

    /**
     * Goes to the beginning of a grid, whose directions have been set.
     *
     * @param offset where the first run begins
     * @param length how long each run is, 1 or more if there are any
     * @param ofDirections how many directions the grid has
     * @param allBytes how many bytes all runs have
     */
    public void begin(long offset, long length, int ofDirections, long allBytes) {
        vector = null;
        directions = ofDirections;
        start = offset;
        gridRunBytes = length;
        bytes = allBytes;
        position = 0;
        runStart = offset;
        runBytes = length;
        runDone = 0;
        for (int direction = 0; direction < directions; direction++) {
            indexes[direction] = 0;
        }
    }

    /**
     * Sets a direction of the grid that begins next.
     *
     * @param direction which one
     * @param count how many nodes it has
     * @param stride the bytes from the beginning of a run to that of the next one
     */
    public void setDirection(int direction, long count, long stride) {
        counts[direction] = count;
        strides[direction] = stride;
    }

    // ---- where it is

    /** {@return how many bytes of the section are behind it} */
    public long position() {
        return position;
    }

    /** {@return how many bytes of the section are still to come} */
    public long left() {
        return bytes - position;
    }

    /** {@return where the next byte lies} */
    public long offset() {
        return runStart + runDone;
    }

    /** {@return how many bytes of the run are still to come, 1 or more unless it is at the end} */
    public long runLeft() {
        return runBytes - runDone;
    }

    /**
     * Counts rows: pieces of a length that follow each other at a {@linkplain #rowStride fixed distance}.
     *
     * @param length of each, at most as much as is left of the run
     * @return how many there are from here on, at least one
     */
    public long rowsLeft(long length) {
        if (length < runLeft()) {
            return runLeft() / length;
        }
        return vector == null && directions > 0 && runDone == 0 ? counts[0] - indexes[0] : 1;
    }

    /**
     * {@return the distance of such rows}
     *
     * @param length of each
     */
    public long rowStride(long length) {
        return length < runLeft() || directions == 0 ? length : strides[0];
    }

    /** {@return how many runs are still to come, at most, this one included} */
    public long runsLeft() {
        return vector == null ? Math.ceilDiv(left(), Math.max(1, gridRunBytes)) + 1 : vector.runs() - vectorRun;
    }

    // ---- what it walks over

    /** {@return whether that is a grid} */
    public boolean isStrided() {
        return vector == null;
    }

    /** {@return where the first run of the grid begins} */
    public long start() {
        return start;
    }

    /** {@return how long each run of the grid is} */
    public long gridRunBytes() {
        return gridRunBytes;
    }

    /** {@return how many directions the grid has} */
    public int directions() {
        return directions;
    }

    /**
     * {@return how many nodes a direction of the grid has}
     *
     * @param direction which one
     */
    public long countOf(int direction) {
        return counts[direction];
    }

    /**
     * {@return the stride of a direction of the grid}
     *
     * @param direction which one
     */
    public long strideOf(int direction) {
        return strides[direction];
    }

    // ---- moving on

    /**
     * Moves on.
     *
     * @param length by how many bytes, at most as many as are left
     */
    public void skip(long length) {
        position += length;
        long rest = length;
        if (vector == null && rest - runLeft() > gridRunBytes) {
            jump();
            return;
        }
        while (rest > 0 && rest >= runLeft()) {
            rest -= runLeft();
            next();
            if (runBytes == 0) {
                return; // the end
            }
        }
        runDone += rest;
    }

    private void next() {
        if (vector == null) {
            nextOfGrid();
        } else {
            nextOfVector();
        }
    }

    private void nextOfVector() {
        runDone = 0;
        runBytes = 0;
        while (runBytes == 0 && ++vectorRun < vector.runs()) {
            runStart = vector.offsetOf(vectorRun);
            runBytes = vector.bytesOf(vectorRun);
        }
    }

    private void nextOfGrid() {
        runDone = 0;
        for (int direction = 0; direction < directions; direction++) {
            if (++indexes[direction] < counts[direction]) {
                runStart += strides[direction];
                return;
            }
            indexes[direction] = 0;
            runStart -= (counts[direction] - 1) * strides[direction];
        }
        runBytes = 0; // that was the last one
    }

    /** Goes to where the position says, of a grid. */
    private void jump() {
        long run = position / gridRunBytes;
        runDone = position % gridRunBytes;
        runBytes = position == bytes ? runDone : gridRunBytes;
        runStart = start;
        for (int direction = 0; direction < directions; direction++) {
            indexes[direction] = run % counts[direction];
            runStart += indexes[direction] * strides[direction];
            run /= counts[direction];
        }
    }
}
