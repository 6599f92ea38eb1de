/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.machine;

import java.lang.foreign.MemorySegment;

/**
 * Memory that an algorithm reads or writes: the caller's elements, or the bytes that a rank shows to others. An area is
 * a segment and a start in it. It can be set again, so that operations allocate nothing.
 */
public final class Area {
    /** A thread that owns no memory: every thread can access memory that this one can access. */
    private static final Thread STRANGER = Thread.ofPlatform().unstarted(() -> {});

    private MemorySegment segment = MemorySegment.NULL;
    private long start;

    /**
     * Sets the area.
     *
     * @param newSegment the memory
     * @param newStart the offset at which the area begins in it
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
     * {@return the offset at which the area begins in its memory}
     */
    public long start() {
        return start;
    }

    /** Returns whether bytes from an offset on lie in the area's memory; for assertions. */
    public boolean holds(long offset, long bytes) {
        return offset >= 0 && bytes >= 0 && start >= 0 && start + offset <= segment.byteSize() - bytes;
    }

    @Override
    public String toString() {
        return "the area from byte " + start + " on of " + segment;
    }

    /** Returns whether every thread may use the memory. Only its owner may use memory of a confined arena. */
    public boolean isOpenToAll() {
        return segment.isAccessibleBy(STRANGER);
    }

    /**
     * {@return whether other nodes can be invited to the memory: native memory open to all threads, because other
     * threads write there}
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
