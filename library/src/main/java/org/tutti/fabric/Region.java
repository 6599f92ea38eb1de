/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * A region, memory of this process that other processes may address. They name it by a handle, and the bounds of each
 * access are checked in this process.
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

    /** {@return the handle by which other processes find the region} */
    public long handle() {
        return handle;
    }

    /** {@return the memory of the region} */
    public MemorySegment segment() {
        return segment;
    }

    /** {@return the handler of active messages, or null if other processes may send none} */
    public RegionHandler handler() {
        return handler;
    }

    /**
     * Creates a buffer that views the whole region, for reads and writes of channels. The buffer has its own position
     * and limit.
     *
     * @return the buffer, or null if the region is longer than {@link Integer#MAX_VALUE} bytes or lies in the Java heap
     */
    public ByteBuffer view() {
        return segment.isNative() && bytes <= Integer.MAX_VALUE ? segment.asByteBuffer() : null;
    }

    /**
     * Returns whether a range of bytes lies in the region.
     *
     * @param offset the offset of the first byte; it may have any value, because another process sends it
     * @param length the number of bytes; it may have any value
     * @return whether the region contains all bytes of the range
     */
    public boolean contains(long offset, long length) {
        return offset >= 0 && length >= 0 && length <= bytes && offset <= bytes - length;
    }

    /**
     * Returns whether a word and the eight bytes after it lie in the region.
     *
     * @param offset the offset of the word; it may have any value, because another process sends it
     * @return whether the region contains the sixteen bytes, is native, and the offset is a multiple of 8
     */
    public boolean containsWord(long offset) {
        return segment.isNative() && contains(offset, 2L * Long.BYTES) && offset % Long.BYTES == 0;
    }

    void revoke() {
        assert !revoked : "a region of " + bytes + " bytes is revoked twice";
        revoked = true;
    }

    /** {@return whether the region is revoked, so that no access is allowed any more} */
    public boolean isRevoked() {
        return revoked;
    }
}
