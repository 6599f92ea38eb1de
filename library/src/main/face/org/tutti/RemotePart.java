/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * Puts to, gets from and changes the part of a {@link RemoteMemory} that lies at one rank. {@code RemoteMemory}
 * specifies the order and the visibility of changes, and the exceptions that calls throw if a rank fails.
 *
 * <p><b>Atomic operations</b> on the same element are atomic with respect to each other, no matter which ranks call
 * them. The same element means an element of the same size at the same offset. The operation is complete at the part
 * when the call returns. Between ranks of the same node, atomic operations order the accesses before and after them, as
 * accesses to volatile variables do.
 *
 * <p><b>Offsets</b> count bytes from the start of the part. Elements lie at multiples of their size. Calls that take
 * elements refuse other offsets, and sections in which a run ends within an element. In the view {@link #elements}
 * offsets count elements. Calls that take a segment copy bytes, from and to any offset.
 *
 * <p><b>Threads.</b> Any number of threads may use a part at the same time. Calls with spans allocate nothing. Repeated
 * calls with the same arrays allocate nothing either, because a part holds weak references to four arrays of its latest
 * calls, by any thread. All calls throw {@link IllegalStateException} if the memory is closed.
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
     * allocated the memory, and bytes if it was allocated without a type. For example,
     * {@code memory.at(rank).elements().put(3, values)} begins at the element with index 3. The offsets of all calls of
     * the view count elements of that type, even if a call passes elements of another type. Sections keep the units
     * with which they were made.
     *
     * @return the view, the same object in every call
     */
    public abstract RemotePart elements();

    /**
     * Returns the memory of this part, which the program may load from and store to directly if it lies on this node.
     * It must not be used after the memory is closed.
     *
     * @return the memory, with as many bytes as the part
     * @throws UnsupportedOperationException if the rank is on another node
     */
    public abstract MemorySegment segment();

    /**
     * Returns a view of this part whose calls use a given protocol to move their bytes to or from another node. The
     * protocol applies to puts, gets and accumulates, also to non-blocking ones. It has no effect on atomic operations.
     * A put of one range with a notification always uses {@link TransferProtocol#ZERO_COPY}. No protocol has an effect
     * if the part lies on this node, because no bytes travel.
     *
     * @param protocol the protocol
     * @return the view, the same object in every call
     */
    public abstract RemotePart withProtocol(TransferProtocol protocol);

    /**
     * {@return the protocol by which the latest put, get or accumulate of this object has moved its bytes, by any
     * thread; empty if there was no such call, or if the part lies on this node} A non-blocking call counts from the
     * moment when its bytes begin to move.
     */
    public abstract Optional<TransferProtocol> lastProtocol();

    /**
     * {@return a view with the same calls, each of which returns a {@link Request}; the same object in every call}
     */
    public abstract NonBlockingPart nonBlocking();

    // also for byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Copies the caller's elements into this part. The call does not wait until they are visible there.
     *
     * @param offset the byte of the part at which the elements begin, a multiple of the size of an element
     * @param source the elements
     * @throws IndexOutOfBoundsException if the range does not lie in the part
     * @throws IllegalArgumentException if the offset is not a multiple of the size of an element
     */
    public void put(long offset, Span source) {
        Arguments.checkUsable(source.segment(), "source");
        write(offset, source.segment(), source.type());
    }

    /**
     * Copies the caller's bytes into this part. The call does not wait until they are visible there.
     *
     * @param offset the byte of the part at which the bytes begin
     * @param source the bytes: native memory, or a heap segment
     * @throws IndexOutOfBoundsException if the range does not lie in the part
     */
    public void put(long offset, MemorySegment source) {
        Arguments.checkUsable(source, "source");
        write(offset, source, DataType.BYTE);
    }

    /**
     * Copies a section, a sequence of runs of bytes, of the caller's memory into a section of this part. The bytes of
     * the source section, in their order, replace the bytes of the target section. On the way to another node, one
     * message carries many short runs.
     *
     * @param section the bytes of the part to write
     * @param source the caller's memory
     * @param of the bytes of the source to read, as many as in {@code section}
     * @throws IndexOutOfBoundsException if a section does not lie in its memory
     * @throws IllegalArgumentException if the sections differ in their number of bytes, or a run ends within an element
     */
    public void put(Section section, Span source, Section of) {
        Arguments.checkUsable(source.segment(), "source");
        write(section, source.segment(), of, source.type());
    }

    // also for byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Copies the caller's elements into this part, and then adds one to a notification word there. The rank to which
     * the part belongs waits for notifications with {@link RemoteMemory#awaitMore} and similar calls. Once it has seen
     * the new count, it sees these elements. It also sees all earlier puts and accumulates of this rank into the same
     * part. Therefore it is enough if the last of several calls notifies. That call may have no elements. Any number of
     * ranks may use the same word.
     *
     * @param offset the byte of the part at which the elements begin, a multiple of the size of an element
     * @param source the elements
     * @param notification the number of the notification word in the part, from 0
     * @throws IndexOutOfBoundsException if the range does not lie in the part, or there is no such word
     * @throws IllegalArgumentException if the offset is not a multiple of the size of an element
     */
    public void putNotify(long offset, Span source, int notification) {
        Arguments.checkUsable(source.segment(), "source");
        writeNotify(offset, source.segment(), source.type(), notification);
    }

    /**
     * Copies the caller's bytes into this part, and then adds one to a notification word there. The rank to which the
     * part belongs can wait for the word, and then sees the bytes ({@link RemoteMemory#awaitMore}).
     *
     * @param offset the byte of the part at which the bytes begin
     * @param source the bytes: native memory, or a heap segment
     * @param notification the number of the notification word in the part, from 0
     * @throws IndexOutOfBoundsException if the range does not lie in the part, or there is no such word
     */
    public void putNotify(long offset, MemorySegment source, int notification) {
        Arguments.checkUsable(source, "source");
        writeNotify(offset, source, DataType.BYTE, notification);
    }

    /**
     * Copies a section of the caller's memory into a section of this part, and then adds one to a notification word
     * there. The rank to which the part belongs can wait for the word, and then sees the bytes
     * ({@link RemoteMemory#awaitMore}).
     *
     * @param section the bytes of the part to write
     * @param source the caller's memory
     * @param of the bytes of the source to read, as many as in {@code section}
     * @param notification the number of the notification word in the part, from 0
     * @throws IndexOutOfBoundsException if a section does not lie in its memory, or there is no such word
     * @throws IllegalArgumentException if the sections differ in their number of bytes, or a run ends within an element
     */
    public void putNotify(Section section, Span source, Section of, int notification) {
        Arguments.checkUsable(source.segment(), "source");
        writeNotify(section, source.segment(), of, source.type(), notification);
    }

    // also with byte, int, float, double
    /**
     * Sets consecutive elements of this part to a value. The call does not wait until they are visible there.
     *
     * @param offset the byte of the part at which the range begins, a multiple of the size of an element
     * @param count the number of elements of the value's type, 0 or more
     * @param value the value
     * @throws IndexOutOfBoundsException if the range does not lie in the part
     * @throws IllegalArgumentException if the offset is not a multiple of the size of an element
     */
    public void fill(long offset, long count, long value) {
        fill(offset, count, Span.of(new long[]{value}));
    }

    // also for byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Copies elements from this part into the caller's memory, and waits until they have arrived.
     *
     * @param offset the byte of the part at which the elements begin, a multiple of the size of an element
     * @param target receives the elements
     * @throws IndexOutOfBoundsException if the range does not lie in the part
     * @throws IllegalArgumentException if the offset is not a multiple of the size of an element[, or the memory is
     *             confined to one thread or read-only|]
     */
    public void get(long offset, Span target) {
        checkTarget(target.segment());
        read(offset, target.segment(), target.type());
    }

    /**
     * Copies bytes from this part into the caller's memory, and waits until they have arrived.
     *
     * @param offset the byte of the part at which the bytes begin
     * @param target the memory that receives the bytes: native memory that all threads may access, or a heap segment
     * @throws IndexOutOfBoundsException if the range does not lie in the part
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
     * Several runs of contiguous bytes are requested from another node at the same time.
     *
     * @param section the bytes of the part to read
     * @param target the caller's memory
     * @param of the bytes of the target to write, as many as in {@code section}
     * @throws IndexOutOfBoundsException if a section does not lie in its memory
     * @throws IllegalArgumentException if the sections differ in their number of bytes, or a run ends within an
     *             element; or if the memory is confined to one thread or read-only
     */
    public void get(Section section, Span target, Section of) {
        checkTarget(target.segment());
        read(section, target.segment(), of, target.type());
    }

    // also for int[], long[], float[], double[]
    /**
     * Combines the caller's elements with the elements of this part: {@code part = part op source}. Each element
     * changes atomically with respect to accumulates of all ranks. Elements of type int and long also change atomically
     * with respect to the atomic operations. No element does with respect to puts, loads and stores. Like a put, an
     * accumulate is complete after a fence.
     *
     * @param offset the byte of the part at which the elements begin, a multiple of the size of an element
     * @param source the elements[: int, long, float or double|]
     * @param reduction {@link Reduction#SUM}, {@link Reduction#MIN}, {@link Reduction#MAX}, or, for int and long, one
     *            of the bitwise operators
     * @throws IndexOutOfBoundsException if the range does not lie in the part
     * @throws IllegalArgumentException if accumulates do not support the operator for the type, or the offset is not a
     *             multiple of the size of an element
     */
    public void accumulate(long offset, Span source, Reduction reduction) {
        Arguments.checkUsable(source.segment(), "source");
        accumulate(offset, source.segment(), source.type(), reduction, 1);
    }

    // also for int[], long[], float[], double[]
    /**
     * Multiplies the caller's elements by a factor and adds them to the elements of this part:
     * {@code part += scale × source}. Each element changes atomically with respect to accumulates of all ranks
     * ({@link #accumulate(long, Span, Reduction)} has the details). Like a put, the call is complete after a fence.
     *
     * @param offset the byte of the part at which the elements begin, a multiple of the size of an element
     * @param source the elements[: int, long, float or double|]
     * @param scale the factor; an integer for elements of type int and long, rounded to a float for elements of type
     *            float
     * @throws IndexOutOfBoundsException if the range does not lie in the part
     * @throws IllegalArgumentException if the [type is another one, the |]scale is not an integer although the elements
     *             are, or the offset is not a multiple of the size of an element
     */
    public void accumulate(long offset, Span source, double scale) {
        Arguments.checkUsable(source.segment(), "source");
        accumulate(offset, source.segment(), source.type(), Reduction.SUM, scale);
    }

    /**
     * Multiplies a section of the caller's elements by a factor and adds it to a section of this part:
     * {@code part += scale × source}. Each element changes atomically with respect to accumulates of all ranks
     * ({@link #accumulate(long, Span, Reduction)} has the details). Like a put, the call is complete after a fence.
     *
     * @param section the runs of the part to change, each of whole elements
     * @param source the elements: int, long, float or double
     * @param of the bytes of the source to read, as many as in {@code section}
     * @param scale the factor; an integer for elements of type int and long, rounded to a float for elements of type
     *            float
     * @throws IndexOutOfBoundsException if a section does not lie in its memory
     * @throws IllegalArgumentException if the type is another one, scale is not an integer although the elements are,
     *             or the sections differ in their number of bytes, or a run ends within an element
     */
    public void accumulate(Section section, Span source, Section of, double scale) {
        Arguments.checkUsable(source.segment(), "source");
        accumulate(section, source.segment(), of, source.type(), Reduction.SUM, scale);
    }

    /**
     * Combines a section of the caller's elements with a section of this part: {@code part = part op source}. Each
     * element changes atomically with respect to accumulates of all ranks ({@link #accumulate(long, Span, Reduction)}
     * has the details). Like a put, the call is complete after a fence.
     *
     * @param section the runs of the part to change, each of whole elements
     * @param source the elements: int, long, float or double
     * @param of the bytes of the source to read, as many as in {@code section}
     * @param reduction {@link Reduction#SUM}, {@link Reduction#MIN}, {@link Reduction#MAX}, or, for int and long, one
     *            of the bitwise operators
     * @throws IndexOutOfBoundsException if a section does not lie in its memory
     * @throws IllegalArgumentException if accumulates do not support the operator for the type, or the sections differ
     *             in their number of bytes, or a run ends within an element
     */
    public void accumulate(Section section, Span source, Section of, Reduction reduction) {
        Arguments.checkUsable(source.segment(), "source");
        accumulate(section, source.segment(), of, source.type(), reduction, 1);
    }

    // also for float[], double[]
    /**
     * Multiplies the caller's complex numbers by a factor and adds them to complex numbers in this part of the memory:
     * {@code part += (real + imaginary·i) × source}. A complex number is a pair of elements, first the real and then
     * the imaginary part. Both change together, atomically. In the memory a pair begins at a multiple of its size.
     *
     * @param offset the byte of the part at which the numbers begin, a multiple of the size of a pair
     * @param source the numbers: an even number of [float or double|elements]
     * @param real the real part of the factor, rounded to a float for elements of type float
     * @param imaginary the imaginary part of the factor, rounded in the same way
     * @throws IndexOutOfBoundsException if the range does not lie in the part
     * @throws IllegalArgumentException if [the type is another one, |]the number of elements is odd, or the offset is
     *             not a multiple of the size of an element
     */
    public void accumulateComplex(long offset, Span source, double real, double imaginary) {
        Arguments.checkUsable(source.segment(), "source");
        accumulateComplex(offset, source.segment(), source.type(), real, imaginary);
    }

    /**
     * Multiplies a section of the caller's complex numbers by a factor and adds it to a section of this part. Each
     * number, a pair of a real and an imaginary part, changes atomically.
     *
     * @param section the runs of the part to change, each of whole pairs
     * @param source the numbers, as pairs of float or double
     * @param of the runs of the source to read, each of whole pairs, with as many bytes as {@code section}
     * @param real the real part of the factor
     * @param imaginary the imaginary part of the factor
     * @throws IndexOutOfBoundsException if a section does not lie in its memory
     * @throws IllegalArgumentException if the type is another one, or the sections differ in their number of bytes, or
     *             a run ends within a pair
     */
    public void accumulateComplex(Section section, Span source, Section of, double real, double imaginary) {
        Arguments.checkUsable(source.segment(), "source");
        accumulateComplex(section, source.segment(), of, source.type(), real, imaginary);
    }

    // also for int[], long[], float[], double[]
    /**
     * Replaces elements of this part with the caller's elements, each atomically. Unlike a put, a replacement of an
     * element is atomic with respect to accumulates on the same element. For int and long it is also atomic with
     * respect to the atomic operations.
     *
     * @param offset the byte of the part at which the elements begin, a multiple of the size of an element
     * @param source the elements[: int, long, float or double|]
     * @throws IndexOutOfBoundsException if the range does not lie in the part
     * @throws IllegalArgumentException if [the type is another one, or |]the offset is not a multiple of the size of an
     *             element
     */
    public void replace(long offset, Span source) {
        Arguments.checkUsable(source.segment(), "source");
        replace(offset, source.segment(), source.type());
    }

    /**
     * Replaces a section of this part with a section of the caller's elements. Each element is replaced atomically with
     * respect to accumulates on the same element.
     *
     * @param section the runs of the part to change, each of whole elements
     * @param source the elements: int, long, float or double
     * @param of the bytes of the source to read, as many as in {@code section}
     * @throws IndexOutOfBoundsException if a section does not lie in its memory
     * @throws IllegalArgumentException if the type is another one, or the sections differ in their number of bytes, or
     *             a run ends within an element
     */
    public void replace(Section section, Span source, Section of) {
        Arguments.checkUsable(source.segment(), "source");
        replace(section, source.segment(), of, source.type());
    }

    /**
     * Reads a long of this part atomically. The result is never half of one value and half of another.
     *
     * @param offset the byte of the part at which the long begins, a multiple of 8
     * @return the value
     * @throws IllegalArgumentException if the offset is not a multiple of 8
     * @throws IndexOutOfBoundsException if the long does not lie in the part
     */
    public abstract long fetchLong(long offset);

    /**
     * Reads an int of this part atomically. The result is never half of one value and half of another.
     *
     * @param offset the byte of the part at which the int begins, a multiple of 4
     * @return the value
     * @throws IllegalArgumentException if the offset is not a multiple of 4
     * @throws IndexOutOfBoundsException if the int does not lie in the part
     */
    public abstract int fetchInt(long offset);

    /**
     * Atomically adds a number to a long of this part, and returns its previous value. Overflow wraps around.
     *
     * @param offset the byte of the part at which the long begins, a multiple of 8
     * @param increment the number to add
     * @return the previous value
     * @throws IllegalArgumentException if the offset is not a multiple of 8
     * @throws IndexOutOfBoundsException if the long does not lie in the part
     */
    public abstract long fetchAddLong(long offset, long increment);

    /**
     * Atomically sets a long of this part to a new value, and returns its previous value.
     *
     * @param offset the byte of the part at which the long begins, a multiple of 8
     * @param value the new value
     * @return the previous value
     * @throws IllegalArgumentException if the offset is not a multiple of 8
     * @throws IndexOutOfBoundsException if the long does not lie in the part
     */
    public abstract long swapLong(long offset, long value);

    /**
     * Atomically sets a long of this part to a new value if it has the expected value, and returns its previous value.
     * The call has set it if and only if the returned value is the expected one.
     *
     * @param offset the byte of the part at which the long begins, a multiple of 8
     * @param expected the expected value
     * @param value the new value
     * @return the previous value
     * @throws IllegalArgumentException if the offset is not a multiple of 8
     * @throws IndexOutOfBoundsException if the long does not lie in the part
     */
    public abstract long compareAndSwapLong(long offset, long expected, long value);

    /**
     * Atomically adds a number to an int of this part, and returns its previous value. Overflow wraps around.
     *
     * @param offset the byte of the part at which the int begins, a multiple of 4
     * @param increment the number to add
     * @return the previous value
     * @throws IllegalArgumentException if the offset is not a multiple of 4
     * @throws IndexOutOfBoundsException if the int does not lie in the part
     */
    public abstract int fetchAddInt(long offset, int increment);

    /**
     * Atomically sets an int of this part to a new value, and returns its previous value.
     *
     * @param offset the byte of the part at which the int begins, a multiple of 4
     * @param value the new value
     * @return the previous value
     * @throws IllegalArgumentException if the offset is not a multiple of 4
     * @throws IndexOutOfBoundsException if the int does not lie in the part
     */
    public abstract int swapInt(long offset, int value);

    /**
     * Atomically sets an int of this part to a new value if it has the expected value, and returns its previous value.
     * The call has set it if and only if the returned value is the expected one.
     *
     * @param offset the byte of the part at which the int begins, a multiple of 4
     * @param expected the expected value
     * @param value the new value
     * @return the previous value
     * @throws IllegalArgumentException if the offset is not a multiple of 4
     * @throws IndexOutOfBoundsException if the int does not lie in the part
     */
    public abstract int compareAndSwapInt(long offset, int expected, int value);

    /**
     * Copies the caller's elements into consecutive elements of this part. All public forms of put for a range end
     * here.
     *
     * @param offset the offset in the part at which the elements begin; this method checks it
     * @param source the elements
     * @param type the type of the elements
     */
    protected abstract void write(long offset, MemorySegment source, DataType type);

    /**
     * Copies the caller's elements into consecutive elements of this part, and then adds one to a notification word
     * there. All public forms of {@code putNotify} for a range end here.
     *
     * @param offset the offset in the part at which the elements begin; this method checks it
     * @param source the elements
     * @param type the type of the elements
     * @param notification the number of the notification word in the part; this method checks it
     */
    protected abstract void writeNotify(long offset, MemorySegment source, DataType type, int notification);

    /**
     * Copies a section, a sequence of runs of bytes, of the caller's memory into a section of this part. Then adds one
     * to a notification word there.
     *
     * @param section the bytes of the part to write; this method checks them
     * @param source the caller's memory
     * @param of the bytes of the source to read; this method checks them
     * @param type the type of the elements
     * @param notification the number of the notification word in the part; this method checks it
     */
    protected abstract void writeNotify(Section section, MemorySegment source, Section of, DataType type,
            int notification);

    /**
     * Sets consecutive elements of this part to a value. All public forms of fill end here.
     *
     * @param offset the offset in the part at which the elements begin; this method checks it
     * @param count the number of elements; this method checks it
     * @param value the value, as a span of one element
     */
    protected abstract void fill(long offset, long count, Span value);

    /**
     * Copies consecutive elements of this part into the caller's memory, and waits until they have arrived. All public
     * forms of get for a range end here.
     *
     * @param offset the offset in the part at which the elements begin; this method checks it
     * @param target the caller's memory that receives the elements; threads of the network write to it
     * @param type the type of the elements
     */
    protected abstract void read(long offset, MemorySegment target, DataType type);

    /**
     * Combines the caller's elements with consecutive elements of this part. All public forms of accumulate for a range
     * end here.
     *
     * @param offset the offset in the part at which the elements begin; this method checks it
     * @param source the elements
     * @param type the type of the elements
     * @param reduction the operator; this method checks it
     * @param scale the factor by which a sum multiplies the source's elements; this method checks it
     */
    protected abstract void accumulate(long offset, MemorySegment source, DataType type, Reduction reduction,
            double scale);

    /**
     * Replaces consecutive elements of this part with the caller's elements. All public forms of replace for a range
     * end here.
     *
     * @param offset the offset in the part at which the elements begin; this method checks it
     * @param source the elements
     * @param type the type of the elements
     */
    protected abstract void replace(long offset, MemorySegment source, DataType type);

    /**
     * Copies a section, a sequence of runs of bytes, of the caller's memory into a section of this part.
     *
     * @param section the bytes of the part to write; this method checks them
     * @param source the caller's memory
     * @param of the bytes of the source to read; this method checks them
     * @param type the type of the elements
     */
    protected abstract void write(Section section, MemorySegment source, Section of, DataType type);

    /**
     * Copies a section, a sequence of runs of bytes, of this part into a section of the caller's memory, and waits
     * until the bytes have arrived.
     *
     * @param section the bytes of the part to read; this method checks them
     * @param target the caller's memory
     * @param of the bytes of the target to write; this method checks them
     * @param type the type of the elements
     */
    protected abstract void read(Section section, MemorySegment target, Section of, DataType type);

    /**
     * Combines a section, a sequence of runs of elements, of the caller's memory with a section of this part.
     *
     * @param section the bytes of the part to change; this method checks them
     * @param source the caller's memory
     * @param of the bytes of the source to read; this method checks them
     * @param type the type of the elements
     * @param reduction the operator; this method checks it
     * @param scale the factor by which a sum multiplies the source's elements; this method checks it
     */
    protected abstract void accumulate(Section section, MemorySegment source, Section of, DataType type,
            Reduction reduction, double scale);

    /**
     * Replaces a section, a sequence of runs of elements, of this part with a section of the caller's memory.
     *
     * @param section the bytes of the part to change; this method checks them
     * @param source the caller's memory
     * @param of the bytes of the source to read; this method checks them
     * @param type the type of the elements
     */
    protected abstract void replace(Section section, MemorySegment source, Section of, DataType type);

    /**
     * Multiplies each complex number of a range by a factor, and adds the product to the corresponding complex number
     * of this part.
     *
     * @param offset the offset in the part at which the elements begin; this method checks it
     * @param source the numbers
     * @param type the type of the real and the imaginary parts; this method checks it
     * @param real the real part of the factor
     * @param imaginary the imaginary part of the factor
     */
    protected abstract void accumulateComplex(long offset, MemorySegment source, DataType type, double real,
            double imaginary);

    /**
     * Multiplies each complex number of a section by a factor, and adds the product to the corresponding complex number
     * of a section of this part.
     *
     * @param section the bytes of the part to change; this method checks them
     * @param source the caller's memory
     * @param of the bytes of the source to read; this method checks them
     * @param type the type of the real and the imaginary parts; this method checks it
     * @param real the real part of the factor
     * @param imaginary the imaginary part of the factor
     */
    protected abstract void accumulateComplex(Section section, MemorySegment source, Section of, DataType type,
            double real, double imaginary);
}
