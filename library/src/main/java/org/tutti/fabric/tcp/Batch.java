/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * A batch of frames that a rail writes to its connection. The bytes that are left in the rail's buffer are written
 * first, then the header and the payload of each frame. Payloads are written from where they lie, without a copy. With
 * payloads in native memory, one system call writes the whole batch. With payloads in the Java heap, each header and
 * each payload takes a call, because an array has no address outside a call. Few bytes that are left are copied in
 * front of the first header and take no call. Guarded by the peer's sending lock, which is held from the beginning of a
 * batch to its end.
 */
final class Batch {
    /** The most frames of a batch. */
    static final int FRAMES_MAX = 16;

    /**
     * The most bytes that are copied in front of the first header. TCP would send a packet for a word that is written
     * by a call of its own.
     */
    private static final int LEFT_BYTES_MAX = 4 * FrameLayout.HEADER_BYTES;

    /** The bytes of direct memory that a batch takes. */
    static final int BYTES = LEFT_BYTES_MAX + FRAMES_MAX * FrameLayout.HEADER_BYTES;

    private final ByteBuffer headers = FrameLayout.buffer(BYTES);
    private final ByteBuffer[] buffers = new ByteBuffer[1 + 2 * FRAMES_MAX];
    private final MemoryViews views = new MemoryViews(FRAMES_MAX);
    private ByteBuffer[] payloads; // null if the payloads lie in the Java heap
    private final MemorySegment headerMemory = MemorySegment.ofBuffer(headers);
    private MemorySegment array; // null if the payloads lie in native memory
    private final long[] arrayAt = new long[FRAMES_MAX];
    private final int[] arrayLeft = new int[FRAMES_MAX];
    private int frames;

    /**
     * Creates a batch, which is used again and again.
     */
    Batch() {
        for (int i = 0; i < FRAMES_MAX; i++) {
            buffers[1 + 2 * i] = headers.duplicate();
        }
    }

    /**
     * Begins a batch of frames with payloads in the same memory.
     *
     * @param left the bytes that are left in the rail's buffer
     * @param source the memory of the payloads
     */
    void begin(ByteBuffer left, MemorySegment source) {
        assert payloads == null && array == null : "a batch of " + frames + " frames has not ended";
        if (source.isNative()) {
            payloads = views.of(source);
        } else {
            array = source;
        }
        buffers[0] = left;
        headers.clear().position(LEFT_BYTES_MAX);
        frames = 0;
    }

    /** Adds a frame. Its payload is at an offset in the memory with which the batch was begun. */
    void add(Frame frame, long sourceOffset) {
        assert frames < FRAMES_MAX && FrameLayout.isPlausible(frame)
                : "frame " + frame.number + " of kind " + frame.kind
                        + " with " + frame.length + " bytes, after " + frames;
        FrameLayout.write(headers, frame);
        buffers[1 + 2 * frames].limit(headers.position()).position(headers.position() - FrameLayout.HEADER_BYTES);
        if (array == null) {
            buffers[2 + 2 * frames] =
                    payloads[frames].limit((int) sourceOffset + frame.length).position((int) sourceOffset);
        } else {
            arrayAt[frames] = sourceOffset;
            arrayLeft[frames] = frame.length;
        }
        frames++;
    }

    /** Writes as much of the batch as the wire takes. Returns whether the wire took anything. */
    boolean write(Wire wire) throws IOException {
        return array == null ? wire.write(buffers, 1 + 2 * frames) > 0 : writeArray(wire);
    }

    private boolean writeArray(Wire wire) throws IOException {
        boolean any = buffers[0].remaining() > LEFT_BYTES_MAX && wire.write(buffers[0]) > 0;
        boolean isFull = buffers[0].remaining() > LEFT_BYTES_MAX;
        for (int i = 0; i < frames && !isFull; i++) {
            ByteBuffer header = buffers[1 + 2 * i];
            if (header.hasRemaining()) {
                any |= writeHeader(wire, header);
                isFull = header.hasRemaining();
            }
            while (arrayLeft[i] > 0 && !isFull) {
                int written = wire.write(array, arrayAt[i], arrayLeft[i], i < frames - 1);
                arrayAt[i] += written;
                arrayLeft[i] -= written;
                any |= written > 0;
                isFull = written == 0;
            }
        }
        return any;
    }

    /** Writes the bytes that are left in the rail's buffer, if there are any, and the rest of a header. */
    private boolean writeHeader(Wire wire, ByteBuffer header) throws IOException {
        ByteBuffer left = buffers[0];
        int before = left.remaining();
        int from = header.position() - before;
        assert before == 0 || header.position() == LEFT_BYTES_MAX : before + " bytes are left, and a header was begun";
        headers.put(from, left, left.position(), before);
        int written = wire.write(headerMemory, from, before + header.remaining(), true);
        int ofLeft = Math.min(written, before);
        left.position(left.position() + ofLeft);
        header.position(header.position() + written - ofLeft);
        return written > 0;
    }

    boolean isWritten() {
        return !hasPayloadLeft(frames - 1);
    }

    private boolean hasPayloadLeft(int frame) {
        return payloadLeft(frame) > 0;
    }

    private int payloadLeft(int frame) {
        return array == null ? buffers[2 + 2 * frame].remaining() : arrayLeft[frame];
    }

    private boolean isBegunOnly(int frame) {
        int header = buffers[1 + 2 * frame].remaining();
        return header < FrameLayout.HEADER_BYTES && (header > 0 || hasPayloadLeft(frame));
    }

    /** Returns the number of bytes that {@link #copyRest} copies. */
    int restBytes() {
        for (int i = 0; i < frames; i++) {
            if (isBegunOnly(i)) {
                return buffers[1 + 2 * i].remaining() + payloadLeft(i);
            }
        }
        return 0;
    }

    /**
     * Appends the unwritten rest of the frame that was written in part, if there is one, to a buffer. Returns the
     * number of frames of which no byte was written.
     */
    int copyRest(ByteBuffer out) {
        int unwritten = 0;
        for (int i = 0; i < frames; i++) {
            if (buffers[1 + 2 * i].remaining() == FrameLayout.HEADER_BYTES) {
                unwritten++;
            } else if (isBegunOnly(i)) {
                copyRest(i, out);
            }
        }
        return unwritten;
    }

    /** Appends the unwritten rest of all frames to a buffer, which must have room for it. */
    void copyWhole(ByteBuffer out) {
        for (int i = 0; i < frames; i++) {
            copyRest(i, out);
        }
    }

    private void copyRest(int frame, ByteBuffer out) {
        out.put(buffers[1 + 2 * frame]);
        if (array == null) {
            out.put(buffers[2 + 2 * frame]);
        } else {
            MemorySegment.copy(array, arrayAt[frame], MemorySegment.ofBuffer(out), 0, arrayLeft[frame]);
            out.position(out.position() + arrayLeft[frame]);
        }
    }

    /** Ends the batch, which then refers to no memory. */
    void end() {
        buffers[0] = null;
        for (int i = 0; i < frames; i++) {
            buffers[2 + 2 * i] = null;
        }
        payloads = null;
        array = null;
    }
}
