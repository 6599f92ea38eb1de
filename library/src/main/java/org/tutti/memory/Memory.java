/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;

import org.tutti.events.MemoryEvent;

/**
 * The memory that the ranks of a node share. Ranks claim blocks of it, and release blocks, which can then be claimed
 * again. The address of a block is a number by which every rank of the node finds the same block.
 *
 * <p>A block that a process released is claimed again only by the same process. Free blocks are listed by size, and a
 * claim takes a block that has at most {@value #WASTE_MAX} times the requested bytes. Therefore blocks need no lock
 * that a dying process could keep, and new memory is taken only when no free block fits.
 *
 * <p>Memory ordering: every rank that used a block stores a word with release order after its last use. The rank that
 * claimed the block loads these words with acquire order before it releases the block. The monitor of the lists orders
 * the release before the next claim, on any thread. The next claim then fills the block with zeros, before other ranks
 * learn of the block. Therefore no late write of an earlier user can change it.
 *
 * <p>Any number of threads may use this class.
 */
public abstract class Memory implements AutoCloseable {
    private static final Thread STRANGER = Thread.ofVirtual().unstarted(() -> {
    });
    private static final int WASTE_MAX = 2;
    private static final long CLOSING_NANOS_MAX = 1_000_000_000;
    private static final long CLOSING_PAUSE_NANOS = 1_000_000;

    private final TreeMap<Long, ArrayDeque<Long>> free = new TreeMap<>();

    /** The sizes, by address, of claimed blocks that are longer than requested. */
    private final Map<Long, Long> longer = new HashMap<>();

    /** The sizes of the blocks that this process has claimed, by address; only assertions read them. */
    private final Map<Long, Long> claimed = new HashMap<>();

    /**
     * Allocates a block of the node's shared memory to this rank. The block is filled with zeros and aligned to a cache
     * line.
     *
     * @param bytes the size of the block in bytes, more than 0
     * @param purpose the use of the block, named by the message if there is too little memory
     * @return the address of the block
     * @throws org.tutti.NodeMemoryException if there is too little memory; the message says how much was needed
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
        var event = new MemoryEvent();
        if (event.shouldCommit()) {
            event.bytes = bytes;
            event.purpose = purpose;
            event.commit();
        }
        return address;
    }

    /** Records a claim for assertions. Returns whether the block was free. */
    private synchronized boolean setClaimed(long address, long bytes) {
        return claimed.putIfAbsent(address, bytes) == null;
    }

    /** Records a release for assertions. Returns whether the block was claimed with this size. */
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
     * Releases a block that this rank claimed, so that it can be claimed again. No rank may read or write the block any
     * more.
     *
     * @param address the address of the block
     * @param bytes the size in bytes with which the block was claimed
     */
    public synchronized void release(long address, long bytes) {
        assert setReleased(address, bytes) : bytes + " bytes are released at " + address + ", which were not claimed";
        Long more = longer.remove(address);
        free.computeIfAbsent(more == null ? roundToLines(bytes) : more, _ -> new ArrayDeque<>()).push(address);
    }

    /**
     * Allocates a block of memory that no earlier block has used. It is called if no released block fits.
     *
     * @param bytes the size of the block in bytes, a multiple of {@link Words#LINE_BYTES}
     * @param purpose the use of the block, named by the message if there is too little memory
     * @return the address of the block
     * @throws org.tutti.NodeMemoryException if there is too little memory
     */
    protected abstract long claimNew(long bytes, String purpose);

    /**
     * Fills a block with zeros, because an earlier user has left other values in it.
     *
     * @param address the address of the block
     * @param bytes the number of bytes to fill, from the first on
     */
    protected void clear(long address, long bytes) {
        block(address, bytes).fill((byte) 0);
    }

    /**
     * Returns a memory segment by which this process accesses a block.
     *
     * @param address the address that {@link #claim} has returned, in this or another process
     * @param bytes the size of the block in bytes
     * @return the memory of the block
     */
    public MemorySegment block(long address, long bytes) {
        return around(address).asSlice(offset(address), bytes);
    }

    /**
     * Returns a memory segment by which this process accesses the bytes around an address. The call creates no object.
     *
     * @param address the address of a block, as {@link #claim} returned it, or of a byte in a block
     * @return memory that contains the byte at {@link #offset}, and after it the rest of its block or at least half a
     *            gibibyte of the rest
     */
    public abstract MemorySegment around(long address);

    /**
     * Returns the offset of an address in the segment that {@link #around} returns for the same address.
     *
     * @param address the address of a block, or of a byte in a block
     * @return the offset in bytes from the start of the segment
     */
    public abstract long offset(long address);

    /**
     * Returns the address by which other ranks of the node can find the bytes of a memory segment.
     *
     * @param segment any memory
     * @return the address of the segment's first byte, which {@link #block} accepts in every process; 0 if the segment
     *         does not lie in this memory, or other processes cannot reach it
     */
    public long addressOf(MemorySegment segment) {
        return 0;
    }

    /**
     * Returns an array by which the ranks that use a block pass each other references to memory of their own. A
     * reference is valid only in one process, so ranks in several processes have no such array. Words of the block
     * order the write of an element before its reads.
     *
     * @param address the address of the block
     * @param places the number of references in the array, the same in every call for the block
     * @return the array, which is the same for all users and has only nulls at first; null if the users may be in
     *            several processes
     */
    public MemorySegment[] loans(long address, int places) {
        return null;
    }

    /**
     * Frees the memory in this process. If a thread still reads or writes it, that thread gets an {@link
     * IllegalStateException}.
     */
    @Override
    public abstract void close();

    /**
     * Closes the arena of this memory. A thread may sleep in a system call at a word of the memory ({@link Futexes}),
     * and no arena can be closed meanwhile. Such a thread belongs to a call that ends, because its rank has left the
     * job. Its sleep is limited, so this method waits for it.
     *
     * @param arena the arena
     * @throws IllegalStateException if the arena is still in use after a second
     */
    static void close(Arena arena) {
        long startNanos = System.nanoTime();
        while (true) {
            try {
                arena.close();
                return;
            } catch (IllegalStateException inUse) {
                if (System.nanoTime() - startNanos > CLOSING_NANOS_MAX) {
                    throw inUse;
                }
                LockSupport.parkNanos(CLOSING_PAUSE_NANOS);
            }
        }
    }

    /**
     * Returns whether every thread may access a segment. If the segment belongs to a confined arena, only the arena's
     * owner may.
     *
     * @param segment any memory
     * @return whether every thread may access it
     */
    public static boolean isOpenToAll(MemorySegment segment) {
        return segment.isAccessibleBy(STRANGER);
    }

    /**
     * Returns a size rounded up to whole cache lines.
     *
     * @param bytes the size, 0 or more
     * @return the least multiple of {@link Words#LINE_BYTES} that is not less than the size
     */
    public static long roundToLines(long bytes) {
        return (bytes + Words.LINE_BYTES - 1) & -Words.LINE_BYTES;
    }
}
