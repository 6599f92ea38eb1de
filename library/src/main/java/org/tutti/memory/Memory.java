/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.lang.foreign.MemorySegment;

/**
 * The memory that the ranks of a node share. Blocks are claimed from it once and stay valid until it is closed; a
 * block's address is a number that means the same to every rank of the node.
 *
 * <p>Safe for use by any number of threads.
 */
public abstract class Memory implements AutoCloseable {
    /**
     * Claims a block that nobody else has: zeros, aligned to a line.
     *
     * @param bytes how many bytes it needs, more than zero
     * @param purpose what it is for, for the message when there is too little memory
     * @return its address
     * @throws org.tutti.NodeMemoryException when there is too little memory; the message says how much was needed
     */
    public abstract long claim(long bytes, String purpose);

    /**
     * Finds a claimed block in this process.
     *
     * @param address what {@link #claim} returned, here or in another process
     * @param bytes the block's size
     * @return its memory
     */
    public abstract MemorySegment block(long address, long bytes);

    /**
     * Finds out where memory lies for the other ranks of the node.
     *
     * @param segment any memory
     * @return the address of its first byte, with which {@link #block} finds it in every process; or 0 when it is no
     *         part of this memory, or one that only references reach
     */
    public long addressOf(MemorySegment segment) {
        return 0;
    }

    /**
     * Finds the places in which the users of a block lend each other memory of their own. References mean something
     * in one process only, so ranks of several processes have none. Who sets a place and who reads it order that by
     * words of the block.
     *
     * @param address the block
     * @param places how many places, the same in every call for the block
     * @return the places, all null at first, the same array for all users; or null when they may be in several
     *         processes
     */
    public MemorySegment[] loans(long address, int places) {
        return null;
    }

    /**
     * Gives the memory back, in this process. Threads that are still reading or writing get an
     * {@link IllegalStateException}.
     */
    @Override
    public abstract void close();

    /**
     * Rounds up to whole lines.
     *
     * @param bytes 0 or more
     * @return the next multiple of {@link Words#LINE_BYTES}
     */
    public static long roundToLines(long bytes) {
        return (bytes + Words.LINE_BYTES - 1) & -Words.LINE_BYTES;
    }
}
