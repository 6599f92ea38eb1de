/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The part of a {@link RemoteMemory} at one rank. {@code RemoteMemory} says when changes become visible, in which
 * order, and what calls throw when the job fails.
 *
 * <p>Atomic operations are atomic against each other, whichever ranks call them, on the same element: of the same size,
 * at the same offset. They are complete when they return, at the part too, and order what the caller did before and
 * after them on ranks of the same node as volatile variables do.
 *
 * <p><b>Offsets</b> are in bytes from the start of the part. Elements lie at multiples of their size: calls that are
 * given elements refuse other offsets, and sections that cut elements. In the view {@link #elements} offsets are
 * indexes of elements. Calls that are given a segment copy bytes, from and to any offset.
 *
 * <p>All calls throw {@link IllegalStateException} when the memory is closed. A part remembers weakly four arrays of
 * its latest calls, of all threads, so that calls with the same arrays allocate nothing; neither do those with spans.
 * Any number of threads may use it at the same time.
 */
public abstract class RemotePart {
    private final ArrayViews<MemorySegment> segments = ArrayViews.segments(ArrayViews.REMEMBERED);

    /**
     * For Tutti's own implementation only.
     */
    protected RemotePart() {}

    /**
     * {@return whose part this is}
     */
    public abstract int rank();

    /**
     * {@return how many bytes the part has, 0 or more; in the view {@link #elements} how many whole elements}
     */
    public abstract long size();

    /**
     * The same part, for calls whose offsets count in elements: of the type by which this rank has allocated the
     * memory, or bytes if it has named none. {@code memory.at(rank).elements().put(3, values)} puts values from the
     * element with index 3 on. All offsets of all calls of the view count so, also where other elements are given than
     * those of that type; sections count as they have been made.
     *
     * @return the view, the same object in every call
     */
    public abstract RemotePart elements();

    /**
     * The part itself, for loads and stores, where its rank is on this node. It must not be used any more after the
     * memory is closed.
     *
     * @return as many bytes as the part has
     * @throws UnsupportedOperationException when the rank is on another node
     */
    public abstract MemorySegment segment();

    /**
     * The same part, for calls whose bytes travel by a protocol that the caller has chosen. On the own node nothing
     * travels, and this changes nothing.
     *
     * @param protocol the protocol
     * @return the part, the same object in every call
     */
    public abstract RemotePart withProtocol(TransferProtocol protocol);

    /**
     * {@return the protocol by which the bytes of this object's last put, get or accumulate have travelled, of any
     * thread; none if there was none, or the part is on this node}
     */
    public abstract Optional<TransferProtocol> lastProtocol();

    /**
     * {@return the same calls, not waiting: each returns a {@link Request}; the same object in every call}
     */
    public abstract NonBlockingPart nonBlocking();

    // also for byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Copies elements into this part.
     *
     * @param offset at which byte of the part, a multiple of the size of an element
     * @param source the elements
     * @throws IndexOutOfBoundsException when the range is not inside the part
     * @throws IllegalArgumentException when the offset is no multiple
     */
    public void put(long offset, Span source) {
        Arguments.checkUsable(source.segment(), "source");
        write(offset, source.segment(), source.type());
    }

    /**
     * Copies memory into this part.
     *
     * @param offset at which byte of the part
     * @param source the bytes: native memory, or a heap segment
     * @throws IndexOutOfBoundsException when the range is not inside the part
     */
    public void put(long offset, MemorySegment source) {
        Arguments.checkUsable(source, "source");
        write(offset, source, DataType.BYTE);
    }

    /**
     * Copies a section of the caller's memory into a section of this part: the bytes of the one, in their order, to
     * those of the other. Many runs are gathered on their way to another node.
     *
     * @param section where the bytes go
     * @param source memory
     * @param of which bytes of the source; as many
     * @throws IndexOutOfBoundsException when a section is not inside its memory
     * @throws IllegalArgumentException when the sections have not as many bytes, or cut elements
     */
    public void put(Section section, Span source, Section of) {
        Arguments.checkUsable(source.segment(), "source");
        write(section, source.segment(), of, source.type());
    }

    // also for byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Copies elements into this part, and then counts one more notification there, for which the part's rank waits by
     * {@link RemoteMemory#awaitNotifications}. When it has seen the count, these bytes are visible to it, and those of
     * all earlier puts and accumulates of this rank into the same part. So of several calls, the last one notifies; it
     * may have no elements. Any number of ranks may notify by the same word.
     *
     * @param offset at which byte of the part, a multiple of the size of an element
     * @param source the elements
     * @param notification which of the part's words, from 0
     * @throws IndexOutOfBoundsException when the range is not inside the part, or there is no such word
     * @throws IllegalArgumentException when the offset is no multiple
     */
    public void putNotify(long offset, Span source, int notification) {
        Arguments.checkUsable(source.segment(), "source");
        writeNotify(offset, source.segment(), source.type(), notification);
    }

    /**
     * As {@link #putNotify(long, Span, int)}, for memory.
     *
     * @param offset at which byte of the part
     * @param source the bytes: native memory, or a heap segment
     * @param notification which of the part's words, from 0
     * @throws IndexOutOfBoundsException when the range is not inside the part, or there is no such word
     */
    public void putNotify(long offset, MemorySegment source, int notification) {
        Arguments.checkUsable(source, "source");
        writeNotify(offset, source, DataType.BYTE, notification);
    }

    /**
     * As {@link #put(Section, Span, Section)}, and then counts one more notification, as {@link #putNotify(long, Span,
     * int)} does.
     *
     * @param section where the bytes go
     * @param source memory
     * @param of which bytes of the source; as many
     * @param notification which of the part's words, from 0
     * @throws IndexOutOfBoundsException when a section is not inside its memory, or there is no such word
     * @throws IllegalArgumentException when the sections have not as many bytes, or cut elements
     */
    public void putNotify(Section section, Span source, Section of, int notification) {
        Arguments.checkUsable(source.segment(), "source");
        writeNotify(section, source.segment(), of, source.type(), notification);
    }

    // also with byte, int, float, double
    /**
     * Writes the same value to all of some elements of this part.
     *
     * @param offset at which byte of the part they begin, a multiple of the size of an element
     * @param count how many elements of the value's type, 0 or more
     * @param value the value
     * @throws IndexOutOfBoundsException when the range is not inside the part
     * @throws IllegalArgumentException when the offset is no multiple
     */
    public void fill(long offset, long count, long value) {
        fill(offset, count, Span.of(new long[]{value}));
    }

    // also for byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Copies elements from this part, and waits until they are there.
     *
     * @param offset at which byte of the part, a multiple of the size of an element
     * @param target where they go
     * @throws IndexOutOfBoundsException when the range is not inside the part
     * @throws IllegalArgumentException when the offset is no multiple[, or the memory can be used by one thread only,
     *             or not written|]
     */
    public void get(long offset, Span target) {
        checkTarget(target.segment());
        read(offset, target.segment(), target.type());
    }

    /**
     * Copies bytes from this part, and waits until they are there.
     *
     * @param offset at which byte of the part
     * @param target where they go: native memory that all threads may use, or a heap segment
     * @throws IndexOutOfBoundsException when the range is not inside the part
     * @throws IllegalArgumentException when the memory can be used by one thread only, or not written
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
     * Copies a section of this part into a section of the caller's memory, and waits until the bytes are there. From
     * another node several runs are asked for at once.
     *
     * @param section which bytes
     * @param target memory
     * @param of where in the target they go; as many
     * @throws IndexOutOfBoundsException when a section is not inside its memory
     * @throws IllegalArgumentException when the sections have not as many bytes, or cut elements, or the memory can be
     *             used by one thread only, or not written
     */
    public void get(Section section, Span target, Section of) {
        checkTarget(target.segment());
        read(section, target.segment(), of, target.type());
    }

    // also for int[], long[], float[], double[]
    /**
     * Combines elements with those of this part: {@code part = part op source}, each element at once. Accumulates of
     * all ranks on the same elements are atomic against each other, and those of int and long also against the atomic
     * operations; against puts, and loads and stores, they are not. It is complete like a put: after a fence.
     *
     * @param offset at which byte of the part, a multiple of the size of an element
     * @param source the elements[: int, long, float or double|]
     * @param reduction {@link Reduction#SUM}, {@link Reduction#MIN}, {@link Reduction#MAX}, or, for int and long, one
     *            of the bitwise operators
     * @throws IndexOutOfBoundsException when the range is not inside the part
     * @throws IllegalArgumentException when the operator does not work here on the type, or the offset is no multiple
     */
    public void accumulate(long offset, Span source, Reduction reduction) {
        Arguments.checkUsable(source.segment(), "source");
        accumulate(offset, source.segment(), source.type(), reduction, 1);
    }

    // also for int[], long[], float[], double[]
    /**
     * Adds elements, times a number, to those of this part: {@code part += scale × source}, each element at once.
     *
     * @param offset at which byte of the part, a multiple of the size of an element
     * @param source the elements[: int, long, float or double|]
     * @param scale the number; a whole one for elements of type int and long, rounded to a float for float
     * @throws IndexOutOfBoundsException when the range is not inside the part
     * @throws IllegalArgumentException when the [type or the |]scale is another one, or the offset is no multiple
     */
    public void accumulate(long offset, Span source, double scale) {
        Arguments.checkUsable(source.segment(), "source");
        accumulate(offset, source.segment(), source.type(), Reduction.SUM, scale);
    }

    /**
     * Adds a section of elements, times a number, to a section of this part: {@code part += scale × source}, each
     * element at once.
     *
     * @param section where they go, in whole elements
     * @param source the elements: int, long, float or double
     * @param of which of them, in bytes; as many
     * @param scale as in {@link #accumulate(long, Span, double)}
     * @throws IndexOutOfBoundsException when a section is not inside its memory
     * @throws IllegalArgumentException when the sections have not as many bytes, or cut elements
     */
    public void accumulate(Section section, Span source, Section of, double scale) {
        Arguments.checkUsable(source.segment(), "source");
        accumulate(section, source.segment(), of, source.type(), Reduction.SUM, scale);
    }

    /**
     * Combines a section of elements with a section of this part, each element at once.
     *
     * @param section where they go, in whole elements
     * @param source the elements: int, long, float or double
     * @param of which of them, in bytes; as many
     * @param reduction how, as in {@link #accumulate(long, Span, Reduction)}
     * @throws IndexOutOfBoundsException when a section is not inside its memory
     * @throws IllegalArgumentException when the operator does not work here on the type, the sections have not as many
     *             bytes, or cut elements
     */
    public void accumulate(Section section, Span source, Section of, Reduction reduction) {
        Arguments.checkUsable(source.segment(), "source");
        accumulate(section, source.segment(), of, source.type(), reduction, 1);
    }

    // also for float[], double[]
    /**
     * Adds complex numbers, times one, to those of this part: {@code part += (real + imaginary·i) × source}, each at
     * once, both its halves. A complex number is a pair of elements, the real part first; in the part it begins at a
     * multiple of its size.
     *
     * @param offset at which byte of the part, a multiple of the size of a pair
     * @param source the numbers: an even number of [float or double|elements]
     * @param real the real part of the factor, rounded to a float for float
     * @param imaginary its imaginary part
     * @throws IndexOutOfBoundsException when the range is not inside the part
     * @throws IllegalArgumentException when [the type is another one, |]the number of elements is odd, or the offset
     *             is no multiple
     */
    public void accumulateComplex(long offset, Span source, double real, double imaginary) {
        Arguments.checkUsable(source.segment(), "source");
        accumulateComplex(offset, source.segment(), source.type(), real, imaginary);
    }

    /**
     * Adds a section of complex numbers, times one, to a section of this part, each number at once.
     *
     * @param section where they go, in whole pairs
     * @param source the numbers, as pairs of float or double
     * @param of which of them, in bytes and whole pairs; as many
     * @param real the real part of the factor
     * @param imaginary its imaginary part
     * @throws IndexOutOfBoundsException when a section is not inside its memory
     * @throws IllegalArgumentException when the type is another one, the sections have not as many bytes, or cut pairs
     */
    public void accumulateComplex(Section section, Span source, Section of, double real, double imaginary) {
        Arguments.checkUsable(source.segment(), "source");
        accumulateComplex(section, source.segment(), of, source.type(), real, imaginary);
    }

    // also for int[], long[], float[], double[]
    /**
     * Replaces elements of this part, each at once: a put that is atomic against accumulates and atomic operations on
     * the same elements.
     *
     * @param offset at which byte of the part, a multiple of the size of an element
     * @param source the elements[: int, long, float or double|]
     * @throws IndexOutOfBoundsException when the range is not inside the part
     * @throws IllegalArgumentException when [the type is another one, or |]the offset is no multiple
     */
    public void replace(long offset, Span source) {
        Arguments.checkUsable(source.segment(), "source");
        replace(offset, source.segment(), source.type());
    }

    /**
     * Replaces a section of this part by a section of elements, each at once.
     *
     * @param section where they go, in whole elements
     * @param source the elements: int, long, float or double
     * @param of which of them, in bytes; as many
     * @throws IndexOutOfBoundsException when a section is not inside its memory
     * @throws IllegalArgumentException when the type is another one, the sections have not as many bytes, or cut
     *             elements
     */
    public void replace(Section section, Span source, Section of) {
        Arguments.checkUsable(source.segment(), "source");
        replace(section, source.segment(), of, source.type());
    }

    /**
     * Reads a long at once: what some operation has left there, never half of one and half of another.
     *
     * @param offset at which byte of the part, a multiple of 8
     * @return the value
     * @throws IllegalArgumentException when the offset is no multiple of 8
     * @throws IndexOutOfBoundsException when the long is not inside the part
     */
    public abstract long fetchLong(long offset);

    /**
     * Reads an int at once: what some operation has left there, never half of one and half of another.
     *
     * @param offset at which byte of the part, a multiple of 4
     * @return the value
     * @throws IllegalArgumentException when the offset is no multiple of 4
     * @throws IndexOutOfBoundsException when the int is not inside the part
     */
    public abstract int fetchInt(long offset);

    /**
     * Adds to a long at once, and returns what it was before. Overflow wraps.
     *
     * @param offset at which byte of the part, a multiple of 8
     * @param increment what is added
     * @return the value before
     * @throws IllegalArgumentException when the offset is no multiple of 8
     * @throws IndexOutOfBoundsException when the long is not inside the part
     */
    public abstract long fetchAddLong(long offset, long increment);

    /**
     * Replaces a long at once, and returns what it was before.
     *
     * @param offset at which byte of the part, a multiple of 8
     * @param value its new value
     * @return the value before
     * @throws IllegalArgumentException when the offset is no multiple of 8
     * @throws IndexOutOfBoundsException when the long is not inside the part
     */
    public abstract long swapLong(long offset, long value);

    /**
     * Replaces a long at once if it is as expected, and returns what it was before: it was replaced if that is the
     * expected value.
     *
     * @param offset at which byte of the part, a multiple of 8
     * @param expected the value that it must have
     * @param value its new value
     * @return the value before
     * @throws IllegalArgumentException when the offset is no multiple of 8
     * @throws IndexOutOfBoundsException when the long is not inside the part
     */
    public abstract long compareAndSwapLong(long offset, long expected, long value);

    /**
     * Adds to an int at once, and returns what it was before. Overflow wraps.
     *
     * @param offset at which byte of the part, a multiple of 4
     * @param increment what is added
     * @return the value before
     * @throws IllegalArgumentException when the offset is no multiple of 4
     * @throws IndexOutOfBoundsException when the int is not inside the part
     */
    public abstract int fetchAddInt(long offset, int increment);

    /**
     * Replaces an int at once, and returns what it was before.
     *
     * @param offset at which byte of the part, a multiple of 4
     * @param value its new value
     * @return the value before
     * @throws IllegalArgumentException when the offset is no multiple of 4
     * @throws IndexOutOfBoundsException when the int is not inside the part
     */
    public abstract int swapInt(long offset, int value);

    /**
     * Replaces an int at once if it is as expected, and returns what it was before: it was replaced if that is the
     * expected value.
     *
     * @param offset at which byte of the part, a multiple of 4
     * @param expected the value that it must have
     * @param value its new value
     * @return the value before
     * @throws IllegalArgumentException when the offset is no multiple of 4
     * @throws IndexOutOfBoundsException when the int is not inside the part
     */
    public abstract int compareAndSwapInt(long offset, int expected, int value);

    /**
     * What all forms of put end in.
     *
     * @param offset where in the part; unchecked
     * @param source the elements
     * @param type their type
     */
    protected abstract void write(long offset, MemorySegment source, DataType type);

    /**
     * What all forms of put with a notification end in.
     *
     * @param offset where in the part; unchecked
     * @param source the elements
     * @param type their type
     * @param notification which word; unchecked
     */
    protected abstract void writeNotify(long offset, MemorySegment source, DataType type, int notification);

    /**
     * What a put of a section with a notification ends in.
     *
     * @param section where the bytes go; unchecked
     * @param source memory
     * @param of which bytes of it; unchecked
     * @param type the type of the elements
     * @param notification which word; unchecked
     */
    protected abstract void writeNotify(Section section, MemorySegment source, Section of, DataType type,
            int notification);

    /**
     * What all forms of fill end in.
     *
     * @param offset where in the part; unchecked
     * @param count how many elements; unchecked
     * @param value the value, as one element
     */
    protected abstract void fill(long offset, long count, Span value);

    /**
     * What all forms of get end in.
     *
     * @param offset where in the part; unchecked
     * @param target where they go; threads of the fabric write to it
     * @param type the type of the elements
     */
    protected abstract void read(long offset, MemorySegment target, DataType type);

    /**
     * What all forms of accumulate end in.
     *
     * @param offset where in the part; unchecked
     * @param source the elements
     * @param type their type
     * @param reduction how they are combined; unchecked
     * @param scale what they are multiplied with first, for a sum; unchecked
     */
    protected abstract void accumulate(long offset, MemorySegment source, DataType type, Reduction reduction,
            double scale);

    /**
     * What all forms of replace end in.
     *
     * @param offset where in the part; unchecked
     * @param source the elements
     * @param type their type
     */
    protected abstract void replace(long offset, MemorySegment source, DataType type);

    /**
     * What a put of a section ends in.
     *
     * @param section where the bytes go; unchecked
     * @param source memory
     * @param of which bytes of it; unchecked
     * @param type the type of the elements
     */
    protected abstract void write(Section section, MemorySegment source, Section of, DataType type);

    /**
     * What a get of a section ends in.
     *
     * @param section which bytes; unchecked
     * @param target memory
     * @param of where in it they go; unchecked
     * @param type the type of the elements
     */
    protected abstract void read(Section section, MemorySegment target, Section of, DataType type);

    /**
     * What accumulates of a section end in.
     *
     * @param section where the elements go; unchecked
     * @param source memory
     * @param of which bytes of it; unchecked
     * @param type the type of the elements
     * @param reduction how they are combined; unchecked
     * @param scale what they are multiplied with first, for a sum; unchecked
     */
    protected abstract void accumulate(Section section, MemorySegment source, Section of, DataType type,
            Reduction reduction, double scale);

    /**
     * What a replacement of a section ends in.
     *
     * @param section where the elements go; unchecked
     * @param source memory
     * @param of which bytes of it; unchecked
     * @param type the type of the elements
     */
    protected abstract void replace(Section section, MemorySegment source, Section of, DataType type);

    /**
     * What accumulates of complex numbers end in.
     *
     * @param offset where in the part; unchecked
     * @param source the numbers
     * @param type the type of their halves; unchecked
     * @param real the real part of the factor
     * @param imaginary its imaginary part
     */
    protected abstract void accumulateComplex(long offset, MemorySegment source, DataType type, double real,
            double imaginary);

    /**
     * What an accumulate of a section of complex numbers ends in.
     *
     * @param section where they go; unchecked
     * @param source memory
     * @param of which bytes of it; unchecked
     * @param type the type of their halves; unchecked
     * @param real the real part of the factor
     * @param imaginary its imaginary part
     */
    protected abstract void accumulateComplex(Section section, MemorySegment source, Section of, DataType type,
            double real, double imaginary);
}
