/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;

import org.tutti.memory.Memory;

/**
 * The memory of a simulated node: real bytes, counted. What a rank's caller has allocated in it belongs to it, too, but
 * does not count.
 */
final class NodeMemory extends Memory {
    private final World world;
    private final Clock freed = new Clock(0);
    private final RunMemory memory;
    private final BiConsumer<MemorySegment, String> claimed;
    private final TreeMap<Long, MemorySegment> blocks = new TreeMap<>();
    private final Map<Long, MemorySegment[]> loans = new HashMap<>();
    private final boolean refers;
    private long bytes;

    /**
     * @param world what goes on around it
     * @param memory what blocks are taken from
     * @param refers whether the node's ranks can lend each other memory by reference, as threads of one process can
     * @param claimed told of every block, and what it is for
     */
    NodeMemory(World world, RunMemory memory, boolean refers, BiConsumer<MemorySegment, String> claimed) {
        this.world = world;
        this.memory = memory;
        this.refers = refers;
        this.claimed = claimed;
    }

    @Override
    protected long claimNew(long size, String purpose) {
        MemorySegment block = allocate(size);
        bytes += size;
        claimed.accept(block, purpose);
        return block.address();
    }

    /** Whoever is given the block comes after this, as both hold the monitor of the memory for a moment. */
    @Override
    public void release(long address, long size) {
        world.leaveClock(freed);
        super.release(address, size);
    }

    @Override
    protected void clear(long address, long size) {
        world.takeClock(freed);
        super.clear(address, size);
    }

    /** {@return a block for a rank's caller, as by {@code allocate} of its job} */
    MemorySegment allocate(long size) {
        MemorySegment block = memory.allocate(size);
        blocks.put(block.address(), block);
        return block;
    }

    @Override
    public MemorySegment around(long address) {
        return blocks.floorEntry(address).getValue();
    }

    @Override
    public long offset(long address) {
        return address - blocks.floorKey(address);
    }

    @Override
    public long addressOf(MemorySegment segment) {
        Map.Entry<Long, MemorySegment> entry = segment.isNative() ? blocks.floorEntry(segment.address()) : null;
        return entry != null && segment.address() < entry.getKey() + entry.getValue().byteSize() ? segment.address()
                : 0;
    }

    /** Ranks of a node may be threads of one process, which lend each other memory. */
    @Override
    public MemorySegment[] loans(long address, int places) {
        return refers ? loans.computeIfAbsent(address, _ -> new MemorySegment[places]) : null;
    }

    /** {@return how many bytes were claimed} */
    long bytes() {
        return bytes;
    }

    @Override
    public void close() {
        // the run gives the memory back
    }
}
