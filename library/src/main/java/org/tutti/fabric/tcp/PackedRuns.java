/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.ProtocolException;

import org.tutti.Section;
import org.tutti.fabric.RunCursor;
import org.tutti.fabric.SectionPieces;

/**
 * Writes and reads frames with several runs, each of which is contiguous bytes of a region. A payload begins with a
 * description in 8-byte numbers, which gives the positions of the runs in the region, relative to the frame's offset.
 * The bytes of the runs follow, unless the frame is a request. Each frame can be read without the others, so the frames
 * may take any rails and arrive in any order.
 *
 * <pre>
 *  a part of a grid:  +0 directions, 0 to 8   +8 bytes of the grid before this frame's   +16 bytes of a run
 *                     +24 (count, stride) for each direction          then the bytes of all runs
 *  runs of a vector:  +0 −1                   +8 (offset · 2¹⁷ + length, and the bytes of that run), again and again
 * </pre>
 *
 * <p>The description of a column of a matrix therefore takes 40 bytes in each frame, and that of a vector 8 bytes for
 * each run. A request has no bytes of runs, and at most {@value FrameLayout#REQUEST_BYTES_MAX} bytes of description,
 * because the other side keeps the description until it has answered.
 *
 * <p>An object reads frames one after the other. It reads each number of a description only once. The number that it
 * checks is therefore the number that it uses, even if the description is overwritten meanwhile.
 */
final class PackedRuns {
    private static final ValueLayout.OfLong LONGS = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final long LIST = -1;
    private static final int LENGTH_BITS = 17;
    private static final int GRID_BYTES = 3 * Long.BYTES;
    private static final int DIRECTION_BYTES = 2 * Long.BYTES;

    /**
     * Masks that round a length in bytes down. A run is cut at a multiple of the longest element, which has 16 bytes.
     * The bytes of a grid are cut at a multiple of a cache line, which has 64 bytes.
     */
    private static final long CUT_RUN = -16;

    private static final long CUT_CHUNK = -64;

    private final RunCursor grid = new RunCursor();
    private MemorySegment payload;
    private boolean isList;
    private boolean hasBytes;
    private long base;
    private long next;
    private long end;
    private long left;
    private long offset;
    private long length;
    private long at;

    // ---- writing

    /** Returns whether the next bytes of a transfer lie in one run of the part, so that they need no description. */
    static boolean isPlain(SectionPieces pieces, long bytes) {
        return pieces.part().runLeft() >= bytes;
    }

    /**
     * Returns an upper bound of the length in bytes of a payload that carries the next bytes of a transfer and the
     * description of their runs. The result is at most {@value FrameLayout#PAYLOAD_BYTES_MAX}.
     */
    static int payloadBytes(SectionPieces pieces, long bytes) {
        RunCursor part = pieces.part();
        long all = isPlain(pieces, bytes) ? bytes
                : bytes + (part.isStrided() ? gridBytes(part) : Long.BYTES * (1 + Math.min(bytes, part.runsLeft())));
        return (int) Math.min(FrameLayout.PAYLOAD_BYTES_MAX, all);
    }

    private static int gridBytes(RunCursor part) {
        return GRID_BYTES + part.directions() * DIRECTION_BYTES;
    }

    /**
     * Writes the next bytes of a transfer, with the description of their runs, as the payload of a frame. It writes as
     * many bytes as have room, and moves the transfer past them. If all bytes lie in one run, the payload has no
     * description, and the frame is not marked as packed.
     *
     * @param room the most bytes that the payload may have, with the description
     * @return the length of the payload in bytes
     */
    static int write(Frame frame, SectionPieces pieces, long bytes, MemorySegment to, long toOffset, int room) {
        RunCursor part = pieces.part();
        if (isPlain(pieces, bytes)) {
            frame.offset = part.offset();
            pieces.gather(to, toOffset, bytes);
            part.skip(bytes);
            return (int) bytes;
        }
        frame.flags |= FrameLayout.PACKED;
        if (part.isStrided()) {
            int described = describeGrid(frame, part, to, toOffset);
            long taken = Math.min(bytes, bytes <= room - described ? bytes : room - described & CUT_CHUNK);
            pieces.gather(to, toOffset + described, taken);
            part.skip(taken);
            return described + (int) taken;
        }
        frame.offset = 0;
        to.set(LONGS, toOffset, LIST);
        int written = Long.BYTES;
        for (long rest = bytes; rest > 0;) {
            long most = (long) room - written - Long.BYTES;
            long run = Math.min(part.runLeft(), rest);
            run = run <= most ? run : most & CUT_RUN;
            if (run <= 0) {
                break;
            }
            to.set(LONGS, toOffset + written, part.offset() << LENGTH_BITS | run);
            pieces.gather(to, toOffset + written + Long.BYTES, run);
            part.skip(run);
            written += Long.BYTES + (int) run;
            rest -= run;
        }
        return written;
    }

    /**
     * Writes a request for the next bytes of a transfer, with the description of their runs. If they have more runs
     * than a description may list, fewer bytes are requested. The position in the transfer's part moves past the
     * requested bytes.
     *
     * @return the length of the description in bytes; 0 if all bytes lie in one run
     */
    static int writeRequest(Frame frame, SectionPieces pieces, long bytes, MemorySegment to, long toOffset) {
        RunCursor part = pieces.part();
        frame.value = bytes;
        if (isPlain(pieces, bytes)) {
            frame.offset = part.offset();
            part.skip(bytes);
            return 0;
        }
        frame.flags |= FrameLayout.PACKED;
        if (part.isStrided()) {
            int described = describeGrid(frame, part, to, toOffset);
            part.skip(bytes);
            return described;
        }
        frame.offset = 0;
        to.set(LONGS, toOffset, LIST);
        int written = Long.BYTES;
        long rest = bytes;
        while (rest > 0 && written < FrameLayout.REQUEST_BYTES_MAX) {
            long run = Math.min(part.runLeft(), rest);
            to.set(LONGS, toOffset + written, part.offset() << LENGTH_BITS | run);
            part.skip(run);
            written += Long.BYTES;
            rest -= run;
        }
        frame.value = bytes - rest;
        assert frame.value > 0 && written <= FrameLayout.REQUEST_BYTES_MAX
                : "a request for " + frame.value + " bytes with "
                        + written + " of description";
        return written;
    }

    private static int describeGrid(Frame frame, RunCursor part, MemorySegment to, long toOffset) {
        frame.offset = part.start();
        to.set(LONGS, toOffset, part.directions());
        to.set(LONGS, toOffset + Long.BYTES, part.position());
        to.set(LONGS, toOffset + 2 * Long.BYTES, part.gridRunBytes());
        for (int direction = 0; direction < part.directions(); direction++) {
            long each = toOffset + GRID_BYTES + (long) direction * DIRECTION_BYTES;
            to.set(LONGS, each, part.countOf(direction));
            to.set(LONGS, each + Long.BYTES, part.strideOf(direction));
        }
        return gridBytes(part);
    }

    // ---- reading

    /** Begins to read a frame that contains the bytes of its runs. */
    void begin(Frame frame, MemorySegment from) throws ProtocolException {
        hasBytes = true;
        begin(frame, from, frame.length);
    }

    /** Begins to read the description of a request, which contains no bytes of runs. */
    void beginRequest(Frame frame, MemorySegment from, int bytes) throws ProtocolException {
        hasBytes = false;
        begin(frame, from, bytes);
    }

    private void begin(Frame frame, MemorySegment from, int bytes) throws ProtocolException {
        payload = from;
        base = frame.offset;
        end = bytes;
        length = 0;
        require(bytes >= Long.BYTES);
        long directions = from.get(LONGS, 0);
        isList = directions == LIST;
        if (isList) {
            next = Long.BYTES;
            left = hasBytes ? 0 : frame.value; // the end suffices for a list with bytes
            require(next < end && (hasBytes || left > 0));
        } else {
            require(directions >= 0 && directions <= Section.LEVELS_MAX);
            beginGrid(frame, (int) directions);
        }
    }

    private void beginGrid(Frame frame, int directions) throws ProtocolException {
        next = GRID_BYTES + (long) directions * DIRECTION_BYTES;
        left = hasBytes ? end - next : frame.value;
        long position = end < GRID_BYTES ? -1 : payload.get(LONGS, Long.BYTES);
        require(position >= 0 && left > 0 && (hasBytes ? next < end : next == end));
        long run = payload.get(LONGS, 2 * Long.BYTES);
        require(run > 0);
        try {
            long all = run;
            long reach = run;
            for (int direction = 0; direction < directions; direction++) {
                long each = GRID_BYTES + (long) direction * DIRECTION_BYTES;
                long count = payload.get(LONGS, each);
                long stride = payload.get(LONGS, each + Long.BYTES);
                require(count > 0 && stride >= 0);
                all = Math.multiplyExact(all, count);
                reach = Math.addExact(reach, Math.multiplyExact(count - 1, stride));
                grid.setDirection(direction, count, stride);
            }
            require(left <= all - position);
            grid.begin(base, run, directions, all);
            grid.skip(position);
        } catch (ArithmeticException _) {
            throw new ProtocolException("a grid that reaches further than any memory");
        }
        length = 0;
    }

    private static void require(boolean condition) throws ProtocolException {
        if (!condition) {
            throw new ProtocolException("a description of runs that makes no sense");
        }
    }

    /** Moves to the next run, or to the part of a run that the frame contains. Returns whether there is one. */
    boolean next() throws ProtocolException {
        return isList ? nextOfList() : nextOfGrid();
    }

    private boolean nextOfList() throws ProtocolException {
        if (next == end) {
            require(hasBytes || left == 0);
            return false;
        }
        require(next + Long.BYTES <= end);
        long described = payload.get(LONGS, next);
        length = described & (1L << LENGTH_BITS) - 1;
        offset = base + (described >>> LENGTH_BITS);
        at = next + Long.BYTES;
        next = at + (hasBytes ? length : 0);
        left -= hasBytes ? 0 : length;
        require(length > 0 && next <= end && (hasBytes || left >= 0));
        return true;
    }

    private boolean nextOfGrid() {
        grid.skip(length);
        at = next;
        length = Math.min(left, grid.runLeft());
        offset = grid.offset();
        next += length;
        left -= length;
        return length > 0;
    }

    /** Returns the offset of the current run in the region. It may have any value, because another process sends it. */
    long offset() {
        return offset;
    }

    /** Returns the length of the current run in bytes. */
    long length() {
        return length;
    }

    /** Returns the offset of the current run's bytes in the payload. */
    long at() {
        return at;
    }
}
