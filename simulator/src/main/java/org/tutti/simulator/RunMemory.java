/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.tutti.memory.Memory;
import org.tutti.memory.Words;

/**
 * The native and heap memory of a verification run. The next run uses it again, because the operating system takes
 * longer to find and clear a hundred megabytes than most runs take. Native blocks are zeros, because a run clears the
 * bytes that it has written before it gives the memory back. Arrays on the heap have arbitrary contents.
 *
 * <p>One run has the memory at a time; the queue orders a run after the run before. There are as many memories as runs
 * were under way at the same time.
 */
final class RunMemory {
    private static final Queue<RunMemory> IDLE = new ConcurrentLinkedQueue<>();
    private static final long CHUNK_BYTES = 16 << 20;

    private final List<MemorySegment> chunks = new ArrayList<>();
    private final List<List<byte[]>> arrays = new ArrayList<>(); // arrays of 2ⁱ bytes are in the i-th list
    private final int[] arraysTaken = new int[Integer.SIZE];
    private int chunk;
    private long used;

    private RunMemory() {
        for (int i = 0; i < Integer.SIZE; i++) {
            arrays.add(new ArrayList<>());
        }
    }

    /** {@return memory that no other run has} */
    static RunMemory take() {
        RunMemory idle = IDLE.poll();
        return idle == null ? new RunMemory() : idle;
    }

    /** Gives all blocks back for the next run. The caller has cleared all native bytes that were written. */
    void give() {
        chunk = 0;
        used = 0;
        Arrays.fill(arraysTaken, 0);
        IDLE.add(this);
    }

    /** {@return a new block of zeros, aligned to a line} */
    MemorySegment allocate(long bytes) {
        long size = Memory.roundToLines(bytes);
        while (chunk < chunks.size() && used + size > chunks.get(chunk).byteSize()) {
            chunk++;
            used = 0;
        }
        if (chunk == chunks.size()) {
            chunks.add(Arena.ofAuto().allocate(Math.max(size, CHUNK_BYTES), Words.LINE_BYTES));
        }
        MemorySegment block = chunks.get(chunk).asSlice(used, bytes);
        used += size;
        return block;
    }

    /** {@return a new block of bytes in an array on the heap} */
    MemorySegment allocateOnHeap(int bytes) {
        int power = Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(1, bytes) - 1);
        List<byte[]> ofSize = arrays.get(power);
        if (arraysTaken[power] == ofSize.size()) {
            ofSize.add(new byte[1 << power]);
        }
        return MemorySegment.ofArray(ofSize.get(arraysTaken[power]++)).asSlice(0, bytes);
    }

    /** Makes the bytes at an address zeros again, if they belong to this memory. */
    void clear(long address, long bytes) {
        for (MemorySegment each : chunks) {
            long offset = address - each.address();
            if (offset >= 0 && offset < each.byteSize()) {
                each.asSlice(offset, bytes).fill((byte) 0);
            }
        }
    }
}
