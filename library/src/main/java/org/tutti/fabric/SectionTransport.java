/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

import java.lang.foreign.MemorySegment;

import org.tutti.memory.Waiter;

/**
 * A transport that also moves sections: bytes in many runs, several in a frame, and gets of which several may be on
 * their way. Remote memory is made of it. What holds for calls of a {@link Transport} holds for these.
 */
public interface SectionTransport extends Transport {
    /** Says that too many requests are unanswered. */
    int NO_PLACE = -2;

    /** Says that bytes are put, not sent as active messages. */
    int PUT = -1;

    /**
     * {@return the most bytes of several runs that go together, with their description; the same at every process of a
     * job}
     */
    int packedBytesMax();

    /**
     * {@return the most bytes of the description of several runs that are asked for together, 8 for each run of a
     * vector; the same at every process of a job}
     */
    int requestBytesMax();

    /**
     * Sends all bytes of a transfer, a frame for each piece, so that native memory goes to the wire from where it lies,
     * and from the wire to where it belongs, as far as the fabric can do that. Where the region or a range is not
     * allowed, or makes no sense for the {@link RegionHandler} there, that piece is dropped there, and counted.
     *
     * @param process the other process
     * @param region the region's handle
     * @param pieces which bytes; they are behind it when this returns
     * @param operation {@link #PUT}, or what the region's {@link RegionHandler} is to do with each piece, once, as it
     *            arrives: 0 to {@link Short#MAX_VALUE}; pieces are cut at multiples of 64 bytes only
     * @param argument0 goes with an active message
     * @param argument1 goes with an active message, too
     * @param check is asked now and then, should the call have to wait for room; throws to end it
     * @return whether the process was there
     */
    boolean send(int process, long region, SectionPieces pieces, int operation, long argument0, long argument1,
            Waiter.Check check);

    /**
     * Sends the next bytes of a transfer, many runs in a frame, and begins to write them to the wire if more are to
     * follow; the last ones are under way when {@link #flush} has been called. A frame is dropped there as a whole, and
     * counted, where any of its runs is not allowed.
     *
     * @param process the other process
     * @param region the region's handle
     * @param pieces which bytes; as many as were sent are behind it when this returns
     * @param bytes how many, 1 to {@link #packedBytesMax}; fewer are sent if they and their description do not fit
     *            into one frame (with several rails: one for each)
     * @param operation as for {@link #send}
     * @param argument0 goes with an active message
     * @param argument1 goes with an active message, too
     * @param check is asked now and then, should the call have to wait for room; throws to end it
     * @return whether the process was there
     */
    boolean sendPacked(int process, long region, SectionPieces pieces, long bytes, int operation, long argument0,
            long argument1, Waiter.Check check);

    /**
     * Asks for the next bytes of a transfer, so that several requests may be on their way. They come one after the
     * other into one range. Each request must be awaited or forgotten. Of the places for requests some are kept for
     * calls that wait, so these never depend on somebody who has asked and does not await.
     *
     * @param process the other process
     * @param region the region's handle
     * @param pieces which bytes; those that were asked for are behind its place in the part when this returns, and not
     *            behind that in the caller's memory
     * @param bytes how many, 1 or more; if they lie in several runs at most {@link #packedBytesMax}, and fewer are
     *            asked for when their description becomes too long
     * @param target where the bytes go
     * @param targetOffset at which byte
     * @param waits whether to wait for a place for the request: for those who have no request unanswered themselves
     * @param check is asked now and then, should the call have to wait; throws to end it
     * @return the request, 0 or more; {@link #NO_PLACE} when too many are unanswered; −1 when the process is gone
     */
    int beginGet(int process, long region, SectionPieces pieces, long bytes, MemorySegment target, long targetOffset,
            boolean waits, Waiter.Check check);

    /**
     * Waits until bytes that were asked for are here; the request ends, also by an exception.
     *
     * @param process the other process
     * @param request what {@link #beginGet} has returned
     * @param check is asked now and then; throws to end the wait
     * @return whether the process was there
     * @throws IndexOutOfBoundsException when the other process refuses: no such region, or out of its bounds
     */
    boolean awaitGet(int process, int request, Waiter.Check check);

    /**
     * Tells whether {@link #awaitGet} would not have to wait; never waits itself.
     *
     * @param process the other process
     * @param request what {@link #beginGet} has returned, neither awaited nor forgotten yet
     * @return whether the bytes are here, or were refused, or will never come
     */
    boolean isAnswered(int process, int request);

    /**
     * Gives up bytes that were asked for: when this returns, nobody writes to their target any more.
     *
     * @param process the other process
     * @param request what {@link #beginGet} has returned
     */
    void forgetGet(int process, int request);
}
