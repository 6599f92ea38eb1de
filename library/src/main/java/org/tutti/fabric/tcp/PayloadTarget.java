/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

import org.tutti.fabric.Region;

/**
 * The memory to which the payload of the frame that is arriving at a rail goes. It is a region, other memory of this
 * process, or the rail's own bounce buffer. If there is none, the payload is dropped. Guarded by the peer's receiving
 * lock.
 *
 * <p>A long payload is read from the socket straight into the target, through a view of its memory, or by a
 * call for the array if the target lies in the Java heap. If the memory of
 * the target is closed or its region is revoked, the bytes are dropped, and the connection continues.
 */
final class PayloadTarget {
    private MemorySegment segment;
    private long offset;
    private Region region;
    private ByteBuffer view;
    private Region viewed;
    private final MemoryViews views = new MemoryViews(1);
    private boolean bounced;
    private MemorySegment bounceBuffer;
    private ByteBuffer bounceView;

    /** Directs the payload into a region. */
    void into(Region target, long targetOffset) {
        into(target.segment(), targetOffset);
        region = target;
    }

    /** Directs the payload into the memory of a call that waits for it. */
    void into(MemorySegment target, long targetOffset) {
        segment = target;
        offset = targetOffset;
        region = null;
        bounced = false;
    }

    /** Directs the payload into the bounce buffer, where it stays until the next frame. */
    void intoBounceBuffer() {
        if (bounceBuffer == null) {
            bounceView = FrameLayout.buffer(FrameLayout.PAYLOAD_BYTES_MAX);
            bounceBuffer = MemorySegment.ofBuffer(bounceView);
        }
        into(bounceBuffer, 0);
        bounced = true;
    }

    /** Returns whether the payload is in the bounce buffer. */
    boolean isBounced() {
        return bounced;
    }

    MemorySegment bounceBuffer() {
        return bounceBuffer;
    }

    /** Drops the bytes of the payload that have not arrived, and forgets its target. */
    void discard() {
        segment = null;
        region = null;
        bounced = false;
        if (viewed == null) {
            view = null; // no memory is kept for longer than a call
        }
    }

    /** Drops the payload if its target is a revoked region. */
    void discardRevoked() {
        if (region != null && region.isRevoked()) {
            discard();
        }
    }

    /** Drops the payload if its target is closed, which has caused an exception. Throws any other exception. */
    void discardClosed(IllegalStateException e) {
        if (segment.scope().isAlive()) {
            throw e;
        }
        discard();
    }

    /** Forgets the target's region and its view if the region has been revoked. */
    void forgetRevoked() {
        discardRevoked();
        if (viewed != null && viewed.isRevoked()) {
            viewed = null;
            view = null;
        }
    }

    /**
     * Returns whether the target has a view, through which a payload is read straight into its memory, and creates the
     * view if possible. Only long payloads are read through views. Successive short payloads often go to different
     * regions, and each change of the region needs a new view.
     */
    boolean hasView() {
        if (bounced) {
            viewed = null;
            view = bounceView;
        } else if (region == null) {
            viewed = null;
            view = segment != null && MemoryViews.arePossible(segment) ? views.of(segment)[0] : null;
        } else if (viewed != region) {
            viewed = region;
            view = region.view();
        }
        return view != null;
    }

    /** Returns the view of the bytes that are still to arrive. */
    ByteBuffer view(int remaining) {
        return view.limit((int) offset + remaining).position((int) offset);
    }

    /** Returns whether the target lies in the Java heap, so that it has no view. */
    boolean isArray() {
        return segment != null && !segment.isNative();
    }

    /**
     * Reads the next bytes from a wire straight into an array.
     *
     * @param remaining the number of bytes that are still to arrive
     * @return the number of bytes; 0 if there are none at present, −1 if no more will arrive
     */
    int readArray(Wire wire, int remaining) throws IOException {
        int bytes = wire.read(segment, offset, remaining);
        offset += Math.max(bytes, 0);
        return bytes;
    }

    /** Notes the bytes that have been read through the view, and returns their number. */
    int noteRead() {
        int arrived = view.position() - (int) offset;
        offset += arrived;
        return arrived;
    }

    /** Copies the next bytes to the target, unless the payload is dropped. */
    void fill(MemorySegment from, long fromOffset, int bytes) {
        if (segment != null) {
            try {
                MemorySegment.copy(from, fromOffset, segment, offset, bytes);
                offset += bytes;
            } catch (IllegalStateException e) {
                discardClosed(e);
            }
        }
    }
}
