/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Copies of the frames that have been sent and not yet been counted by the other side: when a rail is lost, its frames
 * go again on the others. Only pairs of processes with several rails have one. A ring of {@value #BYTES} bytes and
 * {@value #FRAMES_MAX} frames, whichever is full first. Guarded by the peer's sending lock.
 */
final class Retention {
    /** The most frames that may be uncounted. */
    static final int FRAMES_MAX = 1024;

    /** The memory for them. */
    static final int BYTES = 2 << 20;

    /** The frame is on no rail, and has to be sent again. */
    private static final byte NOWHERE = -1;

    private final ByteBuffer ring = ByteBuffer.allocateDirect(BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final MemorySegment segment = MemorySegment.ofBuffer(ring);
    private final long[] starts = new long[FRAMES_MAX];
    private final byte[] rails = new byte[FRAMES_MAX];
    private final Frame again = new Frame();
    private long end;

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

    /** Keeps a frame, for which there is room. */
    void keep(Frame frame, MemorySegment source, long sourceOffset, int rail) {
        int bytes = FrameLayout.HEADER_BYTES + frame.length;
        long start = start(end, bytes);
        int place = place(frame.number);
        starts[place] = start;
        rails[place] = (byte) rail;
        ring.clear().position((int) (start % BYTES));
        FrameLayout.write(ring, frame);
        if (frame.length > 0) {
            MemorySegment.copy(source, sourceOffset, segment, ring.position(), frame.length);
        }
        end = start + bytes;
    }

    /**
     * Sends those frames again whose rail is lost, on others.
     *
     * @param all the rails
     * @param first the first uncounted frame
     * @param last the last one that was sent
     * @param received the count that goes with them
     * @return whether there was room for all
     */
    boolean resend(Rail[] all, long first, long last, long received) {
        for (long number = first; number <= last; number++) {
            int on = rails[place(number)];
            if (on == NOWHERE || all[on].isLost()) {
                rails[place(number)] = NOWHERE;
                header(number, again);
                Rail rail = Rail.aliveWithRoom(all, FrameLayout.HEADER_BYTES + again.length);
                if (rail == null) {
                    return false;
                }
                again.count = received;
                rail.append(again, segment, payload(number));
                rails[place(number)] = (byte) rail.index();
            }
        }
        return true;
    }

    /** Reads the header of a frame that is kept. */
    void header(long number, Frame frame) {
        ring.clear().position((int) (starts[place(number)] % BYTES));
        FrameLayout.read(ring, frame);
    }

    MemorySegment segment() {
        return segment;
    }

    long payload(long number) {
        return starts[place(number)] % BYTES + FrameLayout.HEADER_BYTES;
    }
}
