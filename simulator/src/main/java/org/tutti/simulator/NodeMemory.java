/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;

import org.tutti.memory.Memory;

/**
 * The memory of a node in a verification run. It has real bytes, and counts those that are claimed. Memory that a
 * rank's caller allocates in it belongs to it, too, but does not count.
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
     * @param world the run
     * @param memory the source of blocks
     * @param refers whether the node's ranks lend each other memory by reference, as threads of one process do
     * @param claimed receives every claimed block and its purpose
     */
    NodeMemory(World world, RunMemory memory, boolean refers, BiConsumer<MemorySegment, String> claimed) {
        this.world = world;
        this.memory = memory;
        this.refers = refers;
        this.claimed = claimed;
    }

    @Override
    protected long claimNew(long size, String purpose) {
        MemorySegment block = add(memory.allocate(size));
        bytes += size;
        claimed.accept(block, purpose);
        return block.address();
    }

    /**
     * Releases a block. The release is ordered before the next claim of the block, because both hold the monitor of the
     * memory for a moment.
     */
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

    /** {@return a block for a rank's caller, with arbitrary contents} */
    MemorySegment allocateArbitrary(long size) {
        return add(memory.allocateArbitrary(size));
    }

    private MemorySegment add(MemorySegment block) {
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

    /** Returns the loans at an address; null if the node's ranks are processes, which lend no memory by reference. */
    @Override
    public MemorySegment[] loans(long address, int places) {
        return refers ? loans.computeIfAbsent(address, _ -> new MemorySegment[places]) : null;
    }

    /** {@return the number of bytes that were claimed} */
    long bytes() {
        return bytes;
    }

    @Override
    public void close() {
        // the run gives the memory back
    }
}
