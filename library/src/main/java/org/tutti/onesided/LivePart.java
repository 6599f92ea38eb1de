/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

import org.tutti.DataType;
import org.tutti.NonBlockingPart;
import org.tutti.Reduction;
import org.tutti.RemotePart;
import org.tutti.Section;
import org.tutti.fabric.AtomicOperation;
import org.tutti.fabric.SectionPieces;

/**
 * What the parts of ranks near and far have in common: bounds are checked here, at the caller, before anything is done.
 */
abstract class LivePart extends RemotePart {
    /** The first whole number that is too great for a long, to which the greatest long is rounded as a double. */
    private static final double LONG_END = 0x1p63;

    private static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);

    final LiveRemoteMemory memory;
    final int rank;
    final long bytes;
    final SectionPieces pieces = new SectionPieces();
    private LiveNonBlockingPart nonBlocking;

    LivePart(LiveRemoteMemory memory, int rank, long bytes) {
        this.memory = memory;
        this.rank = rank;
        this.bytes = bytes;
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public long size() {
        return bytes;
    }

    @Override
    public NonBlockingPart nonBlocking() {
        if (nonBlocking == null) {
            nonBlocking = new LiveNonBlockingPart(this, null);
        }
        return nonBlocking;
    }

    @Override
    protected void write(long offset, MemorySegment source) {
        long length = source.byteSize();
        check("put", offset, length);
        if (length > 0) {
            copyIn(offset, source, length);
        }
    }

    @Override
    protected void writeNotify(long offset, MemorySegment source, int notification) {
        long length = source.byteSize();
        check("putNotify", offset, length);
        long word = PartLayout.notification(bytes, memory.checkNotification(notification));
        copyInAndNotify(offset, source, length, word);
    }

    @Override
    protected void writeNotify(Section section, MemorySegment source, Section of, int notification) {
        memory.checkNotification(notification); // before anything is written
        write(section, source, of);
        writeNotify(0, NOTHING, notification);
    }

    @Override
    protected void write(Section section, MemorySegment source, Section of) {
        check("put", section, source, of);
        pieces.begin(section, source, of);
        copyIn(pieces);
    }

    @Override
    protected void read(long offset, MemorySegment target) {
        long length = target.byteSize();
        check("get", offset, length);
        if (length > 0) {
            copyOut(offset, target, length);
        }
    }

    @Override
    protected void read(Section section, MemorySegment target, Section of) {
        check("get", section, target, of);
        pieces.begin(section, target, of);
        copyOut(pieces);
    }

    @Override
    protected void accumulate(long offset, MemorySegment source, DataType type, Reduction reduction, double scale) {
        combine(accumulation(type, reduction), offset, source, type, scale(type, scale), 0);
    }

    @Override
    protected void accumulate(Section section, MemorySegment source, Section of, DataType type, Reduction reduction,
            double scale) {
        combine(accumulation(type, reduction), section, source, of, type, scale(type, scale), 0);
    }

    private Accumulation accumulation(DataType type, Reduction reduction) {
        Accumulation how = Accumulation.of(Objects.requireNonNull(reduction, "reduction"));
        if (how == null || !how.supports(type)) {
            throw new IllegalArgumentException(memory.self() + " cannot accumulate elements of type " + type
                    + " by " + reduction + ": sum, min and max work on int, long, float and double, the bitwise"
                    + " operators on int and long");
        }
        return how;
    }

    @Override
    protected void replace(long offset, MemorySegment source, DataType type) {
        checkReplaceable(type);
        combine(Accumulation.REPLACE, offset, source, type, 0, 0);
    }

    @Override
    protected void replace(Section section, MemorySegment source, Section of, DataType type) {
        checkReplaceable(type);
        combine(Accumulation.REPLACE, section, source, of, type, 0, 0);
    }

    private void checkReplaceable(DataType type) {
        if (!Accumulation.REPLACE.supports(type)) {
            throw new IllegalArgumentException(memory.self() + " cannot replace elements of type " + type
                    + ": they must be int, long, float or double");
        }
    }

    @Override
    protected void accumulateComplex(long offset, MemorySegment source, DataType type, double real, double imaginary) {
        checkComplex(source.byteSize(), type);
        combine(Accumulation.SUM_OF_COMPLEX, offset, source, type, Double.doubleToRawLongBits(real),
                Double.doubleToRawLongBits(imaginary));
    }

    @Override
    protected void accumulateComplex(Section section, MemorySegment source, Section of, DataType type, double real,
            double imaginary) {
        checkComplex(section.bytes(), type);
        combine(Accumulation.SUM_OF_COMPLEX, section, source, of, type, Double.doubleToRawLongBits(real),
                Double.doubleToRawLongBits(imaginary));
    }

    private void checkComplex(long length, DataType type) {
        if (!Accumulation.SUM_OF_COMPLEX.supports(type)
                || length % Accumulation.SUM_OF_COMPLEX.elementBytes(type) != 0) {
            throw new IllegalArgumentException(memory.self() + " cannot accumulate " + length
                    + " bytes of type " + type + " as complex numbers: they must be pairs of float or double");
        }
    }

    private void combine(Accumulation how, long offset, MemorySegment source, DataType type, long scale,
            long imaginary) {
        long length = source.byteSize();
        check("accumulate", offset, length);
        checkAligned("accumulate", offset, how.elementBytes(type));
        if (length > 0) {
            combine(how.code(type), scale, imaginary, offset, source, length);
        }
    }

    private void combine(Accumulation how, Section section, MemorySegment source, Section of, DataType type,
            long scale, long imaginary) {
        check("accumulate", section, source, of);
        int elementBytes = how.elementBytes(type);
        if (!section.isMultipleOf(elementBytes) || !of.isMultipleOf(elementBytes)) {
            throw new IllegalArgumentException(memory.self() + " cannot accumulate these sections: elements"
                    + " have " + elementBytes + " bytes, and runs that begin or end at no multiple of that cut them");
        }
        pieces.begin(section, source, of);
        combine(how.code(type), scale, imaginary, pieces);
    }

    /** The scale as frames carry it: a long for whole numbers, else the bits of a double. */
    private long scale(DataType type, double scale) {
        if (type == DataType.FLOAT || type == DataType.DOUBLE) {
            return Double.doubleToRawLongBits(scale);
        }
        if (scale != (long) scale || scale == LONG_END) {
            throw new IllegalArgumentException(memory.self() + " cannot scale elements of type " + type
                    + " by " + scale + ": it must be a whole number that a long holds");
        }
        return (long) scale;
    }

    @Override
    public long fetchAddLong(long offset, long increment) {
        return checkedAtomic("fetchAddLong", AtomicOperation.FETCH_ADD, offset, increment, 0);
    }

    @Override
    public long swapLong(long offset, long value) {
        return checkedAtomic("swapLong", AtomicOperation.SWAP, offset, value, 0);
    }

    @Override
    public long compareAndSwapLong(long offset, long expected, long value) {
        return memory.compared(expected,
                checkedAtomic("compareAndSwapLong", AtomicOperation.COMPARE_AND_SWAP, offset, value, expected));
    }

    @Override
    public int fetchAddInt(long offset, int increment) {
        return (int) checkedAtomic("fetchAddInt", AtomicOperation.FETCH_ADD_INT, offset, increment, 0);
    }

    @Override
    public int swapInt(long offset, int value) {
        return (int) checkedAtomic("swapInt", AtomicOperation.SWAP_INT, offset, value, 0);
    }

    @Override
    public int compareAndSwapInt(long offset, int expected, int value) {
        return (int) memory.compared(expected,
                checkedAtomic("compareAndSwapInt", AtomicOperation.COMPARE_AND_SWAP_INT, offset, value, expected));
    }

    private long checkedAtomic(String call, AtomicOperation operation, long offset, long operand, long expected) {
        check(call, offset, operation.bytes());
        checkAligned(call, offset, operation.bytes());
        return atomic(call, operation, offset, operand, expected);
    }

    final void check(String call, long offset, long length) {
        memory.checkCall(call);
        if (offset < 0 || length > bytes || offset > bytes - length) {
            throw new IndexOutOfBoundsException(memory.self() + " cannot " + call + " " + length
                    + " bytes at offset " + offset + " of " + memory.describe(rank) + "'s part, which has " + bytes
                    + " bytes");
        }
    }

    final void checkAligned(String call, long offset, int elementBytes) {
        if (offset % elementBytes != 0) {
            throw new IllegalArgumentException(memory.self() + " cannot " + call + " at offset " + offset
                    + " of " + memory.describe(rank) + "'s part: it must be a multiple of " + elementBytes);
        }
    }

    final void check(String call, Section section, MemorySegment segment, Section of) {
        check(call, 0, section.end());
        if (of.end() > segment.byteSize()) {
            throw new IndexOutOfBoundsException(memory.self() + " cannot " + call
                    + " a section that ends at byte " + of.end() + " of memory that has " + segment.byteSize());
        }
        if (of.bytes() != section.bytes()) {
            throw new IllegalArgumentException(memory.self() + " cannot " + call + ": the section of "
                    + memory.describe(rank) + "'s part has " + section.bytes() + " bytes, and that of the memory here "
                    + of.bytes());
        }
    }

    /** Copies bytes, one or more, that are there, into the part. */
    abstract void copyIn(long offset, MemorySegment source, long length);

    /** Copies sections, perhaps empty ones, into the part. */
    abstract void copyIn(SectionPieces all);

    /** Copies bytes, perhaps none, into the part, and then adds one to a word of its region. */
    abstract void copyInAndNotify(long offset, MemorySegment source, long length, long word);

    /** Copies bytes, one or more, that are there, out of the part. */
    abstract void copyOut(long offset, MemorySegment target, long length);

    /** Copies sections, perhaps empty ones, out of the part. */
    abstract void copyOut(SectionPieces all);

    /** Combines elements, one or more, that are there, with those of the part. */
    abstract void combine(int code, long scale, long imaginary, long offset, MemorySegment source, long length);

    /** Combines sections of elements, perhaps empty ones, with those of the part. */
    abstract void combine(int code, long scale, long imaginary, SectionPieces all);

    abstract long atomic(String call, AtomicOperation operation, long offset, long operand, long expected);

    /** Waits until what was put here is visible. */
    abstract void fence();
}
