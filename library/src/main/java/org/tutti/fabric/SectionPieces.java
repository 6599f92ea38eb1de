/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import org.tutti.Section;

/**
 * A transfer between a section of somebody's part and one of the caller's memory, as far as it has come: a place in
 * each. Both move on together, piece by piece, where a piece lies in one run of each; or the caller's side alone, when
 * its bytes are gathered into a buffer or scattered from one. Used again and again, so that transfers allocate nothing.
 */
public final class SectionPieces {
    private static final ValueLayout.OfLong LONGS = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final int LOOP_BYTES_MAX = 128;

    private final RunCursor part = new RunCursor();
    private final RunCursor here = new RunCursor();
    private MemorySegment memory;
    private long runs;

    /**
     * Begins a transfer of sections.
     *
     * @param ofPart which bytes of the part
     * @param ofMemory which bytes of the memory; as many
     * @param of the caller's memory
     */
    public void begin(Section ofPart, MemorySegment ofMemory, Section of) {
        part.begin(ofPart);
        here.begin(of);
        memory = ofMemory;
        runs = Math.max(ofPart.runs(), of.runs());
    }

    /**
     * Begins a transfer of bytes that follow each other, in the part and here.
     *
     * @param partOffset where in the part
     * @param ofMemory the caller's memory
     * @param memoryOffset at which byte of it
     * @param bytes how many, 0 or more
     */
    public void begin(long partOffset, MemorySegment ofMemory, long memoryOffset, long bytes) {
        part.begin(partOffset, bytes);
        here.begin(memoryOffset, bytes);
        memory = ofMemory;
        runs = 1;
    }

    /** The transfer has ended, or was given up: the caller's memory is kept no longer. */
    public void end() {
        memory = null;
    }

    /** {@return the place in the part's section} */
    public RunCursor part() {
        return part;
    }

    /** {@return the place in the section of the caller's memory} */
    public RunCursor here() {
        return here;
    }

    /** {@return the caller's memory} */
    public MemorySegment memory() {
        return memory;
    }

    /** {@return how many runs the section with more of them has} */
    public long runs() {
        return runs;
    }

    /** {@return how many bytes of the part's section are still to come} */
    public long left() {
        return part.left();
    }

    /** {@return how many bytes the next piece has, 0 at the end} */
    public long pieceBytes() {
        return Math.min(part.runLeft(), here.runLeft());
    }

    /**
     * Moves on, in both.
     *
     * @param bytes by how many
     */
    public void skip(long bytes) {
        part.skip(bytes);
        here.skip(bytes);
    }

    /**
     * Copies all that is left to the part.
     *
     * @param data the part's memory
     */
    public void copyTo(MemorySegment data) {
        copyAll(memory, here, data, part);
    }

    /**
     * Copies all that is left from the part.
     *
     * @param data the part's memory
     */
    public void copyFrom(MemorySegment data) {
        copyAll(data, part, memory, here);
    }

    /** Rows of a matrix are copied by a loop of their own: moving on from row to row costs more than a short row. */
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
     * Copies the next bytes of the caller's memory to a buffer, and moves on there.
     *
     * @param buffer the buffer
     * @param at from which byte on
     * @param bytes how many
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
     * Copies the next bytes of the caller's memory from a buffer, and moves on there.
     *
     * @param buffer the buffer
     * @param at from which byte on
     * @param bytes how many
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
     * Copies a run: columns of a matrix have runs of eight bytes, for which a general copy costs more than the bytes.
     *
     * @param from where the bytes are
     * @param fromOffset at which byte
     * @param to where they go
     * @param toOffset at which byte
     * @param bytes how many
     */
    public static void copy(MemorySegment from, long fromOffset, MemorySegment to, long toOffset, long bytes) {
        if (bytes == Long.BYTES) {
            to.set(LONGS, toOffset, from.get(LONGS, fromOffset));
        } else {
            MemorySegment.copy(from, fromOffset, to, toOffset, bytes);
        }
    }
}
