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
 * does not. Closing the memory waits for all requests.
 */
public abstract class NonBlockingPart {
    /** How many runs of bytes may be on their way to this rank from other nodes, for one memory. */
    public static final int IN_FLIGHT_MAX = 64;

    /**
     * For Tutti's own implementation only.
     */
    protected NonBlockingPart() {}

    /**
     * As {@link RemotePart#put(long, Span)}.
     *
     * @param offset at which byte of the part
     * @param source the elements
     * @return the request
     */
    public Request put(long offset, Span source) {
        return written(part -> part.put(offset, source));
    }

    /**
     * As {@link RemotePart#put(long, MemorySegment)}.
     *
     * @param offset at which byte of the part
     * @param source the bytes
     * @return the request
     */
    public Request put(long offset, MemorySegment source) {
        return written(part -> part.put(offset, source));
    }

    /**
     * As {@link RemotePart#put(long, byte[])}.
     *
     * @param offset at which byte of the part
     * @param source the elements
     * @return the request
     */
    public Request put(long offset, byte[] source) {
        return written(part -> part.put(offset, source));
    }

    /**
     * As {@link RemotePart#put(long, char[])}.
     *
     * @param offset at which byte of the part
     * @param source the elements
     * @return the request
     */
    public Request put(long offset, char[] source) {
        return written(part -> part.put(offset, source));
    }

    /**
     * As {@link RemotePart#put(long, short[])}.
     *
     * @param offset at which byte of the part
     * @param source the elements
     * @return the request
     */
    public Request put(long offset, short[] source) {
        return written(part -> part.put(offset, source));
    }

    /**
     * As {@link RemotePart#put(long, int[])}.
     *
     * @param offset at which byte of the part
     * @param source the elements
     * @return the request
     */
    public Request put(long offset, int[] source) {
        return written(part -> part.put(offset, source));
    }

    /**
     * As {@link RemotePart#put(long, long[])}.
     *
     * @param offset at which byte of the part
     * @param source the elements
     * @return the request
     */
    public Request put(long offset, long[] source) {
        return written(part -> part.put(offset, source));
    }

    /**
     * As {@link RemotePart#put(long, float[])}.
     *
     * @param offset at which byte of the part
     * @param source the elements
     * @return the request
     */
    public Request put(long offset, float[] source) {
        return written(part -> part.put(offset, source));
    }

    /**
     * As {@link RemotePart#put(long, double[])}.
     *
     * @param offset at which byte of the part
     * @param source the elements
     * @return the request
     */
    public Request put(long offset, double[] source) {
        return written(part -> part.put(offset, source));
    }

    /**
     * As {@link RemotePart#put(Section, Span, Section)}.
     *
     * @param section where the bytes go
     * @param source memory
     * @param of which bytes of it
     * @return the request
     */
    public Request put(Section section, Span source, Section of) {
        return written(part -> part.put(section, source, of));
    }

    /**
     * As {@link RemotePart#putNotify(long, Span, int)}.
     *
     * @param offset at which byte of the part
     * @param source the elements
     * @param notification which of the part's words
     * @return the request
     */
    public Request putNotify(long offset, Span source, int notification) {
        return written(part -> part.putNotify(offset, source, notification));
    }

    /**
     * As {@link RemotePart#putNotify(long, MemorySegment, int)}.
     *
     * @param offset at which byte of the part
     * @param source the bytes
     * @param notification which of the part's words
     * @return the request
     */
    public Request putNotify(long offset, MemorySegment source, int notification) {
        return written(part -> part.putNotify(offset, source, notification));
    }

    /**
     * As {@link RemotePart#get(long, Span)}.
     *
     * @param offset at which byte of the part
     * @param target where they go
     * @return the request
     */
    public Request get(long offset, Span target) {
        return get(offset, target.segment());
    }

    /**
     * As {@link RemotePart#get(long, MemorySegment)}.
     *
     * @param offset at which byte of the part
     * @param target where they go
     * @return the request
     */
    public Request get(long offset, MemorySegment target) {
        RemotePart.checkTarget(target);
        return read(offset, target);
    }

    /**
     * As {@link RemotePart#get(long, byte[])}.
     *
     * @param offset at which byte of the part
     * @param target where they go
     * @return the request
     */
    public Request get(long offset, byte[] target) {
        return read(offset, MemorySegment.ofArray(target));
    }

    /**
     * As {@link RemotePart#get(long, char[])}.
     *
     * @param offset at which byte of the part
     * @param target where they go
     * @return the request
     */
    public Request get(long offset, char[] target) {
        return read(offset, MemorySegment.ofArray(target));
    }

    /**
     * As {@link RemotePart#get(long, short[])}.
     *
     * @param offset at which byte of the part
     * @param target where they go
     * @return the request
     */
    public Request get(long offset, short[] target) {
        return read(offset, MemorySegment.ofArray(target));
    }

    /**
     * As {@link RemotePart#get(long, int[])}.
     *
     * @param offset at which byte of the part
     * @param target where they go
     * @return the request
     */
    public Request get(long offset, int[] target) {
        return read(offset, MemorySegment.ofArray(target));
    }

    /**
     * As {@link RemotePart#get(long, long[])}.
     *
     * @param offset at which byte of the part
     * @param target where they go
     * @return the request
     */
    public Request get(long offset, long[] target) {
        return read(offset, MemorySegment.ofArray(target));
    }

    /**
     * As {@link RemotePart#get(long, float[])}.
     *
     * @param offset at which byte of the part
     * @param target where they go
     * @return the request
     */
    public Request get(long offset, float[] target) {
        return read(offset, MemorySegment.ofArray(target));
    }

    /**
     * As {@link RemotePart#get(long, double[])}.
     *
     * @param offset at which byte of the part
     * @param target where they go
     * @return the request
     */
    public Request get(long offset, double[] target) {
        return read(offset, MemorySegment.ofArray(target));
    }

    /**
     * As {@link RemotePart#get(Section, Span, Section)}.
     *
     * @param section which bytes
     * @param target memory
     * @param of where in it they go
     * @return the request
     */
    public Request get(Section section, Span target, Section of) {
        RemotePart.checkTarget(target.segment());
        return read(section, target.segment(), of);
    }

    /**
     * As {@link RemotePart#accumulate(long, Span, Reduction)}.
     *
     * @param offset at which byte of the part
     * @param source the elements
     * @param reduction how they are combined
     * @return the request
     */
    public Request accumulate(long offset, Span source, Reduction reduction) {
        return written(part -> part.accumulate(offset, source, reduction));
    }

    /**
     * As {@link RemotePart#accumulate(long, Span, double)}.
     *
     * @param offset at which byte of the part
     * @param source the elements
     * @param scale what they are multiplied with first
     * @return the request
     */
    public Request accumulate(long offset, Span source, double scale) {
        return written(part -> part.accumulate(offset, source, scale));
    }

    /**
     * As {@link RemotePart#accumulate(long, int[], Reduction)}.
     *
     * @param offset at which byte of the part
     * @param source the elements
     * @param reduction how they are combined
     * @return the request
     */
    public Request accumulate(long offset, int[] source, Reduction reduction) {
        return written(part -> part.accumulate(offset, source, reduction));
    }

    /**
     * As {@link RemotePart#accumulate(long, int[], double)}.
     *
     * @param offset at which byte of the part
     * @param source the elements
     * @param scale what they are multiplied with first
     * @return the request
     */
    public Request accumulate(long offset, int[] source, double scale) {
        return written(part -> part.accumulate(offset, source, scale));
    }

    /**
     * As {@link RemotePart#accumulate(long, long[], Reduction)}.
     *
     * @param offset at which byte of the part
     * @param source the elements
     * @param reduction how they are combined
     * @return the request
     */
    public Request accumulate(long offset, long[] source, Reduction reduction) {
        return written(part -> part.accumulate(offset, source, reduction));
    }

    /**
     * As {@link RemotePart#accumulate(long, long[], double)}.
     *
     * @param offset at which byte of the part
     * @param source the elements
     * @param scale what they are multiplied with first
     * @return the request
     */
    public Request accumulate(long offset, long[] source, double scale) {
        return written(part -> part.accumulate(offset, source, scale));
    }

    /**
     * As {@link RemotePart#accumulate(long, float[], Reduction)}.
     *
     * @param offset at which byte of the part
     * @param source the elements
     * @param reduction how they are combined
     * @return the request
     */
    public Request accumulate(long offset, float[] source, Reduction reduction) {
        return written(part -> part.accumulate(offset, source, reduction));
    }

    /**
     * As {@link RemotePart#accumulate(long, float[], double)}.
     *
     * @param offset at which byte of the part
     * @param source the elements
     * @param scale what they are multiplied with first
     * @return the request
     */
    public Request accumulate(long offset, float[] source, double scale) {
        return written(part -> part.accumulate(offset, source, scale));
    }

    /**
     * As {@link RemotePart#accumulate(long, double[], Reduction)}.
     *
     * @param offset at which byte of the part
     * @param source the elements
     * @param reduction how they are combined
     * @return the request
     */
    public Request accumulate(long offset, double[] source, Reduction reduction) {
        return written(part -> part.accumulate(offset, source, reduction));
    }

    /**
     * As {@link RemotePart#accumulate(long, double[], double)}.
     *
     * @param offset at which byte of the part
     * @param source the elements
     * @param scale what they are multiplied with first
     * @return the request
     */
    public Request accumulate(long offset, double[] source, double scale) {
        return written(part -> part.accumulate(offset, source, scale));
    }

    /**
     * As {@link RemotePart#accumulate(Section, Span, Section, double)}.
     *
     * @param section where they go
     * @param source the elements
     * @param of which of them, in bytes
     * @param scale what they are multiplied with first
     * @return the request
     */
    public Request accumulate(Section section, Span source, Section of, double scale) {
        return written(part -> part.accumulate(section, source, of, scale));
    }

    /**
     * As {@link RemotePart#replace(long, Span)}.
     *
     * @param offset at which byte of the part
     * @param source the elements
     * @return the request
     */
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
     * @param offset at which byte of the part; unchecked
     * @param target where the elements go; threads of the fabric write to it
     * @return the request
     */
    protected abstract Request read(long offset, MemorySegment target);

    /**
     * What a get of a section ends in.
     *
     * @param section which bytes; unchecked
     * @param target memory
     * @param of where in it they go; unchecked
     * @return the request
     */
    protected abstract Request read(Section section, MemorySegment target, Section of);
}
