/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import org.tutti.memory.Memory;
import org.tutti.memory.Words;

/**
 * The memory of a simulated node: real bytes, counted.
 */
final class NodeMemory extends Memory {
    private final Arena arena;
    private final Consumer<MemorySegment> claimed;
    private final List<MemorySegment> blocks = new ArrayList<>();
    private long bytes;

    /**
     * @param arena what the memory lives as long as
     * @param claimed told of every block
     */
    NodeMemory(Arena arena, Consumer<MemorySegment> claimed) {
        this.arena = arena;
        this.claimed = claimed;
    }

    @Override
    public long claim(long size, String purpose) {
        MemorySegment block = arena.allocate(size, Words.LINE_BYTES);
        blocks.add(block);
        bytes += size;
        claimed.accept(block);
        return blocks.size();
    }

    @Override
    public MemorySegment block(long address, long size) {
        return blocks.get(Math.toIntExact(address - 1)).asSlice(0, size);
    }

    /** {@return how many bytes were claimed} */
    long bytes() {
        return bytes;
    }

    @Override
    public void close() {
        // the arena is closed by its owner
    }
}
