/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
    private final Map<Long, MemorySegment[]> loans = new HashMap<>();
    private final boolean lends;
    private long bytes;

    /**
     * @param arena what the memory lives as long as
     * @param lends whether the node's ranks can lend each other memory, as threads of one process can
     * @param claimed told of every block
     */
    NodeMemory(Arena arena, boolean lends, Consumer<MemorySegment> claimed) {
        this.arena = arena;
        this.lends = lends;
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

    /** Ranks of a node may be threads of one process, which lend each other memory. */
    @Override
    public MemorySegment[] loans(long address, int places) {
        return lends ? loans.computeIfAbsent(address, _ -> new MemorySegment[places]) : null;
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
