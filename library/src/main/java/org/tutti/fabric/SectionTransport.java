/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

import java.lang.foreign.MemorySegment;

import org.tutti.memory.Waiter;

/**
 * A transport that also moves sections, for remote memory: it packs many runs into a frame, and keeps several gets in
 * flight. The rules of {@link Transport} hold for these calls, too.
 */
public interface SectionTransport extends Transport {
    /** The result of {@link #beginGet} when too many requests are unanswered. */
    int NO_ENTRY = -2;

    /** The operation of bytes that are put, not sent as active messages. */
    int PUT = -1;

    /**
     * {@return the most bytes of a frame with several runs, their description included; the same in every process of a
     * job}
     */
    int packedBytesMax();

    /**
     * {@return the most bytes of the description in a request for several runs, 8 for each run of a vector; the same in
     * every process of a job}
     */
    int requestBytesMax();

    /**
     * Sends all bytes of a transfer, each piece in frames of its own. As far as the fabric can, native memory goes to
     * the wire without a copy, and from the wire to its target. The target drops and counts a piece if it does not
     * allow the region or the range, or if the region's {@link RegionHandler} does not accept the piece.
     *
     * @param process the other process
     * @param region the region's handle
     * @param pieces the transfer; all its bytes are sent when this method returns
     * @param operation {@link #PUT}, or the operation of an active message, 0 to {@link Short#MAX_VALUE}. The region's
     *            {@link RegionHandler} handles each piece once, when it arrives; pieces are cut at multiples of 64
     *            bytes only
     * @param argument0 the first argument of an active message
     * @param argument1 the second argument of an active message
     * @param check called at intervals while the call waits for room; throws to end it
     * @return true, or false if the other process is gone
     */
    boolean send(int process, long region, SectionPieces pieces, int operation, long argument0, long argument1,
            Waiter.Check check);

    /**
     * Sends the next bytes of a transfer, many runs in a frame. The call begins to write them to the wire if the
     * transfer has more bytes; the last ones are under way when {@link #flush} returns. The target drops and counts a
     * whole frame if it does not allow one of the frame's runs.
     *
     * @param process the other process
     * @param region the region's handle
     * @param pieces the transfer; it has moved past the sent bytes when this method returns
     * @param bytes the number of bytes, 1 to {@link #packedBytesMax}; fewer are sent if they and their description do
     *            not fit into one frame (with several rails, into one frame for each rail)
     * @param operation as for {@link #send}
     * @param argument0 the first argument of an active message
     * @param argument1 the second argument of an active message
     * @param check called at intervals while the call waits for room; throws to end it
     * @return true, or false if the other process is gone
     */
    boolean sendPacked(int process, long region, SectionPieces pieces, long bytes, int operation, long argument0,
            long argument1, Waiter.Check check);

    /**
     * Requests the next bytes of a transfer, so that several requests may be in flight. The bytes arrive contiguously
     * in the target. Every request must be awaited or forgotten. Some entries of the table of requests are reserved for
     * calls that wait, so a waiting call never depends on a caller that has sent requests and does not await them.
     *
     * @param process the other process
     * @param region the region's handle
     * @param pieces the transfer; when this method returns, its position in the part has moved past the requested
     *            bytes, and its position in the caller's memory has not
     * @param bytes the number of bytes, 1 or more. If they lie in several runs, at most {@link #packedBytesMax}, and
     *            fewer are requested when their description becomes too long
     * @param target the memory for the bytes
     * @param targetOffset the offset of the bytes in the target
     * @param waits whether to wait for a free entry; only a caller without unanswered requests may wait
     * @param check called at intervals while the call waits; throws to end it
     * @return the request, 0 or more; {@link #NO_ENTRY} when too many are unanswered; −1 when the process is gone
     */
    int beginGet(int process, long region, SectionPieces pieces, long bytes, MemorySegment target, long targetOffset,
            boolean waits, Waiter.Check check);

    /**
     * Waits until requested bytes have arrived. The request has ended when this method returns or throws.
     *
     * @param process the other process
     * @param request the result of {@link #beginGet}
     * @param check called at intervals; throws to end the wait
     * @return true, or false if the other process is gone
     * @throws IndexOutOfBoundsException if the other process refuses, because it has no such region or the range is not
     *            inside it
     */
    boolean awaitGet(int process, int request, Waiter.Check check);

    /**
     * Returns whether {@link #awaitGet} would return without waiting; never waits.
     *
     * @param process the other process
     * @param request the result of {@link #beginGet}, neither awaited nor forgotten
     * @return whether the bytes have arrived, were refused, or will never arrive
     */
    boolean isAnswered(int process, int request);

    /**
     * Gives up a request: when this method returns, no thread writes to the request's target any more.
     *
     * @param process the other process
     * @param request the result of {@link #beginGet}
     */
    void forgetGet(int process, int request);
}
