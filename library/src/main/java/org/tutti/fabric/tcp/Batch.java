/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;

/**
 * Frames that go out with one system call: first what is left in the rail's buffer, then a header and a payload of
 * each, the payloads straight from where they lie. Guarded by the peer's sending lock, which is held from the beginning
 * of a batch to its end.
 */
final class Batch {
    /** How many frames it has, at most. */
    static final int FRAMES_MAX = 16;

    private final ByteBuffer headers = Rail.buffer(FRAMES_MAX * FrameLayout.HEADER_BYTES);
    private final ByteBuffer[] buffers = new ByteBuffer[1 + 2 * FRAMES_MAX];
    private WeakReference<Views> last = new WeakReference<>(null);
    private WeakReference<Views> lastBefore = new WeakReference<>(null);
    private Views payloads;
    private int frames;

    /** @param left what goes first */
    Batch(ByteBuffer left) {
        buffers[0] = left;
        for (int i = 0; i < FRAMES_MAX; i++) {
            buffers[1 + 2 * i] = headers.duplicate();
        }
    }

    /** Views of one memory, a buffer for each frame of a batch. */
    private static final class Views {
        private final ByteBuffer[] buffers = new ByteBuffer[FRAMES_MAX];
        private final MemorySegment.Scope scope;
        private final long address;
        private final long bytes;

        Views(MemorySegment source) {
            scope = source.scope();
            address = source.address();
            bytes = source.byteSize();
            ByteBuffer view = source.asByteBuffer();
            for (int i = 0; i < FRAMES_MAX; i++) {
                buffers[i] = view.duplicate();
            }
        }

        /** Whether they are of just this memory; other memory may have its address once it has been freed. */
        boolean areOf(MemorySegment source) {
            return source.address() == address && source.byteSize() == bytes && source.scope().equals(scope);
        }
    }

    /**
     * The views of a memory. Those of two are kept, as calls send from their source and their target in turns; but only
     * until the next collection of garbage, as memory of an automatic arena is there for as long as its views are.
     */
    private Views views(MemorySegment source) {
        Views views = last.get();
        if (views != null && views.areOf(source)) {
            return views;
        }
        WeakReference<Views> before = lastBefore;
        views = before.get();
        if (views == null || !views.areOf(source)) {
            views = new Views(source);
            before = new WeakReference<>(views);
        }
        lastBefore = last;
        last = before;
        return views;
    }

    void begin(MemorySegment source) {
        payloads = views(source);
        headers.clear();
        frames = 0;
    }

    void add(Frame frame, long sourceOffset) {
        FrameLayout.write(headers, frame);
        buffers[1 + 2 * frames].limit(headers.position()).position(headers.position() - FrameLayout.HEADER_BYTES);
        buffers[2 + 2 * frames] =
                payloads.buffers[frames].limit((int) sourceOffset + frame.length).position((int) sourceOffset);
        frames++;
    }

    boolean write(Wire wire) throws IOException {
        return wire.write(buffers, 1 + 2 * frames) > 0;
    }

    boolean isWritten() {
        return !buffers[2 * frames].hasRemaining();
    }

    /** Appends the rest of all frames to a buffer, which has room for them. */
    void endWhole(ByteBuffer out) {
        for (int i = 0; i < frames; i++) {
            out.put(buffers[1 + 2 * i]).put(buffers[2 + 2 * i]);
            buffers[2 + 2 * i] = null;
        }
        payloads = null;
    }

    /** Appends the rest of frames that have begun to a buffer; returns how many have not. */
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
