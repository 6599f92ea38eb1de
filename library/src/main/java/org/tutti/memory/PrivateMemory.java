/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

import org.tutti.NodeMemoryException;

/**
 * The memory that ranks share if all of them are threads of one process. It is ordinary native memory, with one segment
 * for each block. An address consists of the number of a block, from 1, and an offset in that block.
 *
 * <p>Threads read the list of blocks without a lock. A thread gets an address through a word from the rank that claimed
 * the block. That word orders the change of the list before the read.
 */
public final class PrivateMemory extends Memory {
    private static final int BLOCK_SHIFT = 40;

    private final Arena arena = Arena.ofShared();
    private final Map<Long, MemorySegment[]> loans = new HashMap<>();
    private MemorySegment[] blocks = new MemorySegment[0];

    @Override
    protected synchronized long claimNew(long bytes, String purpose) {
        MemorySegment block;
        try {
            block = arena.allocate(bytes, Words.LINE_BYTES);
        } catch (OutOfMemoryError e) {
            throw new NodeMemoryException("no native memory for " + purpose + ": " + Bytes.text(bytes)
                    + " were needed; allow this process more, or run fewer ranks in it", e);
        }
        MemorySegment[] more = Arrays.copyOf(blocks, blocks.length + 1);
        more[blocks.length] = block;
        blocks = more;
        return (long) more.length << BLOCK_SHIFT;
    }

    @Override
    public MemorySegment around(long address) {
        return blocks[(int) (address >>> BLOCK_SHIFT) - 1];
    }

    @Override
    public long offset(long address) {
        return address & (1L << BLOCK_SHIFT) - 1;
    }

    @Override
    public synchronized MemorySegment[] loans(long address, int places) {
        return loans.computeIfAbsent(address, _ -> new MemorySegment[places]);
    }

    /** {@inheritDoc} This method also drops the references to memory that was lent through the block. */
    @Override
    public synchronized void release(long address, long bytes) {
        loans.remove(address);
        super.release(address, bytes);
    }

    @Override
    public void close() {
        close(arena);
    }
}
