/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Memory of this process that others may address.
 */
public final class Region {
    private final long handle;
    private final MemorySegment segment;
    private final long bytes;
    private final RegionHandler handler;
    private volatile boolean revoked;

    Region(long handle, MemorySegment segment, RegionHandler handler) {
        this.handle = handle;
        this.segment = segment;
        this.bytes = segment.byteSize();
        this.handler = handler;
    }

    /** {@return by what others find it} */
    public long handle() {
        return handle;
    }

    /** {@return its memory} */
    public MemorySegment segment() {
        return segment;
    }

    /** {@return what handles the active messages of others, or null when they may send none} */
    public RegionHandler handler() {
        return handler;
    }

    /**
     * A view for channels, with a position and a limit of its own.
     *
     * @return the view of all of it, or null when it is longer than a view may be
     */
    public ByteBuffer view() {
        return bytes <= Integer.MAX_VALUE ? segment.asByteBuffer() : null;
    }

    /**
     * Tells whether a range lies in the region.
     *
     * @param offset its first byte; anything, as others name it
     * @param length its bytes; anything
     * @return whether it does
     */
    public boolean contains(long offset, long length) {
        return offset >= 0 && length >= 0 && length <= bytes && offset <= bytes - length;
    }

    /**
     * Tells whether a word lies in the region, with the eight bytes after it.
     *
     * @param offset its first byte; anything, as others name it
     * @return whether it does
     */
    public boolean containsWord(long offset) {
        return contains(offset, 2L * Long.BYTES) && offset % Long.BYTES == 0;
    }

    void revoke() {
        assert !revoked : "a region of " + bytes + " bytes is revoked twice";
        revoked = true;
    }

    /** {@return whether nobody may use it any more} */
    public boolean isRevoked() {
        return revoked;
    }
}
