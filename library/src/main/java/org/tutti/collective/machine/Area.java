/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.machine;

import java.lang.foreign.MemorySegment;

/**
 * A place in memory that an algorithm reads or writes: the caller's elements, or the bytes that a rank shows to others.
 * It is moved rather than made anew, so that operations allocate nothing.
 */
public final class Area {
    /** Owns no memory: what it can access, every thread can. */
    private static final Thread STRANGER = Thread.ofPlatform().unstarted(() -> {});

    private MemorySegment segment = MemorySegment.NULL;
    private long start;

    /**
     * Moves the area.
     *
     * @param newSegment the memory
     * @param newStart the byte at which the area begins in it
     */
    public void set(MemorySegment newSegment, long newStart) {
        segment = newSegment;
        start = newStart;
    }

    /**
     * Forgets the memory.
     */
    public void clear() {
        set(MemorySegment.NULL, 0);
    }

    /**
     * {@return the memory}
     */
    public MemorySegment segment() {
        return segment;
    }

    /**
     * {@return the byte at which the area begins in it}
     */
    public long start() {
        return start;
    }

    /** Whether so many bytes from one on lie in its memory; for assertions. */
    public boolean holds(long offset, long bytes) {
        return offset >= 0 && bytes >= 0 && start >= 0 && start + offset <= segment.byteSize() - bytes;
    }

    @Override
    public String toString() {
        return "the area from byte " + start + " on of " + segment;
    }

    /** Whether every thread may use it; that of a confined arena only its owner may. */
    public boolean isOpenToAll() {
        return segment.isAccessibleBy(STRANGER);
    }

    /**
     * {@return whether other nodes can be invited to it: native memory open to all threads, as others write there}
     */
    public boolean isAddressable() {
        return segment.isNative() && isOpenToAll();
    }

    /**
     * Tells whether two areas begin at the same byte of the same memory.
     *
     * @param other another area
     * @return whether they do
     */
    public boolean isSameAs(Area other) {
        return start == other.start && segment.address() == other.segment.address()
                && segment.heapBase().equals(other.segment.heapBase());
    }
}
