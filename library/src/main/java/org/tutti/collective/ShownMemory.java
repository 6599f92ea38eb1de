/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import java.lang.foreign.MemorySegment;

import org.tutti.memory.Memory;

/**
 * A block of the node's memory in which a rank shows data to others: claimed at first use, replaced when it has to be
 * larger. Who still reads the small one may do so, as it is never given back.
 */
final class ShownMemory {
    private static final long SMALL_BYTES = 32 << 10;

    private final Memory memory;
    private long address;
    private MemorySegment segment = MemorySegment.NULL;
    private long handle;
    private boolean registered;

    ShownMemory(Memory memory) {
        this.memory = memory;
    }

    /** Takes the whole block, small or as large as windows get, for one window; it begins at byte 0. */
    long take(long bytes, long windowBytesMax) {
        if (bytes > capacity()) {
            claim(bytes > SMALL_BYTES ? windowBytesMax : Math.min(SMALL_BYTES, windowBytesMax));
        }
        return 0;
    }

    void claim(long bytes) {
        address = memory.claim(bytes, "a rank's contributions");
        segment = memory.block(address, bytes);
        registered = false; // who still puts into the small block or gets from it may do so
    }

    MemorySegment segment() {
        return segment;
    }

    long address() {
        return address;
    }

    long capacity() {
        return segment.byteSize();
    }

    /** The handle by which other nodes name the segment; it keeps it until the rank leaves its job. */
    long handle(Machine machine) {
        if (!registered) {
            handle = machine.register(segment);
            registered = true;
        }
        return handle;
    }

    /** Takes the handle back: it will have another one. */
    void revoke(Machine machine) {
        if (registered) {
            machine.revoke(handle);
            registered = false;
        }
    }
}
