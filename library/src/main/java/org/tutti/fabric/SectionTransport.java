/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

import java.lang.foreign.MemorySegment;

import org.tutti.memory.Waiter;

/**
 * A transport that also moves sections of memory, as remote memory needs it. The bytes of a section need not be
 * contiguous. A section consists of runs, each of which is contiguous bytes. The transport packs many runs into one
 * frame, the unit that it sends. Several gets may be in flight at the same time. The rules of {@link Transport} about
 * ordering, checks and completion hold for these calls, too.
 */
public interface SectionTransport extends Transport {
    /** The result of {@link #beginGet} if too many requests are unanswered. */
    int NO_ENTRY = -2;

    /** The operation of a put. Its bytes are written to the region, and are not handled as an active message. */
    int PUT = -1;

    /**
     * {@return the most payload bytes of a frame that carries several runs of a section, together with the description
     * of the runs; all processes of a job have the same value}
     */
    int packedBytesMax();

    /**
     * {@return the most bytes of the description in a request for several runs of a section; a list of runs takes 8
     * bytes for each run, and all processes of a job have the same value}
     */
    int requestBytesMax();

    /**
     * Sends all bytes of a transfer to a region of another process. A piece of the transfer is contiguous in both
     * memories, and travels in frames of its own. If possible, the fabric writes native memory to the wire without a
     * copy, and the target reads the bytes from the wire without a copy. The target drops and counts a piece if it has
     * no such region, if the region does not contain the range, or if the region's {@link RegionHandler} does not
     * accept the piece.
     *
     * @param process the first rank of the other process
     * @param region the handle of the region in the other process
     * @param pieces the transfer; all its bytes are sent when this method returns
     * @param operation {@link #PUT}, or the operation of an active message, 0 to {@link Short#MAX_VALUE}. The region's
     *            {@link RegionHandler} handles each frame of an active message once, when the frame arrives. A long
     *            piece is cut into frames only at multiples of 64 bytes
     * @param argument0 the first argument of an active message
     * @param argument1 the second argument of an active message
     * @param check called at intervals while the call waits for room; ends the call by throwing an exception
     * @return true, or false if the other process is gone
     */
    boolean send(int process, long region, SectionPieces pieces, int operation, long argument0, long argument1,
            Waiter.Check check);

    /**
     * Sends the next bytes of a transfer to a region of another process, with many runs of contiguous bytes in each
     * frame. If the transfer has more bytes, this method also begins to write the frames to the wire. The last bytes of
     * a transfer may stay in a buffer of this process, and are under way when {@link #flush} has returned. If the
     * region does not contain one run of a frame, or its {@link RegionHandler} does not accept the run, the target
     * drops and counts the whole frame.
     *
     * @param process the first rank of the other process
     * @param region the handle of the region in the other process
     * @param pieces the transfer; when this method returns, its positions have moved past the sent bytes
     * @param bytes the number of bytes, 1 to {@link #packedBytesMax}. Fewer bytes are sent if they and their
     *            description do not fit into one frame; with several rails, into one frame for each rail
     * @param operation {@link #PUT}, or the operation of an active message, as for {@link #send}
     * @param argument0 the first argument of an active message
     * @param argument1 the second argument of an active message
     * @param check called at intervals while the call waits for room; ends the call by throwing an exception
     * @return true, or false if the other process is gone
     */
    boolean sendPacked(int process, long region, SectionPieces pieces, long bytes, int operation, long argument0,
            long argument1, Waiter.Check check);

    /**
     * Requests the next bytes of a transfer from a region of another process. This method does not wait for the answer,
     * so several requests may be in flight. The bytes arrive contiguously in the target. Every request must end with
     * {@link #awaitGet} or {@link #forgetGet}. Unanswered requests are kept in a table. Some of its entries are
     * reserved for calls that wait, so such a call never depends on a caller that has sent requests and does not await
     * them.
     *
     * @param process the first rank of the other process
     * @param region the handle of the region in the other process
     * @param pieces the transfer; when this method returns, its position in the part has moved past the requested
     *            bytes, and its position in the caller's memory has not
     * @param bytes the number of bytes, 1 or more. If the bytes lie in several runs, the number is at most {@link
     *            #packedBytesMax}, and fewer bytes are requested if their description becomes too long
     * @param target the memory for the bytes
     * @param targetOffset the offset of the bytes in the target
     * @param waits whether to wait for a free entry of the table; only a caller without unanswered requests may wait
     * @param check called at intervals while the call waits; ends the call by throwing an exception
     * @return the request, 0 or more; {@link #NO_ENTRY} if too many requests are unanswered; −1 if the process is gone
     */
    int beginGet(int process, long region, SectionPieces pieces, long bytes, MemorySegment target, long targetOffset,
            boolean waits, Waiter.Check check);

    /**
     * Waits until the bytes of a request have arrived in its target. The request has ended when this method returns or
     * throws.
     *
     * @param process the first rank of the other process
     * @param request the result of {@link #beginGet}
     * @param check called at intervals; ends the wait by throwing an exception
     * @return true, or false if the other process is gone
     * @throws IndexOutOfBoundsException if the other process has no such region, or the region does not contain the
     *            range
     */
    boolean awaitGet(int process, int request, Waiter.Check check);

    /**
     * Returns whether a request is answered, so that {@link #awaitGet} would end without waiting. This method never
     * waits.
     *
     * @param process the first rank of the other process
     * @param request the result of {@link #beginGet}, neither awaited nor forgotten
     * @return whether the bytes have arrived, were refused, or will never arrive
     */
    boolean isAnswered(int process, int request);

    /**
     * Abandons a request for bytes, so that its answer will be dropped. When this method returns, no thread writes to
     * the request's target any more.
     *
     * @param process the first rank of the other process
     * @param request the result of {@link #beginGet}
     */
    void forgetGet(int process, int request);
}
