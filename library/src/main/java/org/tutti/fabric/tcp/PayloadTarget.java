/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

import org.tutti.fabric.Region;

/**
 * Where the payload of the frame goes that is arriving at a rail: into a region, into other memory of this process, to
 * a bounce buffer of its own, or nowhere. Guarded by the peer's receiving lock.
 *
 * <p>Long payloads are read straight there, through views. Whoever has closed memory that bytes are on their way to, or
 * has revoked its region, does not want them: they are dropped, and the other side goes on.
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

    /** The payload goes into a region. */
    void into(Region target, long targetOffset) {
        into(target.segment(), targetOffset);
        region = target;
    }

    /** The payload goes into memory of a call that waits for it. */
    void into(MemorySegment target, long targetOffset) {
        segment = target;
        offset = targetOffset;
        region = null;
        bounced = false;
    }

    /** The payload goes into the bounce buffer, where it stays until the next frame. */
    void intoBounceBuffer() {
        if (bounceBuffer == null) {
            bounceView = FrameLayout.buffer(FrameLayout.PAYLOAD_BYTES_MAX);
            bounceBuffer = MemorySegment.ofBuffer(bounceView);
        }
        into(bounceBuffer, 0);
        bounced = true;
    }

    /** Whether the payload is in the bounce buffer. */
    boolean isBounced() {
        return bounced;
    }

    MemorySegment bounceBuffer() {
        return bounceBuffer;
    }

    /** Drops the payload, and lets go of where it was to go. */
    void discard() {
        segment = null;
        region = null;
        bounced = false;
        if (viewed == null) {
            view = null; // nobody's memory is kept for longer than a call
        }
    }

    void discardRevoked() {
        if (region != null && region.isRevoked()) {
            discard();
        }
    }

    /** Drops the payload if its memory was closed, which an exception has told. */
    void discardClosed(IllegalStateException e) {
        if (segment.scope().isAlive()) {
            throw e;
        }
        discard();
    }

    /** Lets go of a region that has been revoked, and of its view. */
    void forgetRevoked() {
        discardRevoked();
        if (viewed != null && viewed.isRevoked()) {
            viewed = null;
            view = null;
        }
    }

    /** Whether there is a view to read through. Views are made for long payloads only: small ones change regions. */
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

    /** The view, of so many bytes that are still to come. */
    ByteBuffer view(int remaining) {
        return view.limit((int) offset + remaining).position((int) offset);
    }

    /** Takes note of what has been read through the view; returns how many bytes that is. */
    int noteRead() {
        int arrived = view.position() - (int) offset;
        offset += arrived;
        return arrived;
    }

    /** Copies the next bytes there, unless they are dropped. */
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
