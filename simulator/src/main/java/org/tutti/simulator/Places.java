/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.lang.foreign.MemorySegment;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongFunction;

/** Gives all memory of a simulated job addresses, also arrays on the heap, and knows names for them. */
final class Places {
    private static final long HEAP_START = 1L << 61;
    private static final long ARRAY_SPACE = 1L << 33;

    private record Place(long bytes, LongFunction<String> name) {}

    private final Map<Object, Long> arrays = new IdentityHashMap<>();
    private final TreeMap<Long, Place> places = new TreeMap<>();

    /** {@return the address of a byte of a segment: the same number for the same byte} */
    long address(MemorySegment memory, long offset) {
        long start = memory.address() + offset;
        return memory.isNative() ? start
                : start + arrays.computeIfAbsent(memory.heapBase().orElseThrow(),
                        _ -> HEAP_START + arrays.size() * ARRAY_SPACE);
    }

    /** Names a segment; the function returns the name for an offset in it. */
    void name(MemorySegment memory, LongFunction<String> name) {
        places.put(address(memory, 0), new Place(memory.byteSize(), name));
    }

    /** {@return the name of the memory at an address} */
    String describe(long address) {
        Map.Entry<Long, Place> entry = places.floorEntry(address);
        return entry == null || address - entry.getKey() >= entry.getValue().bytes ? "a rank's own memory"
                : entry.getValue().name.apply(address - entry.getKey());
    }
}
