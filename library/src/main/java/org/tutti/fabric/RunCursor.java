/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

import org.tutti.Section;

/**
 * A position in a section, which moves through the runs of the section. A run is contiguous bytes. A section is either
 * a vector or a grid. A vector is a list of any runs. In a grid, runs of one length repeat at a fixed stride in each
 * direction. For example, a block of a matrix is a grid with one direction. Its runs are the rows of the block, and
 * their stride is the length of a row of the matrix. The cursor moves from run to run of a grid without divisions, as
 * an odometer counts. {@link #setDirection} and {@link #begin(long, long, int, long)} set a grid that another process
 * has described. Cursors are reused, so that transfers allocate nothing.
 */
public final class RunCursor {
    private final long[] counts = new long[Section.LEVELS_MAX];
    private final long[] strides = new long[Section.LEVELS_MAX];
    private final long[] indexes = new long[Section.LEVELS_MAX];
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
     * Moves this cursor to the first byte of a section.
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
     * Moves this cursor to the first byte of a section that is contiguous.
     *
     * @param offset the offset of the first byte
     * @param length the number of bytes, 0 or more
     */
    public void begin(long offset, long length) {
        begin(offset, length, 0, length);
    }

    /**
     * Moves this cursor to the first byte of a grid, a section of equally long runs. Calls of {@link #setDirection}
     * must have described each direction in which the runs repeat.
     *
     * @param offset the offset of the first run in bytes
     * @param length the length of each run in bytes, 1 or more if there are runs
     * @param ofDirections the number of directions of the grid
     * @param allBytes the number of bytes of all runs together
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
     * Describes one direction of a grid, in which runs repeat at a fixed stride. The next call of {@link #begin(long,
     * long, int, long)} uses the description.
     *
     * @param direction the index of the direction, from 0
     * @param count the number of runs along the direction
     * @param stride the number of bytes from the beginning of a run to the beginning of the next one in this direction
     */
    public void setDirection(int direction, long count, long stride) {
        counts[direction] = count;
        strides[direction] = stride;
    }

    // ---- position

    /** {@return the number of bytes of the section before this position} */
    public long position() {
        return position;
    }

    /** {@return the number of bytes of the section from this position on} */
    public long left() {
        return bytes - position;
    }

    /** {@return the offset of the byte at this position} */
    public long offset() {
        return runStart + runDone;
    }

    /** {@return the number of bytes from this position to the end of its run; 0 only at the end of the section} */
    public long runLeft() {
        return runBytes - runDone;
    }

    /**
     * Returns how many pieces of a given length follow one another from this position on, at a fixed distance. Such
     * pieces are called rows, and {@link #rowStride} returns their distance. They can be copied in one loop without
     * moving this cursor.
     *
     * @param length the length of a row in bytes, at most the rest of the run
     * @return the number of rows, at least 1
     */
    public long rowsLeft(long length) {
        if (length < runLeft()) {
            return runLeft() / length;
        }
        return vector == null && directions > 0 && runDone == 0 ? counts[0] - indexes[0] : 1;
    }

    /**
     * {@return the number of bytes from the beginning of one of the {@linkplain #rowsLeft rows} to the beginning of the
     * next}
     *
     * @param length the length of a row in bytes
     */
    public long rowStride(long length) {
        return length < runLeft() || directions == 0 ? length : strides[0];
    }

    /** {@return an upper bound of the number of runs from this position on, which includes the run of this position} */
    public long runsLeft() {
        return vector == null ? Math.ceilDiv(left(), Math.max(1, gridRunBytes)) + 1 : vector.runs() - vectorRun;
    }

    // ---- section

    /** {@return whether the section is a grid} */
    public boolean isStrided() {
        return vector == null;
    }

    /** {@return the offset of the grid's first run in bytes} */
    public long start() {
        return start;
    }

    /** {@return the length of each run of the grid in bytes} */
    public long gridRunBytes() {
        return gridRunBytes;
    }

    /** {@return the number of directions of the grid} */
    public int directions() {
        return directions;
    }

    /**
     * {@return the number of runs along a direction of the grid}
     *
     * @param direction the index of the direction
     */
    public long countOf(int direction) {
        return counts[direction];
    }

    /**
     * {@return the number of bytes from the beginning of a run of the grid to the next one in a direction}
     *
     * @param direction the index of the direction
     */
    public long strideOf(int direction) {
        return strides[direction];
    }

    // ---- moving on

    /**
     * Moves this cursor forward in the section, past as many runs as the bytes take.
     *
     * @param length the number of bytes, at most {@link #left}
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

    /**
     * Moves this cursor directly to the run of a grid that contains the current position. This method divides, so it
     * takes longer than a step to the next run.
     */
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
