/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

import org.tutti.DataType;
import org.tutti.NonBlockingPart;
import org.tutti.Reduction;
import org.tutti.RemotePart;
import org.tutti.Section;
import org.tutti.Span;
import org.tutti.events.OneSidedEvent;
import org.tutti.fabric.AtomicOperation;

/**
 * The base class of the objects with which a rank accesses another rank's part of remote memory. One subclass is for
 * parts on the same node, another for parts on other nodes. This class checks the arguments before a call has any
 * effect.
 *
 * <p><b>Concurrency.</b> Any number of threads of a rank may use a part. The changing state of a call is in its
 * {@link OneSidedCall}. The fields of this class that are not final are set at first use, under the monitor of the
 * {@link RemoteAccess}, and read without it. That is safe because the objects in them have only final fields, or fields
 * that are set in the same way.
 */
abstract class LivePart extends RemotePart {
    /** The least whole number above the range of a long. {@link Long#MAX_VALUE} as a double is rounded to it. */
    private static final double LONG_END = 0x1p63;

    private static final int FILL_BYTES = 32 << 10; // a multiple of each element; fits a core's cache
    private static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);

    final RemoteAccess access;
    final int rank;
    final long bytes;

    /**
     * The unit of offsets, as a number of bits. An offset shifted left by these bits is an offset in bytes. The value
     * is 0 if offsets are given in bytes.
     */
    final int unitShift;

    private LivePart elements;
    private LiveNonBlockingPart nonBlocking;

    LivePart(RemoteAccess access, int rank, long bytes, int unitShift) {
        this.access = access;
        this.rank = rank;
        this.bytes = bytes;
        this.unitShift = unitShift;
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public long size() {
        return bytes >> unitShift;
    }

    @Override
    public LivePart elements() {
        if (unitShift == access.elementShift()) {
            return this;
        }
        return elements != null ? elements : makeElements();
    }

    private LivePart makeElements() {
        synchronized (access) {
            if (elements == null) {
                elements = view(access.elementShift());
            }
            return elements;
        }
    }

    @Override
    public NonBlockingPart nonBlocking() {
        return nonBlocking != null ? nonBlocking : makeNonBlocking();
    }

    private NonBlockingPart makeNonBlocking() {
        synchronized (access) {
            if (nonBlocking == null) {
                nonBlocking = new LiveNonBlockingPart(this, null);
            }
            return nonBlocking;
        }
    }

    @Override
    protected void write(long offset, MemorySegment source, DataType type) {
        long length = source.byteSize();
        long at = check("put", offset, length, type);
        if (length > 0) {
            OneSidedEvent event = beginEvent();
            copyIn(at, source, length);
            if (event != null) {
                OneSidedEvents.end(event, access, "put", rank, length);
            }
        }
    }

    /** {@return the event of a call that begins, or null if it is not recorded} */
    OneSidedEvent beginEvent() {
        return OneSidedEvents.begin();
    }

    @Override
    protected void writeNotify(long offset, MemorySegment source, DataType type, int notification) {
        long length = source.byteSize();
        long at = check("putNotify", offset, length, type);
        long word = PartLayout.notification(bytes, access.checkNotification(rank, notification));
        OneSidedEvent event = beginEvent();
        copyInAndNotify(at, source, length, word);
        if (event != null) {
            OneSidedEvents.end(event, access, "put", rank, length);
        }
    }

    @Override
    protected void writeNotify(Section section, MemorySegment source, Section of, DataType type, int notification) {
        access.checkNotification(rank, notification); // before the first write
        write(section, source, of, type);
        writeNotify(0, NOTHING, DataType.BYTE, notification);
    }

    @Override
    protected void write(Section section, MemorySegment source, Section of, DataType type) {
        check("put", section, source, of, type, type.bytes());
        OneSidedCall call = access.takeCall();
        try {
            call.pieces.begin(section, source, of);
            OneSidedEvent event = beginEvent();
            copyIn(call);
            if (event != null) {
                OneSidedEvents.end(event, access, "put", rank, section.bytes());
            }
        } finally {
            access.putBack(call);
        }
    }

    @Override
    protected void fill(long offset, long count, Span value) {
        int element = value.type().bytes();
        if (count < 0 || count > bytes / element) {
            throw new IndexOutOfBoundsException(access.self() + " cannot fill " + count + " elements of type "
                    + value.type() + place(offset));
        }
        long length = count * element;
        long at = check("fill", offset, length, value.type());
        byte[] values = new byte[(int) Math.min(length, FILL_BYTES)];
        MemorySegment source = MemorySegment.ofArray(values);
        for (long each = 0; each < values.length; each += element) {
            source.asSlice(each, element).copyFrom(value.segment());
        }
        OneSidedEvent event = beginEvent();
        for (long done = 0; done < length; done += values.length) {
            long next = Math.min(values.length, length - done);
            copyIn(at + done, source.asSlice(0, next), next);
        }
        if (event != null) {
            OneSidedEvents.end(event, access, "fill", rank, length);
        }
    }

    @Override
    protected void read(long offset, MemorySegment target, DataType type) {
        long length = target.byteSize();
        long at = check("get", offset, length, type);
        if (length > 0) {
            OneSidedEvent event = beginEvent();
            copyOut(at, target, length);
            if (event != null) {
                OneSidedEvents.end(event, access, "get", rank, length);
            }
        }
    }

    @Override
    protected void read(Section section, MemorySegment target, Section of, DataType type) {
        check("get", section, target, of, type, type.bytes());
        OneSidedCall call = access.takeCall();
        try {
            call.pieces.begin(section, target, of);
            OneSidedEvent event = beginEvent();
            copyOut(call);
            if (event != null) {
                OneSidedEvents.end(event, access, "get", rank, section.bytes());
            }
        } finally {
            access.putBack(call);
        }
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
            throw new IllegalArgumentException(access.self() + " cannot accumulate elements of type " + type
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
            throw new IllegalArgumentException(access.self() + " cannot replace elements of type " + type
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
            throw new IllegalArgumentException(access.self() + " cannot accumulate " + length
                    + " bytes of type " + type + " as complex numbers: they must be pairs of float or double");
        }
    }

    private void combine(Accumulation how, long offset, MemorySegment source, DataType type, long scale,
            long imaginary) {
        long length = source.byteSize();
        long at = check("accumulate", offset, length);
        checkAligned("accumulate", at, type, how.elementBytes(type));
        if (length > 0) {
            OneSidedEvent event = beginEvent();
            combine(how.code(type), scale, imaginary, at, source, length);
            if (event != null) {
                OneSidedEvents.end(event, access, "accumulate", rank, length);
            }
        }
    }

    private void combine(Accumulation how, Section section, MemorySegment source, Section of, DataType type,
            long scale, long imaginary) {
        check("accumulate", section, source, of, type, how.elementBytes(type));
        OneSidedCall call = access.takeCall();
        try {
            call.pieces.begin(section, source, of);
            OneSidedEvent event = beginEvent();
            combine(how.code(type), scale, imaginary, call);
            if (event != null) {
                OneSidedEvents.end(event, access, "accumulate", rank, section.bytes());
            }
        } finally {
            access.putBack(call);
        }
    }

    /** Returns the scale as frames carry it. That is a long for integer types, otherwise the bits of a double. */
    private long scale(DataType type, double scale) {
        if (type == DataType.FLOAT || type == DataType.DOUBLE) {
            return Double.doubleToRawLongBits(scale);
        }
        if (scale != (long) scale || scale == LONG_END) {
            throw new IllegalArgumentException(access.self() + " cannot scale elements of type " + type
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
        return access.compared(expected,
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
        return (int) access.compared(expected,
                checkedAtomic("compareAndSwapInt", AtomicOperation.COMPARE_AND_SWAP_INT, offset, value, expected));
    }

    @Override
    public long fetchLong(long offset) {
        return checkedAtomic("fetchLong", AtomicOperation.FETCH, offset, 0, 0);
    }

    @Override
    public int fetchInt(long offset) {
        return (int) checkedAtomic("fetchInt", AtomicOperation.FETCH_INT, offset, 0, 0);
    }

    private long checkedAtomic(String call, AtomicOperation operation, long offset, long operand, long expected) {
        long at = check(call, offset, operation.bytes(),
                operation.bytes() == Long.BYTES ? DataType.LONG : DataType.INT);
        OneSidedEvent event = beginEvent();
        long previous = atomic(call, operation, at, operand, expected);
        if (event != null) {
            OneSidedEvents.end(event, access, operation.label(), rank, operation.bytes());
        }
        return previous;
    }

    // ---- checks

    /** Checks a range of elements. Returns the offset of its first byte. */
    final long check(String call, long offset, long length, DataType type) {
        long at = check(call, offset, length);
        checkAligned(call, at, type, type.bytes());
        return at;
    }

    /** Checks a range of bytes. Returns the offset of its first byte. */
    private long check(String call, long offset, long length) {
        access.checkUsable(call);
        if (offset < 0 || length > bytes || offset > bytes - length >> unitShift) {
            throw new IndexOutOfBoundsException(access.self() + " cannot " + call + " " + length + " bytes"
                    + place(offset));
        }
        return offset << unitShift;
    }

    /** Returns the end of an error message, with an offset and the size of the part. */
    private String place(long offset) {
        return (unitShift == 0 ? " at offset " : " at element ") + offset + " of " + access.describe(rank)
                + "'s part, which has " + size() + (unitShift == 0 ? " bytes" : " elements of " + (1 << unitShift)
                        + " bytes");
    }

    private void checkAligned(String call, long at, DataType type, int elementBytes) {
        if ((at & elementBytes - 1) != 0) {
            throw new IllegalArgumentException(access.self() + " cannot " + call + " at offset " + at + " of "
                    + access.describe(rank) + "'s part: " + name(type, elementBytes) + ", " + elementBytes
                    + " bytes each, lie at multiples of " + elementBytes);
        }
    }

    private static String name(DataType type, int elementBytes) {
        return (elementBytes == type.bytes() ? "elements of type " : "complex numbers of type ") + type;
    }

    final void check(String call, Section section, MemorySegment segment, Section of, DataType type,
            int elementBytes) {
        access.checkUsable(call);
        if (section.end() > bytes) {
            throw new IndexOutOfBoundsException(access.self() + " cannot " + call + " " + section + ", as "
                    + access.describe(rank) + "'s part has " + bytes + " bytes");
        }
        if (of.end() > segment.byteSize()) {
            throw new IndexOutOfBoundsException(access.self() + " cannot " + call + ": the memory here has "
                    + segment.byteSize() + " bytes, and " + of + " does not fit into it");
        }
        if (of.bytes() != section.bytes()) {
            throw new IllegalArgumentException(access.self() + " cannot " + call + ": the section of "
                    + access.describe(rank) + "'s part has " + section.bytes() + " bytes, and that of the memory here "
                    + of.bytes());
        }
        if (!section.isMultipleOf(elementBytes) || !of.isMultipleOf(elementBytes)) {
            boolean there = !section.isMultipleOf(elementBytes);
            throw new IllegalArgumentException(access.self() + " cannot " + call + " " + (there ? section : of)
                    + ", of " + (there ? access.describe(rank) + "'s part" : "the memory here") + ": its runs cut "
                    + name(type, elementBytes) + ", which have " + elementBytes
                    + " bytes each and begin at multiples of that");
        }
    }

    // ---- operations on this node and on others; offsets are in bytes

    /** Returns a view of the part with another unit of offsets. */
    abstract LivePart view(int ofUnitShift);

    /** Returns a view of the part that delays small puts to another node, so that several are sent together. */
    abstract LivePart gathering();

    /** Copies one or more bytes into the part. Their range has been checked. */
    abstract void copyIn(long offset, MemorySegment source, long length);

    /** Copies the sections of a call into the part. Sections may be empty. */
    abstract void copyIn(OneSidedCall call);

    /** Copies zero or more bytes into the part, and then adds 1 to a word of its region. */
    abstract void copyInAndNotify(long offset, MemorySegment source, long length, long word);

    /** Copies one or more bytes out of the part. Their range has been checked. */
    abstract void copyOut(long offset, MemorySegment target, long length);

    /** Copies the sections of a call out of the part. Sections may be empty. */
    abstract void copyOut(OneSidedCall call);

    /** Combines one or more elements with the elements of the part. Their range has been checked. */
    abstract void combine(int code, long scale, long imaginary, long offset, MemorySegment source, long length);

    /** Combines the sections of a call with the elements of the part. Sections may be empty. */
    abstract void combine(int code, long scale, long imaginary, OneSidedCall call);

    abstract long atomic(String call, AtomicOperation operation, long offset, long operand, long expected);

    /** Waits until all puts of this rank into the part are visible there. */
    abstract void fence();
}
