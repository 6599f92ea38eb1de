/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The part of a {@link RemoteMemory} at one rank. {@code RemoteMemory} specifies the order and the visibility of
 * changes, and the exceptions of calls when the job fails.
 *
 * <p><b>Atomic operations</b> on the same element, which is an element of the same size at the same offset, are atomic
 * with respect to each other, no matter which ranks call them. The operation is complete at the part when the call
 * returns. Between ranks of the same node, atomic operations order the accesses before and after them, as accesses to
 * volatile variables do.
 *
 * <p><b>Offsets</b> count bytes from the start of the part. Elements lie at multiples of their size: calls that take
 * elements refuse other offsets, and sections that cut elements. In the view {@link #elements} offsets count elements.
 * Calls that take a segment copy bytes, from and to any offset.
 *
 * <p><b>Threads.</b> Any number of threads may use a part at the same time. Calls with spans allocate nothing, and
 * neither do repeated calls with the same arrays: a part holds weak references to four arrays of its latest calls, of
 * all threads. All calls throw {@link IllegalStateException} if the memory is closed.
 */
public abstract class RemotePart {
    private final ArrayViews<MemorySegment> segments = ArrayViews.segments(ArrayViews.REMEMBERED);

    /**
     * Constructor for Tutti's own implementation only.
     */
    protected RemotePart() {}

    /**
     * {@return the rank that this part belongs to}
     */
    public abstract int rank();

    /**
     * {@return the size of the part in bytes, 0 or more; in the view {@link #elements} its number of whole elements}
     */
    public abstract long size();

    /**
     * Returns a view of this part whose offsets count elements. The elements are of the type with which this rank has
     * allocated the memory, and bytes if it was allocated without a type. For example, {@code
     * memory.at(rank).elements().put(3, values)} puts values from the element with index 3 on. The offsets of all calls
     * of the view count elements of that type, even if a call passes elements of another type. Sections count in their
     * own units.
     *
     * @return the view, the same object in every call
     */
    public abstract RemotePart elements();

    /**
     * Returns the memory of this part for loads and stores, if its rank is on this node. It must not be used after the
     * memory is closed.
     *
     * @return the memory, with as many bytes as the part
     * @throws UnsupportedOperationException if the rank is on another node
     */
    public abstract MemorySegment segment();

    /**
     * Returns a view of this part whose calls use the given protocol for their bytes. It has no effect for a rank of
     * this node, because no bytes travel.
     *
     * @param protocol the protocol
     * @return the view, the same object in every call
     */
    public abstract RemotePart withProtocol(TransferProtocol protocol);

    /**
     * {@return the protocol of the latest put, get or accumulate of this object, by any thread; empty if there was
     * none, or the part is on this node}
     */
    public abstract Optional<TransferProtocol> lastProtocol();

    /**
     * {@return a view with the same calls, each of which returns a {@link Request}; the same object in every call}
     */
    public abstract NonBlockingPart nonBlocking();

    // also for byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Copies elements into this part.
     *
     * @param offset the byte of the part at which the elements begin, a multiple of the size of an element
     * @param source the elements
     * @throws IndexOutOfBoundsException if the range is not inside the part
     * @throws IllegalArgumentException if the offset is not a multiple of the size of an element
     */
    public void put(long offset, Span source) {
        Arguments.checkUsable(source.segment(), "source");
        write(offset, source.segment(), source.type());
    }

    /**
     * Copies bytes into this part.
     *
     * @param offset the byte of the part at which the bytes begin
     * @param source the bytes: native memory, or a heap segment
     * @throws IndexOutOfBoundsException if the range is not inside the part
     */
    public void put(long offset, MemorySegment source) {
        Arguments.checkUsable(source, "source");
        write(offset, source, DataType.BYTE);
    }

    /**
     * Copies a section of the caller's memory into a section of this part. The bytes of the source section, in their
     * order, replace the bytes of the target section. Short runs are gathered on their way to another node.
     *
     * @param section the bytes of the part to write
     * @param source the caller's memory
     * @param of the bytes of the source to read, as many as in {@code section}
     * @throws IndexOutOfBoundsException if a section is not inside its memory
     * @throws IllegalArgumentException if the sections differ in their number of bytes, or cut elements
     */
    public void put(Section section, Span source, Section of) {
        Arguments.checkUsable(source.segment(), "source");
        write(section, source.segment(), of, source.type());
    }

    // also for byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Copies elements into this part, and then adds one to a notification word there. The part's rank waits for
     * notifications with {@link RemoteMemory#awaitMore} and similar calls. Once it has seen the new count, it sees
     * these bytes, and the bytes of all earlier puts and accumulates of this rank into the same part. After several
     * calls it is therefore enough that the last one notifies; it may have no elements. Any number of ranks may use the
     * same word.
     *
     * @param offset the byte of the part at which the elements begin, a multiple of the size of an element
     * @param source the elements
     * @param notification the number of the part's word, from 0
     * @throws IndexOutOfBoundsException if the range is not inside the part, or there is no such word
     * @throws IllegalArgumentException if the offset is not a multiple of the size of an element
     */
    public void putNotify(long offset, Span source, int notification) {
        Arguments.checkUsable(source.segment(), "source");
        writeNotify(offset, source.segment(), source.type(), notification);
    }

    /**
     * Copies bytes into this part, and then adds one to a notification word there, as {@link #putNotify(long, Span,
     * int)} does.
     *
     * @param offset the byte of the part at which the bytes begin
     * @param source the bytes: native memory, or a heap segment
     * @param notification the number of the part's word, from 0
     * @throws IndexOutOfBoundsException if the range is not inside the part, or there is no such word
     */
    public void putNotify(long offset, MemorySegment source, int notification) {
        Arguments.checkUsable(source, "source");
        writeNotify(offset, source, DataType.BYTE, notification);
    }

    /**
     * Copies a section, as {@link #put(Section, Span, Section)} does, and then adds one to a notification word, as
     * {@link #putNotify(long, Span, int)} does.
     *
     * @param section the bytes of the part to write
     * @param source the caller's memory
     * @param of the bytes of the source to read, as many as in {@code section}
     * @param notification the number of the part's word, from 0
     * @throws IndexOutOfBoundsException if a section is not inside its memory, or there is no such word
     * @throws IllegalArgumentException if the sections differ in their number of bytes, or cut elements
     */
    public void putNotify(Section section, Span source, Section of, int notification) {
        Arguments.checkUsable(source.segment(), "source");
        writeNotify(section, source.segment(), of, source.type(), notification);
    }

    // also with byte, int, float, double
    /**
     * Sets a range of elements of this part to a value.
     *
     * @param offset the byte of the part at which the range begins, a multiple of the size of an element
     * @param count the number of elements of the value's type, 0 or more
     * @param value the value
     * @throws IndexOutOfBoundsException if the range is not inside the part
     * @throws IllegalArgumentException if the offset is not a multiple of the size of an element
     */
    public void fill(long offset, long count, long value) {
        fill(offset, count, Span.of(new long[]{value}));
    }

    // also for byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Copies elements from this part, and waits until they have arrived.
     *
     * @param offset the byte of the part at which the elements begin, a multiple of the size of an element
     * @param target receives the elements
     * @throws IndexOutOfBoundsException if the range is not inside the part
     * @throws IllegalArgumentException if the offset is not a multiple of the size of an element[, or the memory is
     *             confined to one thread or read-only|]
     */
    public void get(long offset, Span target) {
        checkTarget(target.segment());
        read(offset, target.segment(), target.type());
    }

    /**
     * Copies bytes from this part, and waits until they have arrived.
     *
     * @param offset the byte of the part at which the bytes begin
     * @param target receives the bytes: native memory that all threads may access, or a heap segment
     * @throws IndexOutOfBoundsException if the range is not inside the part
     * @throws IllegalArgumentException if the memory is confined to one thread or read-only
     */
    public void get(long offset, MemorySegment target) {
        checkTarget(target);
        read(offset, target, DataType.BYTE);
    }

    static void checkTarget(MemorySegment target) {
        Arguments.checkShareable(target, "target");
        if (target.isReadOnly()) {
            throw new IllegalArgumentException("the target of a get is read-only memory: " + target);
        }
    }

    /**
     * Copies a section of this part into a section of the caller's memory, and waits until the bytes have arrived.
     * Several runs from another node are requested at the same time.
     *
     * @param section the bytes of the part to read
     * @param target the caller's memory
     * @param of the bytes of the target to write, as many as in {@code section}
     * @throws IndexOutOfBoundsException if a section is not inside its memory
     * @throws IllegalArgumentException if the sections differ in their number of bytes, or cut elements; or if the
     *             memory is confined to one thread or read-only
     */
    public void get(Section section, Span target, Section of) {
        checkTarget(target.segment());
        read(section, target.segment(), of, target.type());
    }

    // also for int[], long[], float[], double[]
    /**
     * Combines elements with the elements of this part, each atomically: {@code part = part op source}. Accumulates of
     * all ranks on the same elements are atomic with respect to each other. Accumulates of int and long elements are
     * also atomic with respect to the atomic operations. They are not atomic with respect to puts, loads and stores.
     * Like a put, an accumulate is complete after a fence.
     *
     * @param offset the byte of the part at which the elements begin, a multiple of the size of an element
     * @param source the elements[: int, long, float or double|]
     * @param reduction {@link Reduction#SUM}, {@link Reduction#MIN}, {@link Reduction#MAX}, or, for int and long, one
     *            of the bitwise operators
     * @throws IndexOutOfBoundsException if the range is not inside the part
     * @throws IllegalArgumentException if accumulates do not support the operator for the type, or the offset is not a
     *             multiple of the size of an element
     */
    public void accumulate(long offset, Span source, Reduction reduction) {
        Arguments.checkUsable(source.segment(), "source");
        accumulate(offset, source.segment(), source.type(), reduction, 1);
    }

    // also for int[], long[], float[], double[]
    /**
     * Adds elements, multiplied by a factor, to the elements of this part, each atomically: {@code part += scale ×
     * source}. Atomicity and completion are as for {@link #accumulate(long, Span, Reduction)}.
     *
     * @param offset the byte of the part at which the elements begin, a multiple of the size of an element
     * @param source the elements[: int, long, float or double|]
     * @param scale the factor; an integer for elements of type int and long, rounded to a float for elements of type
     *            float
     * @throws IndexOutOfBoundsException if the range is not inside the part
     * @throws IllegalArgumentException if the [type is another one, the |]scale does not fit the type, or the offset is
     *             not a multiple of the size of an element
     */
    public void accumulate(long offset, Span source, double scale) {
        Arguments.checkUsable(source.segment(), "source");
        accumulate(offset, source.segment(), source.type(), Reduction.SUM, scale);
    }

    /**
     * Adds a section of elements, multiplied by a factor, to a section of this part, each element atomically: {@code
     * part += scale × source}. Atomicity and completion are as for {@link #accumulate(long, Span, Reduction)}.
     *
     * @param section the elements of the part to change, in whole elements
     * @param source the elements: int, long, float or double
     * @param of the section of the source, with as many bytes
     * @param scale as in {@link #accumulate(long, Span, double)}
     * @throws IndexOutOfBoundsException if a section is not inside its memory
     * @throws IllegalArgumentException if the type is another one, the scale does not fit the type, or the sections
     *             differ in their number of bytes, or cut elements
     */
    public void accumulate(Section section, Span source, Section of, double scale) {
        Arguments.checkUsable(source.segment(), "source");
        accumulate(section, source.segment(), of, source.type(), Reduction.SUM, scale);
    }

    /**
     * Combines a section of elements with a section of this part, each element atomically. Atomicity and completion are
     * as for {@link #accumulate(long, Span, Reduction)}.
     *
     * @param section the elements of the part to change, in whole elements
     * @param source the elements: int, long, float or double
     * @param of the section of the source, with as many bytes
     * @param reduction the operator, as in {@link #accumulate(long, Span, Reduction)}
     * @throws IndexOutOfBoundsException if a section is not inside its memory
     * @throws IllegalArgumentException if accumulates do not support the operator for the type, or the sections differ
     *             in their number of bytes, or cut elements
     */
    public void accumulate(Section section, Span source, Section of, Reduction reduction) {
        Arguments.checkUsable(source.segment(), "source");
        accumulate(section, source.segment(), of, source.type(), reduction, 1);
    }

    // also for float[], double[]
    /**
     * Adds complex numbers, multiplied by a factor, to complex numbers of this part: {@code part += (real +
     * imaginary·i) × source}. Both parts of a number are changed together, atomically. A complex number is a pair of
     * elements, the real part first. In the part it begins at a multiple of its size.
     *
     * @param offset the byte of the part at which the numbers begin, a multiple of the size of a pair
     * @param source the numbers: an even number of [float or double|elements]
     * @param real the real part of the factor, rounded to a float for elements of type float
     * @param imaginary the imaginary part of the factor, rounded in the same way
     * @throws IndexOutOfBoundsException if the range is not inside the part
     * @throws IllegalArgumentException if [the type is another one, |]the number of elements is odd, or the offset is
     *             not a multiple of the size of an element
     */
    public void accumulateComplex(long offset, Span source, double real, double imaginary) {
        Arguments.checkUsable(source.segment(), "source");
        accumulateComplex(offset, source.segment(), source.type(), real, imaginary);
    }

    /**
     * Adds a section of complex numbers, multiplied by a factor, to a section of this part, each number atomically.
     *
     * @param section the numbers of the part to change, in whole pairs
     * @param source the numbers, as pairs of float or double
     * @param of the section of the source, in whole pairs, with as many bytes
     * @param real the real part of the factor
     * @param imaginary the imaginary part of the factor
     * @throws IndexOutOfBoundsException if a section is not inside its memory
     * @throws IllegalArgumentException if the type is another one, or the sections differ in their number of bytes, or
     *             cut pairs
     */
    public void accumulateComplex(Section section, Span source, Section of, double real, double imaginary) {
        Arguments.checkUsable(source.segment(), "source");
        accumulateComplex(section, source.segment(), of, source.type(), real, imaginary);
    }

    // also for int[], long[], float[], double[]
    /**
     * Replaces elements of this part, each atomically. Unlike a put, a replacement is atomic with respect to
     * accumulates on the same elements. For int and long it is also atomic with respect to the atomic operations.
     *
     * @param offset the byte of the part at which the elements begin, a multiple of the size of an element
     * @param source the elements[: int, long, float or double|]
     * @throws IndexOutOfBoundsException if the range is not inside the part
     * @throws IllegalArgumentException if [the type is another one, or |]the offset is not a multiple of the size of an
     *             element
     */
    public void replace(long offset, Span source) {
        Arguments.checkUsable(source.segment(), "source");
        replace(offset, source.segment(), source.type());
    }

    /**
     * Replaces a section of this part with a section of elements, each element atomically.
     *
     * @param section the elements of the part to change, in whole elements
     * @param source the elements: int, long, float or double
     * @param of the section of the source, with as many bytes
     * @throws IndexOutOfBoundsException if a section is not inside its memory
     * @throws IllegalArgumentException if the type is another one, or the sections differ in their number of bytes, or
     *             cut elements
     */
    public void replace(Section section, Span source, Section of) {
        Arguments.checkUsable(source.segment(), "source");
        replace(section, source.segment(), of, source.type());
    }

    /**
     * Reads a long atomically. The result is never half of one value and half of another.
     *
     * @param offset the byte of the part at which the long begins, a multiple of 8
     * @return the value
     * @throws IllegalArgumentException if the offset is not a multiple of 8
     * @throws IndexOutOfBoundsException if the long is not inside the part
     */
    public abstract long fetchLong(long offset);

    /**
     * Reads an int atomically. The result is never half of one value and half of another.
     *
     * @param offset the byte of the part at which the int begins, a multiple of 4
     * @return the value
     * @throws IllegalArgumentException if the offset is not a multiple of 4
     * @throws IndexOutOfBoundsException if the int is not inside the part
     */
    public abstract int fetchInt(long offset);

    /**
     * Atomically adds to a long, and returns its previous value. Overflow wraps around.
     *
     * @param offset the byte of the part at which the long begins, a multiple of 8
     * @param increment the number to add
     * @return the previous value
     * @throws IllegalArgumentException if the offset is not a multiple of 8
     * @throws IndexOutOfBoundsException if the long is not inside the part
     */
    public abstract long fetchAddLong(long offset, long increment);

    /**
     * Atomically sets a long, and returns its previous value.
     *
     * @param offset the byte of the part at which the long begins, a multiple of 8
     * @param value the new value
     * @return the previous value
     * @throws IllegalArgumentException if the offset is not a multiple of 8
     * @throws IndexOutOfBoundsException if the long is not inside the part
     */
    public abstract long swapLong(long offset, long value);

    /**
     * Atomically sets a long if it has the expected value, and returns its previous value. The call has set it if and
     * only if the previous value is the expected one.
     *
     * @param offset the byte of the part at which the long begins, a multiple of 8
     * @param expected the expected value
     * @param value the new value
     * @return the previous value
     * @throws IllegalArgumentException if the offset is not a multiple of 8
     * @throws IndexOutOfBoundsException if the long is not inside the part
     */
    public abstract long compareAndSwapLong(long offset, long expected, long value);

    /**
     * Atomically adds to an int, and returns its previous value. Overflow wraps around.
     *
     * @param offset the byte of the part at which the int begins, a multiple of 4
     * @param increment the number to add
     * @return the previous value
     * @throws IllegalArgumentException if the offset is not a multiple of 4
     * @throws IndexOutOfBoundsException if the int is not inside the part
     */
    public abstract int fetchAddInt(long offset, int increment);

    /**
     * Atomically sets an int, and returns its previous value.
     *
     * @param offset the byte of the part at which the int begins, a multiple of 4
     * @param value the new value
     * @return the previous value
     * @throws IllegalArgumentException if the offset is not a multiple of 4
     * @throws IndexOutOfBoundsException if the int is not inside the part
     */
    public abstract int swapInt(long offset, int value);

    /**
     * Atomically sets an int if it has the expected value, and returns its previous value. The call has set it if and
     * only if the previous value is the expected one.
     *
     * @param offset the byte of the part at which the int begins, a multiple of 4
     * @param expected the expected value
     * @param value the new value
     * @return the previous value
     * @throws IllegalArgumentException if the offset is not a multiple of 4
     * @throws IndexOutOfBoundsException if the int is not inside the part
     */
    public abstract int compareAndSwapInt(long offset, int expected, int value);

    /**
     * Copies a range of elements into this part. All public forms of put for a range end here.
     *
     * @param offset the offset in the part; not yet checked
     * @param source the elements
     * @param type the type of the elements
     */
    protected abstract void write(long offset, MemorySegment source, DataType type);

    /**
     * Copies a range of elements into this part, and adds one to a notification word. All public forms of such a put
     * for a range end here.
     *
     * @param offset the offset in the part; not yet checked
     * @param source the elements
     * @param type the type of the elements
     * @param notification the number of the word; not yet checked
     */
    protected abstract void writeNotify(long offset, MemorySegment source, DataType type, int notification);

    /**
     * Copies a section of the caller's memory into a section of this part, and adds one to a notification word.
     *
     * @param section the bytes of the part to write; not yet checked
     * @param source the caller's memory
     * @param of the bytes of the source to read; not yet checked
     * @param type the type of the elements
     * @param notification the number of the word; not yet checked
     */
    protected abstract void writeNotify(Section section, MemorySegment source, Section of, DataType type,
            int notification);

    /**
     * Sets a range of elements of this part to a value. All public forms of fill end here.
     *
     * @param offset the offset in the part; not yet checked
     * @param count the number of elements; not yet checked
     * @param value the value, as one element
     */
    protected abstract void fill(long offset, long count, Span value);

    /**
     * Copies a range of elements from this part. All public forms of get for a range end here.
     *
     * @param offset the offset in the part; not yet checked
     * @param target receives the elements; threads of the fabric write to it
     * @param type the type of the elements
     */
    protected abstract void read(long offset, MemorySegment target, DataType type);

    /**
     * Combines a range of elements with elements of this part. All public forms of accumulate for a range end here.
     *
     * @param offset the offset in the part; not yet checked
     * @param source the elements
     * @param type the type of the elements
     * @param reduction the operator; not yet checked
     * @param scale the factor of the elements, for a sum; not yet checked
     */
    protected abstract void accumulate(long offset, MemorySegment source, DataType type, Reduction reduction,
            double scale);

    /**
     * Replaces a range of elements of this part. All public forms of replace for a range end here.
     *
     * @param offset the offset in the part; not yet checked
     * @param source the elements
     * @param type the type of the elements
     */
    protected abstract void replace(long offset, MemorySegment source, DataType type);

    /**
     * Copies a section of the caller's memory into a section of this part.
     *
     * @param section the bytes of the part to write; not yet checked
     * @param source the caller's memory
     * @param of the bytes of the source to read; not yet checked
     * @param type the type of the elements
     */
    protected abstract void write(Section section, MemorySegment source, Section of, DataType type);

    /**
     * Copies a section of this part into a section of the caller's memory.
     *
     * @param section the bytes of the part to read; not yet checked
     * @param target the caller's memory
     * @param of the bytes of the target to write; not yet checked
     * @param type the type of the elements
     */
    protected abstract void read(Section section, MemorySegment target, Section of, DataType type);

    /**
     * Combines a section of the caller's memory with a section of this part.
     *
     * @param section the bytes of the part to change; not yet checked
     * @param source the caller's memory
     * @param of the bytes of the source to read; not yet checked
     * @param type the type of the elements
     * @param reduction the operator; not yet checked
     * @param scale the factor of the elements, for a sum; not yet checked
     */
    protected abstract void accumulate(Section section, MemorySegment source, Section of, DataType type,
            Reduction reduction, double scale);

    /**
     * Replaces a section of this part with a section of the caller's memory.
     *
     * @param section the bytes of the part to change; not yet checked
     * @param source the caller's memory
     * @param of the bytes of the source to read; not yet checked
     * @param type the type of the elements
     */
    protected abstract void replace(Section section, MemorySegment source, Section of, DataType type);

    /**
     * Multiplies each complex number of a range by a factor, and adds the product to the corresponding complex number
     * of this part.
     *
     * @param offset the offset in the part; not yet checked
     * @param source the numbers
     * @param type the type of the real and the imaginary parts; not yet checked
     * @param real the real part of the factor
     * @param imaginary the imaginary part of the factor
     */
    protected abstract void accumulateComplex(long offset, MemorySegment source, DataType type, double real,
            double imaginary);

    /**
     * Multiplies each complex number of a section by a factor, and adds the product to the corresponding complex number
     * of a section of this part.
     *
     * @param section the bytes of the part to change; not yet checked
     * @param source the caller's memory
     * @param of the bytes of the source to read; not yet checked
     * @param type the type of the real and the imaginary parts; not yet checked
     * @param real the real part of the factor
     * @param imaginary the imaginary part of the factor
     */
    protected abstract void accumulateComplex(Section section, MemorySegment source, Section of, DataType type,
            double real, double imaginary);
}
