/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Copies of the frames that have been sent and not yet been counted by the other side: when a rail is lost, its frames
 * go again on the others. Long payloads go from here the first time, too: what is here stays as it is until it is
 * counted, while a caller's memory may change as soon as its call returns. Only pairs of processes with several rails
 * have one. A ring of {@value #BYTES} bytes and {@value #FRAMES_MAX} frames, whichever is full first. Guarded by the
 * peer's sending lock.
 */
final class RetransmitBuffer {
    /** The most frames that may be uncounted. */
    static final int FRAMES_MAX = 1024;

    /** The memory for them. */
    static final int BYTES = 2 << 20;

    /** The frame is on no rail, and has to be sent again. */
    static final byte NOWHERE = -1;

    private final ByteBuffer ring = FrameLayout.buffer(BYTES);
    private final MemorySegment segment = MemorySegment.ofBuffer(ring);
    private final long[] starts = new long[FRAMES_MAX];
    private final byte[] rails = new byte[FRAMES_MAX];
    private long end;
    private long kept; // the last frame; only assertions look

    private static int place(long number) {
        return (int) (number % FRAMES_MAX);
    }

    private static long start(long end, int bytes) {
        long untilWrap = BYTES - end % BYTES;
        return bytes <= untilWrap ? end : end + untilWrap;
    }

    /** Whether a frame of so many bytes can be kept besides those from the first uncounted one on. */
    boolean hasRoom(int bytes, long firstUncounted, long next) {
        if (firstUncounted == next) {
            return true;
        }
        return next - firstUncounted < FRAMES_MAX && start(end, bytes) + bytes <= starts[place(firstUncounted)] + BYTES;
    }

    /** Where the payload of the next frame goes, if it is that long and there is room for it. */
    long nextPayload(int length) {
        return start(end, FrameLayout.HEADER_BYTES + length) % BYTES + FrameLayout.HEADER_BYTES;
    }

    /** Keeps a frame whose payload has been written there. */
    void keep(Frame frame, int rail) {
        assert follows(frame.number) : "frame " + frame.number + " is kept after another one";
        assert FrameLayout.isPlausible(frame) && rail >= 0
                : "frame " + frame.number + " of kind " + frame.kind + " with "
                        + frame.length + " bytes, on rail " + rail;
        int bytes = FrameLayout.HEADER_BYTES + frame.length;
        long start = start(end, bytes);
        int place = place(frame.number);
        starts[place] = start;
        rails[place] = (byte) rail;
        ring.clear().position((int) (start % BYTES));
        FrameLayout.write(ring, frame);
        end = start + bytes;
    }

    /** Whether no frame is missing before it; for assertions. */
    private boolean follows(long number) {
        boolean follows = kept == 0 || number == kept + 1;
        kept = number;
        return follows;
    }

    /** Whether a frame is one of the last that were kept; for assertions. */
    private boolean isKept(long number) {
        return number > 0 && number <= kept && kept - number < FRAMES_MAX;
    }

    int rail(long number) {
        return rails[place(number)];
    }

    void setRail(long number, int rail) {
        assert isKept(number) : "frame " + number + " goes to rail " + rail + ", and the last that was kept is " + kept;
        rails[place(number)] = (byte) rail;
    }

    /** Reads the header of a frame that is kept. */
    void header(long number, Frame frame) {
        ring.clear().position((int) (starts[place(number)] % BYTES));
        FrameLayout.read(ring, frame);
        assert isKept(number) && frame.number == number : "frame " + frame.number + " is kept where " + number
                + " should be, and " + kept + " is the last";
    }

    MemorySegment segment() {
        return segment;
    }

    long payload(long number) {
        return starts[place(number)] % BYTES + FrameLayout.HEADER_BYTES;
    }
}
