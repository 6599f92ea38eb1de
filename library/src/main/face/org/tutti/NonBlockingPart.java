/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * The calls of a {@link RemotePart}, not waiting: the same names and arguments, but each returns a {@link Request}.
 *
 * <p><b>Gets</b> are done when the elements are there; until then, what the call was given belongs to it. Several are
 * on their way at once, {@value #IN_FLIGHT_MAX} runs of bytes of a memory at most; a call that has no place for its own
 * waits until earlier ones are done, or does its own at once.
 *
 * <p><b>Puts</b>, accumulates and replacements are done when their source may be used again, which they are when the
 * call returns: it has handed the bytes to the fabric, and waited for room there if it had to. Like those of
 * {@code RemotePart} they are visible at the target after a fence.
 *
 * <p>On the own node all is done when the call returns. Mistakes in arguments are thrown by the call itself. A deadline
 * of the memory ends a request, counted from its call, as seen by who asks or waits for it; an interrupt of who waits
 * does not. Closing the memory waits for all requests. Any number of threads may use it at the same time.
 */
public abstract class NonBlockingPart {
    /** How many runs of bytes may be on their way to this rank from other nodes, for one memory. */
    public static final int IN_FLIGHT_MAX = 64;

    private final ArrayViews<MemorySegment> segments = ArrayViews.segments(ArrayViews.REMEMBERED);

    /**
     * For Tutti's own implementation only.
     */
    protected NonBlockingPart() {}

    /**
     * {@return the same calls, whose offsets count in elements, as those of {@link RemotePart#elements}}
     */
    public abstract NonBlockingPart elements();

    // as in RemotePart
    public Request put(long offset, Span source) {
        return written(part -> part.put(offset, source));
    }

    // as in RemotePart
    public Request put(long offset, MemorySegment source) {
        return written(part -> part.put(offset, source));
    }

    // as in RemotePart
    public Request put(Section section, Span source, Section of) {
        return written(part -> part.put(section, source, of));
    }

    // as in RemotePart
    public Request putNotify(long offset, Span source, int notification) {
        return written(part -> part.putNotify(offset, source, notification));
    }

    // as in RemotePart
    public Request putNotify(long offset, MemorySegment source, int notification) {
        return written(part -> part.putNotify(offset, source, notification));
    }

    // as in RemotePart
    public Request putNotify(Section section, Span source, Section of, int notification) {
        return written(part -> part.putNotify(section, source, of, notification));
    }

    // as in RemotePart
    public Request get(long offset, Span target) {
        RemotePart.checkTarget(target.segment());
        return read(offset, target.segment(), target.type());
    }

    // as in RemotePart
    public Request get(long offset, MemorySegment target) {
        RemotePart.checkTarget(target);
        return read(offset, target, DataType.BYTE);
    }

    // as in RemotePart
    public Request get(Section section, Span target, Section of) {
        RemotePart.checkTarget(target.segment());
        return read(section, target.segment(), of, target.type());
    }

    // as in RemotePart
    public Request accumulate(long offset, Span source, Reduction reduction) {
        return written(part -> part.accumulate(offset, source, reduction));
    }

    // as in RemotePart
    public Request accumulate(long offset, Span source, double scale) {
        return written(part -> part.accumulate(offset, source, scale));
    }

    // as in RemotePart
    public Request accumulate(Section section, Span source, Section of, double scale) {
        return written(part -> part.accumulate(section, source, of, scale));
    }

    // as in RemotePart
    public Request accumulate(Section section, Span source, Section of, Reduction reduction) {
        return written(part -> part.accumulate(section, source, of, reduction));
    }

    // as in RemotePart
    public Request accumulateComplex(long offset, Span source, double real, double imaginary) {
        return written(part -> part.accumulateComplex(offset, source, real, imaginary));
    }

    // as in RemotePart
    public Request accumulateComplex(Section section, Span source, Section of, double real, double imaginary) {
        return written(part -> part.accumulateComplex(section, source, of, real, imaginary));
    }

    // as in RemotePart
    public Request replace(Section section, Span source, Section of) {
        return written(part -> part.replace(section, source, of));
    }

    // as in RemotePart
    public Request replace(long offset, Span source) {
        return written(part -> part.replace(offset, source));
    }

    /**
     * What all calls end in that are done when they return.
     *
     * @param call makes the call on the part
     * @return the request
     */
    protected abstract Request written(Consumer<RemotePart> call);

    /**
     * What all forms of get end in.
     *
     * @param offset where in the part; unchecked
     * @param target where the elements go; threads of the fabric write to it
     * @param type their type
     * @return the request
     */
    protected abstract Request read(long offset, MemorySegment target, DataType type);

    /**
     * What a get of a section ends in.
     *
     * @param section which bytes; unchecked
     * @param target memory
     * @param of where in it they go; unchecked
     * @param type the type of the elements
     * @return the request
     */
    protected abstract Request read(Section section, MemorySegment target, Section of, DataType type);
}
