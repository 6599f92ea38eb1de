/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import org.tutti.Section;

/**
 * A transfer of bytes between two sections of equal length. One section lies in a part, the share of another rank in a
 * remote memory. The other section lies in the caller's memory. A section consists of runs, each of which is contiguous
 * bytes. This object holds a position in each section. Usually, both positions move together, by one piece at a time,
 * which lies in one run of each section. While bytes are gathered into a buffer or scattered from one, only the
 * position in the caller's memory moves. Objects are reused, so that transfers allocate nothing.
 */
public final class SectionPieces {
    private static final ValueLayout.OfLong LONGS = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final int LOOP_BYTES_MAX = 128;

    private final RunCursor part = new RunCursor();
    private final RunCursor here = new RunCursor();
    private MemorySegment memory;
    private long runs;

    /**
     * Begins a transfer between two sections of equal length, one in another rank's part and one in the caller's
     * memory.
     *
     * @param ofPart the section in the other rank's part
     * @param ofMemory the caller's memory
     * @param of the section in the caller's memory, with as many bytes as the section in the part
     */
    public void begin(Section ofPart, MemorySegment ofMemory, Section of) {
        part.begin(ofPart);
        here.begin(of);
        memory = ofMemory;
        runs = Math.max(ofPart.runs(), of.runs());
    }

    /**
     * Begins a transfer of bytes that are contiguous in the part and in the caller's memory.
     *
     * @param partOffset the offset of the bytes in the part
     * @param ofMemory the caller's memory
     * @param memoryOffset the offset of the bytes in the caller's memory
     * @param bytes the number of bytes, 0 or more
     */
    public void begin(long partOffset, MemorySegment ofMemory, long memoryOffset, long bytes) {
        part.begin(partOffset, bytes);
        here.begin(memoryOffset, bytes);
        memory = ofMemory;
        runs = 1;
    }

    /** Ends or abandons the transfer, and drops the reference to the caller's memory. */
    public void end() {
        memory = null;
    }

    /** {@return the position in the part's section} */
    public RunCursor part() {
        return part;
    }

    /** {@return the position in the section of the caller's memory} */
    public RunCursor here() {
        return here;
    }

    /** {@return the caller's memory} */
    public MemorySegment memory() {
        return memory;
    }

    /** {@return the number of runs of the section that has more of them} */
    public long runs() {
        return runs;
    }

    /** {@return the number of bytes from the position in the part's section to the end of that section} */
    public long left() {
        return part.left();
    }

    /** {@return the number of next bytes that are contiguous in both memories; 0 at the end} */
    public long pieceBytes() {
        return Math.min(part.runLeft(), here.runLeft());
    }

    /**
     * Moves the positions in both sections forward by the same number of bytes.
     *
     * @param bytes the number of bytes
     */
    public void skip(long bytes) {
        part.skip(bytes);
        here.skip(bytes);
    }

    /**
     * Copies the rest of the transfer from the caller's memory to the part.
     *
     * @param data the memory of the part
     */
    public void copyTo(MemorySegment data) {
        copyAll(memory, here, data, part);
    }

    /**
     * Copies the rest of the transfer from the part to the caller's memory.
     *
     * @param data the memory of the part
     */
    public void copyFrom(MemorySegment data) {
        copyAll(data, part, memory, here);
    }

    /**
     * Copies the rest of a transfer. The rows of a matrix are copied in a loop of their own, because moving a cursor
     * from row to row takes longer than copying a short row.
     */
    private static void copyAll(MemorySegment from, RunCursor source, MemorySegment to, RunCursor target) {
        while (source.left() > 0) {
            long length = Math.min(source.runLeft(), target.runLeft());
            long rows = Math.min(source.rowsLeft(length), target.rowsLeft(length));
            copyRows(from, source.offset(), source.rowStride(length), to, target.offset(), target.rowStride(length),
                    rows, length);
            source.skip(rows * length);
            target.skip(rows * length);
        }
    }

    private static void copyRows(MemorySegment from, long fromOffset, long fromStride, MemorySegment to, long toOffset,
            long toStride, long rows, long bytes) {
        long source = fromOffset;
        long target = toOffset;
        if (bytes % Long.BYTES == 0 && bytes <= LOOP_BYTES_MAX) {
            for (long row = 0; row < rows; row++) {
                for (int at = 0; at < (int) bytes; at += Long.BYTES) {
                    to.set(LONGS, target + at, from.get(LONGS, source + at));
                }
                source += fromStride;
                target += toStride;
            }
        } else {
            for (long row = 0; row < rows; row++) {
                MemorySegment.copy(from, source, to, target, bytes);
                source += fromStride;
                target += toStride;
            }
        }
    }

    /**
     * Copies the next bytes of the caller's memory to a buffer, and moves the position in the caller's memory past
     * them.
     *
     * @param buffer the buffer
     * @param at the offset of the copied bytes in the buffer
     * @param bytes the number of bytes
     */
    public void gather(MemorySegment buffer, long at, long bytes) {
        for (long done = 0; done < bytes;) {
            long length = Math.min(here.runLeft(), bytes - done);
            copy(memory, here.offset(), buffer, at + done, length);
            here.skip(length);
            done += length;
        }
    }

    /**
     * Copies bytes from a buffer to the caller's memory, and moves the position in the caller's memory past them.
     *
     * @param buffer the buffer
     * @param at the offset of the copied bytes in the buffer
     * @param bytes the number of bytes
     */
    public void scatter(MemorySegment buffer, long at, long bytes) {
        for (long done = 0; done < bytes;) {
            long length = Math.min(here.runLeft(), bytes - done);
            copy(buffer, at + done, memory, here.offset(), length);
            here.skip(length);
            done += length;
        }
    }

    /**
     * Copies contiguous bytes from one memory to another. If there are eight bytes, as in a column of a matrix, they
     * are copied as one number, because a general copy would take longer.
     *
     * @param from the memory from which the bytes are copied
     * @param fromOffset the offset of the bytes in the source
     * @param to the memory to which the bytes are copied
     * @param toOffset the offset of the bytes in the target
     * @param bytes the number of bytes
     */
    public static void copy(MemorySegment from, long fromOffset, MemorySegment to, long toOffset, long bytes) {
        if (bytes == Long.BYTES) {
            to.set(LONGS, toOffset, from.get(LONGS, fromOffset));
        } else {
            MemorySegment.copy(from, fromOffset, to, toOffset, bytes);
        }
    }
}
