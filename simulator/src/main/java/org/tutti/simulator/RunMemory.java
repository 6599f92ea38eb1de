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
 * The memory of a verification run, native and on the heap, which the next run uses again: to have the operating system
 * find and clear a hundred megabytes takes longer than most runs. Native blocks are zeros: whoever gives the memory
 * back has cleared what was written. On the heap there is whatever was there.
 *
 * <p>One run has it at a time; the queue orders one after the other. There is as much as runs at a time have needed.
 */
final class RunMemory {
    private static final Queue<RunMemory> IDLE = new ConcurrentLinkedQueue<>();
    private static final long CHUNK_BYTES = 16 << 20;

    private final List<MemorySegment> chunks = new ArrayList<>();
    private final List<List<byte[]>> arrays = new ArrayList<>(); // those of 2ⁱ bytes in the i-th list
    private final int[] arraysTaken = new int[Integer.SIZE];
    private int chunk;
    private long used;

    private RunMemory() {
        for (int i = 0; i < Integer.SIZE; i++) {
            arrays.add(new ArrayList<>());
        }
    }

    static RunMemory take() {
        RunMemory idle = IDLE.poll();
        return idle == null ? new RunMemory() : idle;
    }

    /** Takes all blocks back, for the next run. Nothing may have been written but what was cleared. */
    void give() {
        chunk = 0;
        used = 0;
        Arrays.fill(arraysTaken, 0);
        IDLE.add(this);
    }

    /** {@return zeros that nobody else has, at the beginning of a line} */
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

    /** {@return bytes of an array on the heap that nobody else has} */
    MemorySegment allocateOnHeap(int bytes) {
        int power = Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(1, bytes) - 1);
        List<byte[]> ofSize = arrays.get(power);
        if (arraysTaken[power] == ofSize.size()) {
            ofSize.add(new byte[1 << power]);
        }
        return MemorySegment.ofArray(ofSize.get(arraysTaken[power]++)).asSlice(0, bytes);
    }

    /** Makes bytes at an address zeros again, if they belong to this memory. */
    void clear(long address, long bytes) {
        for (MemorySegment each : chunks) {
            long offset = address - each.address();
            if (offset >= 0 && offset < each.byteSize()) {
                each.asSlice(offset, bytes).fill((byte) 0);
            }
        }
    }
}
