/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.lang.foreign.MemorySegment;

import org.tutti.memory.Memory;

/**
 * Memory of a node that has addresses and no bytes, so that thousands of nodes can be simulated. Only a machine that
 * never touches the bytes may use it.
 */
final class SymbolicMemory extends Memory {
    private static final long FIRST = 1L << 60;
    private static final long NODE_BYTES = 1L << 40;

    private final long start;
    private final MemorySegment all;
    private long bytes;

    /**
     * @param node the number of the node, from 0
     */
    SymbolicMemory(int node) {
        this.start = start(node);
        this.all = MemorySegment.ofAddress(start).reinterpret(NODE_BYTES);
    }

    /** {@return the address at which the memory of a node begins} */
    static long start(int node) {
        return FIRST + node * NODE_BYTES;
    }

    @Override
    protected long claimNew(long size, String purpose) {
        long address = start + bytes;
        bytes += roundToLines(size);
        return address;
    }

    @Override
    public MemorySegment around(long address) {
        return all;
    }

    @Override
    public long offset(long address) {
        return address - start;
    }

    @Override
    protected void clear(long address, long size) {
        // there is nothing to clear
    }

    /** {@return the number of bytes that were claimed} */
    long bytes() {
        return bytes;
    }

    @Override
    public void close() {
        // there is nothing to give back
    }
}
