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
 * longer to find and clear a hundred megabytes than most runs take. Blocks of {@link #allocate} are zeros, because a
 * run clears the bytes that it has written there before it gives the memory back. Callers fill the other blocks, which
 * have arbitrary contents, before each call.
 *
 * <p>One run has the memory at a time; the queue orders a run after the run before. There are as many memories as runs
 * were under way at the same time.
 */
final class RunMemory {
    private static final Queue<RunMemory> IDLE = new ConcurrentLinkedQueue<>();
    private static final long CHUNK_BYTES = 16 << 20;

    /** Native memory from which blocks are cut one after the other. */
    private static final class Chunks {
        private final List<MemorySegment> chunks = new ArrayList<>();
        private int chunk;
        private long used;

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

        void giveBack() {
            chunk = 0;
            used = 0;
        }
    }

    private final Chunks clear = new Chunks();
    private final Chunks arbitrary = new Chunks();
    private final List<List<byte[]>> arrays = new ArrayList<>(); // arrays of 2ⁱ bytes are in the i-th list
    private final int[] arraysTaken = new int[Integer.SIZE];

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

    /** Gives all blocks back for the next run. The caller has cleared the bytes of clear blocks that were written. */
    void give() {
        clear.giveBack();
        arbitrary.giveBack();
        Arrays.fill(arraysTaken, 0);
        IDLE.add(this);
    }

    /** {@return a new block of zeros, aligned to a line} */
    MemorySegment allocate(long bytes) {
        return clear.allocate(bytes);
    }

    /** {@return a new native block with arbitrary contents, aligned to a line} */
    MemorySegment allocateArbitrary(long bytes) {
        return arbitrary.allocate(bytes);
    }

    /** {@return a new block of bytes in an array on the heap, with arbitrary contents} */
    MemorySegment allocateOnHeap(int bytes) {
        int power = Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(1, bytes) - 1);
        List<byte[]> ofSize = arrays.get(power);
        if (arraysTaken[power] == ofSize.size()) {
            ofSize.add(new byte[1 << power]);
        }
        return MemorySegment.ofArray(ofSize.get(arraysTaken[power]++)).asSlice(0, bytes);
    }

    /** Makes the bytes at an address zeros again, if they belong to a clear block. */
    void clear(long address, long bytes) {
        for (MemorySegment each : clear.chunks) {
            long offset = address - each.address();
            if (offset >= 0 && offset < each.byteSize()) {
                each.asSlice(offset, bytes).fill((byte) 0);
                return;
            }
        }
    }
}
