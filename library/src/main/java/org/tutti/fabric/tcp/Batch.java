/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * A batch of frames that a rail writes to its connection with one system call. The bytes that are left in the rail's
 * buffer are written first, then the header and the payload of each frame. Payloads are written from where they lie,
 * without a copy. Guarded by the peer's sending lock, which is held from the beginning of a batch to its end.
 */
final class Batch {
    /** The most frames of a batch. */
    static final int FRAMES_MAX = 16;

    private final ByteBuffer headers = FrameLayout.buffer(FRAMES_MAX * FrameLayout.HEADER_BYTES);
    private final ByteBuffer[] buffers = new ByteBuffer[1 + 2 * FRAMES_MAX];
    private final MemoryViews views = new MemoryViews(FRAMES_MAX);
    private ByteBuffer[] payloads;
    private int frames;

    /**
     * Creates a batch, which is used again and again.
     *
     * @param left the rest of the rail's buffer, which is written first
     */
    Batch(ByteBuffer left) {
        buffers[0] = left;
        for (int i = 0; i < FRAMES_MAX; i++) {
            buffers[1 + 2 * i] = headers.duplicate();
        }
    }

    /** Begins a batch of frames with payloads in the same memory. */
    void begin(MemorySegment source) {
        assert payloads == null : "a batch of " + frames + " frames has not ended";
        payloads = views.of(source);
        headers.clear();
        frames = 0;
    }

    /** Adds a frame. Its payload is at an offset in the memory with which the batch was begun. */
    void add(Frame frame, long sourceOffset) {
        assert frames < FRAMES_MAX && FrameLayout.isPlausible(frame)
                : "frame " + frame.number + " of kind " + frame.kind
                        + " with " + frame.length + " bytes, after " + frames;
        FrameLayout.write(headers, frame);
        buffers[1 + 2 * frames].limit(headers.position()).position(headers.position() - FrameLayout.HEADER_BYTES);
        buffers[2 + 2 * frames] =
                payloads[frames].limit((int) sourceOffset + frame.length).position((int) sourceOffset);
        frames++;
    }

    /** Writes as much of the batch as the wire takes. Returns whether the wire took anything. */
    boolean write(Wire wire) throws IOException {
        return wire.write(buffers, 1 + 2 * frames) > 0;
    }

    boolean isWritten() {
        return !buffers[2 * frames].hasRemaining();
    }

    /** Ends the batch, and appends the unwritten rest of all frames to a buffer, which must have room for it. */
    void endWhole(ByteBuffer out) {
        for (int i = 0; i < frames; i++) {
            out.put(buffers[1 + 2 * i]).put(buffers[2 + 2 * i]);
            buffers[2 + 2 * i] = null;
        }
        payloads = null;
    }

    /**
     * Ends the batch. If a frame was written in part, its rest is appended to a buffer. Frames of which no byte was
     * written are dropped, and their number is returned.
     */
    int end(ByteBuffer out) {
        int dropped = 0;
        for (int i = 0; i < frames; i++) {
            ByteBuffer header = buffers[1 + 2 * i];
            ByteBuffer payload = buffers[2 + 2 * i];
            if (header.remaining() == FrameLayout.HEADER_BYTES) {
                dropped++;
            } else if (header.hasRemaining() || payload.hasRemaining()) {
                out.put(header).put(payload);
            }
            buffers[2 + 2 * i] = null;
        }
        payloads = null;
        return dropped;
    }
}
