/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * Accesses the part of remote memory at one rank by non-blocking calls. The methods have the same names and arguments
 * as those of {@link RemotePart}, but each call returns a {@link Request}.
 *
 * <p><b>Gets.</b> The request of a get is done when the elements have arrived. Until then the program must not access
 * the target. A get moves its bytes by the protocol of the blocking get ({@link TransferProtocol}).
 *
 * <p><b>Puts.</b> The request of a put, an accumulate or a replacement is done when the network has taken the bytes.
 * Until then the program must not change the source. The bytes are visible at the target only after a fence, as for
 * {@code RemotePart}; a fence also waits for requests that are not done. A call with at most {@value
 * #AT_ONCE_BYTES_MAX} bytes is done when it returns, if all earlier puts into the same part are done. A call whose
 * source is memory of a confined arena, which only the calling thread can read, is also done when it returns. Both
 * kinds of calls wait for room in a send buffer if necessary. Any other call returns immediately, and a virtual thread
 * passes the bytes on.
 *
 * <p><b>Order.</b> Blocking and non-blocking calls of this rank on one part start in the order of the program. A call
 * therefore waits for the puts into the same part that are not done. A get whose request is not done may read bytes of
 * a later put.
 *
 * <p>For a rank of this node every request is done when the call returns. At most {@value #IN_FLIGHT_MAX} calls for a
 * memory may be in flight to other nodes. The next call waits until an earlier one is done. If the network has no room
 * for a get, the call waits for an earlier one, or completes the get itself if there is none.
 *
 * <p>The call itself throws the exceptions for invalid arguments. A deadline of the memory counts from the call. After
 * the deadline, the request ends as soon as a thread asks whether it is done or waits for it. An interrupt of a waiting
 * thread does not end the request. Closing the memory waits for all requests. Any number of threads may use this object
 * at the same time.
 */
public abstract class NonBlockingPart {
    /** The greatest number of non-blocking calls of this rank that are in flight to other nodes, for one memory. */
    public static final int IN_FLIGHT_MAX = 64;

    /**
     * The greatest number of bytes of a put, an accumulate or a replacement that is done when it returns, if no earlier
     * put into the same part is in flight.
     */
    public static final int AT_ONCE_BYTES_MAX = 256 << 10;

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
        return written(source.segment(), part -> part.put(offset, source));
    }

    // as in RemotePart
    public Request put(long offset, MemorySegment source) {
        return written(source, part -> part.put(offset, source));
    }

    // as in RemotePart
    public Request put(Section section, Span source, Section of) {
        return written(source.segment(), of.bytes(), part -> part.put(section, source, of));
    }

    // as in RemotePart
    public Request putNotify(long offset, Span source, int notification) {
        return written(source.segment(), part -> part.putNotify(offset, source, notification));
    }

    // as in RemotePart
    public Request putNotify(long offset, MemorySegment source, int notification) {
        return written(source, part -> part.putNotify(offset, source, notification));
    }

    // as in RemotePart
    public Request putNotify(Section section, Span source, Section of, int notification) {
        return written(source.segment(), of.bytes(), part -> part.putNotify(section, source, of, notification));
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
        return written(source.segment(), part -> part.accumulate(offset, source, reduction));
    }

    // as in RemotePart
    public Request accumulate(long offset, Span source, double scale) {
        return written(source.segment(), part -> part.accumulate(offset, source, scale));
    }

    // as in RemotePart
    public Request accumulate(Section section, Span source, Section of, double scale) {
        return written(source.segment(), of.bytes(), part -> part.accumulate(section, source, of, scale));
    }

    // as in RemotePart
    public Request accumulate(Section section, Span source, Section of, Reduction reduction) {
        return written(source.segment(), of.bytes(), part -> part.accumulate(section, source, of, reduction));
    }

    // as in RemotePart
    public Request accumulateComplex(long offset, Span source, double real, double imaginary) {
        return written(source.segment(), part -> part.accumulateComplex(offset, source, real, imaginary));
    }

    // as in RemotePart
    public Request accumulateComplex(Section section, Span source, Section of, double real, double imaginary) {
        return written(source.segment(), of.bytes(),
                part -> part.accumulateComplex(section, source, of, real, imaginary));
    }

    // as in RemotePart
    public Request replace(Section section, Span source, Section of) {
        return written(source.segment(), of.bytes(), part -> part.replace(section, source, of));
    }

    // as in RemotePart
    public Request replace(long offset, Span source) {
        return written(source.segment(), part -> part.replace(offset, source));
    }

    private Request written(MemorySegment source, Consumer<RemotePart> call) {
        return written(source, source.byteSize(), call);
    }

    /**
     * Makes or starts a call that writes to the part. All puts, accumulates and replacements end here.
     *
     * @param source the memory with the bytes to write
     * @param bytes the number of bytes to write
     * @param call the call, which receives the part on which to operate; this method checks the arguments
     * @return the request
     */
    protected abstract Request written(MemorySegment source, long bytes, Consumer<RemotePart> call);

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
