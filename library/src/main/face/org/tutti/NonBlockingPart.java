/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * Accesses the part of remote memory at one rank by non-blocking calls. The methods have the same names and arguments
 * as those of {@link RemotePart}, but each call returns a {@link Request}.
 *
 * <p><b>Gets.</b> The request of a get is done when the elements have arrived. Until then the program must not access
 * the target. Several gets may be in flight at the same time, with at most {@value #IN_FLIGHT_MAX} runs of contiguous
 * bytes for a memory. If a call exceeds this number, it waits until earlier runs are done. If there are no earlier
 * runs, the call completes the get itself.
 *
 * <p><b>Puts.</b> The request of a put, an accumulate or a replacement is done when the call returns. The source may
 * then be used again, because the call has passed the bytes on to the network, if necessary after it has waited for
 * room in a send buffer. The bytes are visible at the target only after a fence, as for {@code RemotePart}.
 *
 * <p>For a rank of this node every request is done when the call returns. The call itself throws the exceptions for
 * invalid arguments. A deadline of the memory counts from the call. After the deadline, the request ends as soon as a
 * thread asks whether it is done or waits for it. An interrupt of a waiting thread does not end the request. Closing
 * the memory waits for all requests. Any number of threads may use this object at the same time.
 */
public abstract class NonBlockingPart {
    /** The greatest number of runs of bytes that are in flight to this rank from other nodes, for one memory. */
    public static final int IN_FLIGHT_MAX = 64;

    private final ArrayViews<MemorySegment> segments = ArrayViews.segments(ArrayViews.REMEMBERED);

    /**
     * Constructor for Tutti's own implementation only.
     */
    protected NonBlockingPart() {}

    /**
     * {@return a view with the same calls, whose offsets count elements as in {@link RemotePart#elements}}
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
     * Makes a call that writes to the part. Its request is done when this method returns, unless the call belongs to an
     * aggregate. All puts, accumulates and replacements end here.
     *
     * @param call the call, which receives the part on which to operate
     * @return the request
     */
    protected abstract Request written(Consumer<RemotePart> call);

    /**
     * Starts to copy consecutive elements of the part into local memory, and returns a request that is done when they
     * have arrived. All public forms of get for a range end here.
     *
     * @param offset the offset of the first element in the part; this method checks it
     * @param target the local memory that receives the elements; threads of the network write to it
     * @param type the type of the elements
     * @return the request, done when the elements have arrived
     */
    protected abstract Request read(long offset, MemorySegment target, DataType type);

    /**
     * Starts to copy a section, a sequence of runs of bytes, of the part into local memory. Returns a request that is
     * done when the bytes have arrived.
     *
     * @param section the bytes of the part to read; this method checks them
     * @param target the local memory that receives the bytes
     * @param of the bytes of the target to write; this method checks them
     * @param type the type of the elements
     * @return the request, done when the bytes have arrived
     */
    protected abstract Request read(Section section, MemorySegment target, Section of, DataType type);
}
