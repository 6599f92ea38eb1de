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

/**
 * What the parts of ranks near and far have in common: bounds are checked here, at the caller, before anything is done.
 */
abstract class LivePart extends RemotePart {
    /** The first whole number that is too great for a long, to which the greatest long is rounded as a double. */
    private static final double LONG_END = 0x1p63;

    final LiveRemoteMemory memory;
    final int rank;
    final long bytes;
    private final SectionPieces pieces = new SectionPieces();
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
            beginWriting("put");
            copyIn(offset, source, 0, length);
            endWriting();
        }
    }

    @Override
    protected void writeNotify(long offset, MemorySegment source, int notification) {
        long length = source.byteSize();
        check("putNotify", offset, length);
        long word = PartLayout.notification(bytes, memory.checkNotification(notification));
        beginWriting("putNotify");
        copyInAndNotify(offset, source, length, word);
        endWriting();
    }

    @Override
    protected void write(Section section, MemorySegment source, Section of) {
        check("put", section, source, of);
        beginWriting("put");
        for (pieces.begin(section, of); pieces.next();) {
            copyIn(pieces.partOffset(), source, pieces.otherOffset(), pieces.length());
        }
        endWriting();
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
        pieces.begin(section, of);
        copyOut(pieces, target);
    }

    @Override
    protected void accumulate(Section section, MemorySegment source, Section of, DataType type, double scale) {
        check("accumulate", section, source, of);
        if (!Accumulation.SUM.supports(type) || !section.isMultipleOf(type.bytes())
                || !of.isMultipleOf(type.bytes())) {
            throw new IllegalArgumentException("rank " + memory.rank() + " cannot accumulate these sections of type "
                    + type + ": the elements must be int, long, float or double, and the sections not cut them");
        }
        int code = Accumulation.SUM.code(type);
        long carried = scale(type, scale);
        beginWriting("accumulate");
        for (pieces.begin(section, of); pieces.next();) {
            combine(code, carried, pieces.partOffset(), source, pieces.otherOffset(), pieces.length());
        }
        endWriting();
    }

    @Override
    protected void accumulate(long offset, MemorySegment source, DataType type, Reduction reduction, double scale) {
        Accumulation how = Accumulation.of(Objects.requireNonNull(reduction, "reduction"));
        if (how == null || !how.supports(type)) {
            throw new IllegalArgumentException("rank " + memory.rank() + " cannot accumulate elements of type " + type
                    + " by " + reduction + ": sum, min and max work on int, long, float and double, the bitwise"
                    + " operators on int and long");
        }
        accumulate(how, offset, source, type, scale(type, scale));
    }

    @Override
    protected void replace(long offset, MemorySegment source, DataType type) {
        if (!Accumulation.REPLACE.supports(type)) {
            throw new IllegalArgumentException("rank " + memory.rank() + " cannot replace elements of type " + type
                    + ": they must be int, long, float or double");
        }
        accumulate(Accumulation.REPLACE, offset, source, type, 0);
    }

    private void accumulate(Accumulation how, long offset, MemorySegment source, DataType type, long scale) {
        long length = source.byteSize();
        check("accumulate", offset, length);
        checkAligned("accumulate", offset, type.bytes());
        if (length > 0) {
            beginWriting("accumulate");
            combine(how.code(type), scale, offset, source, 0, length);
            endWriting();
        }
    }

    /** The scale as frames carry it: a long for whole numbers, else the bits of a double. */
    private long scale(DataType type, double scale) {
        if (type == DataType.FLOAT || type == DataType.DOUBLE) {
            return Double.doubleToRawLongBits(scale);
        }
        if (scale != (long) scale || scale == LONG_END) {
            throw new IllegalArgumentException("rank " + memory.rank() + " cannot scale elements of type " + type
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
        return checkedAtomic("compareAndSwapLong", AtomicOperation.COMPARE_AND_SWAP, offset, value, expected);
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
        return (int) checkedAtomic("compareAndSwapInt", AtomicOperation.COMPARE_AND_SWAP_INT, offset, value, expected);
    }

    private long checkedAtomic(String call, AtomicOperation operation, long offset, long operand, long expected) {
        check(call, offset, operation.bytes());
        checkAligned(call, offset, operation.bytes());
        return atomic(call, operation, offset, operand, expected);
    }

    final void check(String call, long offset, long length) {
        memory.checkUsable(call);
        if (offset < 0 || length > bytes || offset > bytes - length) {
            throw new IndexOutOfBoundsException("rank " + memory.rank() + " cannot " + call + " " + length
                    + " bytes at offset " + offset + " of rank " + rank + "'s part, which has " + bytes + " bytes");
        }
    }

    final void checkAligned(String call, long offset, int elementBytes) {
        if (offset % elementBytes != 0) {
            throw new IllegalArgumentException("rank " + memory.rank() + " cannot " + call + " at offset " + offset
                    + " of rank " + rank + "'s part: it must be a multiple of " + elementBytes);
        }
    }

    final void check(String call, Section section, MemorySegment segment, Section of) {
        check(call, 0, section.end());
        if (of.end() > segment.byteSize()) {
            throw new IndexOutOfBoundsException("rank " + memory.rank() + " cannot " + call
                    + " a section that ends at byte " + of.end() + " of memory that has " + segment.byteSize());
        }
        if (of.bytes() != section.bytes()) {
            throw new IllegalArgumentException("rank " + memory.rank() + " cannot " + call + ": the section of rank "
                    + rank + "'s part has " + section.bytes() + " bytes, and that of the memory here " + of.bytes());
        }
    }

    /** Pieces follow that are copied or combined into the part. */
    abstract void beginWriting(String call);

    /** Copies bytes, one or more, that are there, into the part. */
    abstract void copyIn(long offset, MemorySegment source, long sourceOffset, long length);

    /** Copies bytes, perhaps none, into the part, and then adds one to a word of its region. */
    abstract void copyInAndNotify(long offset, MemorySegment source, long length, long word);

    /** Combines elements that are there with those of the part. */
    abstract void combine(int code, long scale, long offset, MemorySegment source, long sourceOffset, long length);

    /** All pieces were given. */
    abstract void endWriting();

    /** Copies bytes, one or more, that are there, out of the part. */
    abstract void copyOut(long offset, MemorySegment target, long length);

    /** Copies all pieces out of the part. */
    abstract void copyOut(SectionPieces all, MemorySegment target);

    abstract long atomic(String call, AtomicOperation operation, long offset, long operand, long expected);

    /** Waits until what was put here is visible. */
    abstract void fence();
}
