/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.machine;

import java.lang.foreign.MemorySegment;

import org.tutti.memory.Memory;

/**
 * A mutable reference to memory that an algorithm reads or writes. The memory may be the caller's elements, or bytes
 * that one rank shows to other ranks. An area consists of a segment and an offset at which it begins. Areas are reused,
 * so that operations allocate nothing.
 */
public final class Area {
    /** A thread that owns no memory. Memory that this thread can access is accessible to every thread. */

    private MemorySegment segment = MemorySegment.NULL;
    private long start;

    /**
     * Sets the memory and the start of this area.
     *
     * @param newSegment the memory
     * @param newStart the offset in that memory at which the area begins, in bytes
     */
    public void set(MemorySegment newSegment, long newStart) {
        segment = newSegment;
        start = newStart;
    }

    /**
     * Clears the reference, so that this area does not keep the memory alive.
     */
    public void clear() {
        set(MemorySegment.NULL, 0);
    }

    /** {@return the memory in which the area lies} */
    public MemorySegment segment() {
        return segment;
    }

    /** {@return the offset in its memory at which the area begins, in bytes} */
    public long start() {
        return start;
    }

    /**
     * Returns whether a range of this area lies within its segment. Assertions use this method.
     *
     * @param offset the offset of the range in this area, in bytes
     * @param bytes the length of the range
     */
    public boolean holds(long offset, long bytes) {
        return offset >= 0 && bytes >= 0 && start >= 0 && start + offset <= segment.byteSize() - bytes;
    }

    @Override
    public String toString() {
        return "the area from byte " + start + " on of " + segment;
    }

    /**
     * Returns whether every thread may access the memory. If the memory belongs to a confined arena, only the arena's
     * owner may.
     */
    public boolean isOpenToAll() {
        return Memory.isOpenToAll(segment);
    }

    /**
     * {@return whether other nodes can be invited to put into the memory. The memory must be open to all
     * threads, because other threads of this process write the bytes that arrive.}
     */
    public boolean isAddressable() {
        return isOpenToAll();
    }

    /**
     * Returns whether this area and another begin at the same byte of the same memory.
     *
     * @param other another area
     * @return true if both begin at the same byte
     */
    public boolean isSameAs(Area other) {
        return start == other.start && segment.address() == other.segment.address()
                && segment.heapBase().equals(other.segment.heapBase());
    }
}
