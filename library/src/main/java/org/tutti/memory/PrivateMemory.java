/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

import org.tutti.NodeMemoryException;

/**
 * The memory of ranks that are threads of one process: ordinary native memory, a piece for every block. An address is
 * the number of its block, plus one.
 */
public final class PrivateMemory extends Memory {
    private final Arena arena = Arena.ofShared();
    private final Map<Long, MemorySegment[]> loans = new HashMap<>();
    private volatile MemorySegment[] blocks = new MemorySegment[0];

    @Override
    protected synchronized long claimNew(long bytes, String purpose) {
        MemorySegment block;
        try {
            block = arena.allocate(bytes, Words.LINE_BYTES);
        } catch (OutOfMemoryError e) {
            throw new NodeMemoryException("no native memory for " + purpose + ": " + bytes
                    + " bytes were needed; allow this process more, or run fewer ranks in it", e);
        }
        MemorySegment[] more = Arrays.copyOf(blocks, blocks.length + 1);
        more[blocks.length] = block;
        blocks = more;
        return more.length;
    }

    @Override
    public MemorySegment block(long address, long bytes) {
        return blocks[Math.toIntExact(address - 1)].asSlice(0, bytes);
    }

    @Override
    public synchronized MemorySegment[] loans(long address, int places) {
        return loans.computeIfAbsent(address, _ -> new MemorySegment[places]);
    }

    @Override
    public void close() {
        arena.close();
    }
}
