/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * The memory that the ranks of a node share. Blocks are claimed from it, and released to be claimed again; a block's
 * address is a number that means the same to every rank of the node.
 *
 * <p>What is released in a process is claimed again in the same process: free blocks are listed by their size, and one
 * is taken for a claim if it has at most {@value #WASTE_MAX} times the bytes. So blocks need no lock that a process
 * could take into its grave, and new memory is taken only when none fits.
 *
 * <p>Memory ordering: a rank releases a block that it has claimed, after it has loaded, with acquire order, from each
 * rank that used the block a word that was stored with release order after the last use. The monitor of the lists
 * orders the release before the next claim, on whatever thread; and that is before the zeros, which are written before
 * others hear of the block.
 *
 * <p>Safe for use by any number of threads.
 */
public abstract class Memory implements AutoCloseable {
    private static final int WASTE_MAX = 2;

    private final TreeMap<Long, ArrayDeque<Long>> free = new TreeMap<>();

    /** The sizes, by address, of claimed blocks that are longer than their users know. */
    private final Map<Long, Long> longer = new HashMap<>();

    /** The sizes of the blocks that are claimed here, by address; only assertions look. */
    private final Map<Long, Long> claimed = new HashMap<>();

    /**
     * Claims a block that nobody else has: zeros, aligned to a line.
     *
     * @param bytes how many bytes it needs, more than zero
     * @param purpose what it is for, for the message when there is too little memory
     * @return its address
     * @throws org.tutti.NodeMemoryException when there is too little memory; the message says how much was needed
     */
    public final long claim(long bytes, String purpose) {
        assert bytes > 0 : bytes + " bytes are claimed for " + purpose;
        Long spare = takeFree(roundToLines(bytes));
        long address = spare == null ? claimNew(roundToLines(bytes), purpose) : spare;
        assert address > 0 && address % Words.LINE_BYTES == 0 : "a block at " + address + " for " + purpose;
        assert setClaimed(address, bytes) : "the block at " + address + " for " + purpose + " was claimed before";
        if (spare != null) {
            clear(address, bytes);
        }
        return address;
    }

    /** Whether nobody had the block; for assertions. */
    private synchronized boolean setClaimed(long address, long bytes) {
        return claimed.putIfAbsent(address, bytes) == null;
    }

    /** Whether the block was claimed with so many bytes; for assertions. */
    private synchronized boolean setReleased(long address, long bytes) {
        return claimed.remove(address, bytes);
    }

    private synchronized Long takeFree(long bytes) {
        Map.Entry<Long, ArrayDeque<Long>> fitting = free.ceilingEntry(bytes);
        if (fitting == null || fitting.getKey() / WASTE_MAX > bytes) {
            return null;
        }
        long address = fitting.getValue().pop();
        if (fitting.getValue().isEmpty()) {
            free.remove(fitting.getKey());
        }
        if (fitting.getKey() > bytes) {
            longer.put(address, fitting.getKey());
        }
        return address;
    }

    /**
     * Gives a block back that this rank has claimed, and that nobody reads or writes any more.
     *
     * @param address the block
     * @param bytes how many bytes were claimed
     */
    public synchronized void release(long address, long bytes) {
        assert setReleased(address, bytes) : bytes + " bytes are released at " + address + ", which were not claimed";
        Long more = longer.remove(address);
        free.computeIfAbsent(more == null ? roundToLines(bytes) : more, _ -> new ArrayDeque<>()).push(address);
    }

    /**
     * Claims a block that never was one before; the parameters are those of {@link #claim}, in whole lines.
     *
     * @param bytes how many bytes it needs
     * @param purpose what it is for
     * @return its address
     * @throws org.tutti.NodeMemoryException when there is too little memory
     */
    protected abstract long claimNew(long bytes, String purpose);

    /**
     * Makes a block zeros that was used before.
     *
     * @param address the block
     * @param bytes how many bytes of it
     */
    protected void clear(long address, long bytes) {
        block(address, bytes).fill((byte) 0);
    }

    /**
     * Finds a claimed block in this process.
     *
     * @param address what {@link #claim} returned, here or in another process
     * @param bytes the block's size
     * @return its memory
     */
    public MemorySegment block(long address, long bytes) {
        return around(address).asSlice(offset(address), bytes);
    }

    /**
     * Finds the memory around a byte in this process, without making anything new.
     *
     * @param address that of a block, as {@link #claim} returned it, or of a byte in a block
     * @return memory in which the byte lies at {@link #offset}, and after it what follows in its block, or half a
     *         gibibyte of that
     */
    public abstract MemorySegment around(long address);

    /**
     * Finds where in the memory around it a byte lies.
     *
     * @param address as {@link #around} has it
     * @return at which byte
     */
    public abstract long offset(long address);

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
