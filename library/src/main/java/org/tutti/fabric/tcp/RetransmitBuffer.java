/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Keeps copies of the frames that the other side has not acked as received. When a rail, one of several connections of
 * a pair of processes, is lost, its frames are retransmitted on the other rails. A long payload is sent from this
 * buffer the first time, too. The copy stays unchanged until it is acked, while the memory of a caller may change as
 * soon as its call returns. A pair of processes with a single rail has no such buffer. The buffer is a ring of {@value
 * #BYTES} bytes and {@value #FRAMES_MAX} frames, and either limit may be reached first. Guarded by the peer's sending
 * lock.
 */
final class RetransmitBuffer {
    /** The most frames that may be unacked. */
    static final int FRAMES_MAX = 1024;

    /** The size of the buffer in bytes. */
    static final int BYTES = 2 << 20;

    /** The rail number of a frame that is under way on no rail and must be retransmitted. */
    static final byte NOWHERE = -1;

    private final ByteBuffer ring = FrameLayout.buffer(BYTES);
    private final MemorySegment segment = MemorySegment.ofBuffer(ring);
    private final long[] starts = new long[FRAMES_MAX];
    private final byte[] rails = new byte[FRAMES_MAX];
    private long end;
    private long kept; // the last kept frame; only assertions read it

    private static int index(long number) {
        return (int) (number % FRAMES_MAX);
    }

    private static long start(long end, int bytes) {
        long untilWrap = BYTES - end % BYTES;
        return bytes <= untilWrap ? end : end + untilWrap;
    }

    /**
     * Returns whether there is room for one more frame.
     *
     * @param bytes the length of the frame in bytes, header included
     * @param firstUnacked the number of the first frame that is not acked
     * @param next the number of the next frame
     */
    boolean hasRoom(int bytes, long firstUnacked, long next) {
        if (firstUnacked == next) {
            return true;
        }
        return next - firstUnacked < FRAMES_MAX && start(end, bytes) + bytes <= starts[index(firstUnacked)] + BYTES;
    }

    /**
     * Returns the offset in this buffer at which the caller must write the payload of the next frame. There must be
     * room for the frame.
     *
     * @param length the length of the payload in bytes
     */
    long nextPayload(int length) {
        return start(end, FrameLayout.HEADER_BYTES + length) % BYTES + FrameLayout.HEADER_BYTES;
    }

    /**
     * Keeps a frame. The caller must already have written its payload at {@link #nextPayload}. This method writes the
     * header before the payload.
     *
     * @param rail the number of the rail on which the frame is sent
     */
    void keep(Frame frame, int rail) {
        assert follows(frame.number) : "frame " + frame.number + " is kept after another one";
        assert FrameLayout.isPlausible(frame) && rail >= 0
                : "frame " + frame.number + " of kind " + frame.kind + " with "
                        + frame.length + " bytes, on rail " + rail;
        int bytes = FrameLayout.HEADER_BYTES + frame.length;
        long start = start(end, bytes);
        int index = index(frame.number);
        starts[index] = start;
        rails[index] = (byte) rail;
        ring.clear().position((int) (start % BYTES));
        FrameLayout.write(ring, frame);
        end = start + bytes;
    }

    /** Returns whether a frame follows the last kept frame directly. Used only in assertions. */
    private boolean follows(long number) {
        boolean follows = kept == 0 || number == kept + 1;
        kept = number;
        return follows;
    }

    /** Returns whether a frame is still in the buffer. Used only in assertions. */
    private boolean isKept(long number) {
        return number > 0 && number <= kept && kept - number < FRAMES_MAX;
    }

    /** Returns the number of the rail on which a kept frame was sent, or {@link #NOWHERE}. */
    int rail(long number) {
        return rails[index(number)];
    }

    void setRail(long number, int rail) {
        assert isKept(number) : "frame " + number + " goes to rail " + rail + ", and the last that was kept is " + kept;
        rails[index(number)] = (byte) rail;
    }

    /** Reads the header of a kept frame into another frame object. */
    void header(long number, Frame frame) {
        ring.clear().position((int) (starts[index(number)] % BYTES));
        FrameLayout.read(ring, frame);
        assert isKept(number) && frame.number == number : "frame " + frame.number + " is kept where " + number
                + " should be, and " + kept + " is the last";
    }

    MemorySegment segment() {
        return segment;
    }

    /** Returns the offset of a kept frame's payload in the buffer. */
    long payload(long number) {
        return starts[index(number)] % BYTES + FrameLayout.HEADER_BYTES;
    }
}
