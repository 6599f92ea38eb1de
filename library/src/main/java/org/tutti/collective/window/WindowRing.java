/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.window;

import org.tutti.collective.machine.Machine;
import org.tutti.collective.operation.OperationSequence;
import org.tutti.collective.operation.OperationWait;
import org.tutti.memory.Memory;

/**
 * A ring of bytes in which the blocking operations of one thread show data to the other ranks of the node. The
 * operations may belong to any communicators of the rank. (The block of a communicator is also called a ring; it has
 * nothing to do with this one.)
 *
 * <p>Every operation takes a window, a part of consecutive bytes, and keeps it until all ranks of the node have left
 * the operation. Windows are taken and given back in the same order. A window is at most half of the ring. Therefore
 * large operations may have two windows in flight, and small operations may have many. Short windows begin at the front
 * of the ring again after as many windows as the communicator may have operations in flight, if the front is free. Thus
 * their cache lines stay in a core's first caches, which have no room for a whole ring.
 *
 * <p>Memory ordering: the owner of the ring writes to a window again only after it has loaded the left words of all
 * ranks of the node with acquire order. Each rank has stored its left word with release order, after its last read of
 * the window.
 */
final class WindowRing {
    private static final int TENANTS_MAX = 64;

    private final Window window;
    private final long capacity;

    /**
     * The number of bytes that windows have taken since the ring was made, skipped bytes included. The next window
     * begins at {@code position % capacity}.
     */
    private long position;

    /**
     * The communicators of the operations that have the windows. The array {@link #numbers} has the numbers of these
     * operations.
     */
    private final OperationSequence[] sequences = new OperationSequence[TENANTS_MAX];
    private final long[] numbers = new long[TENANTS_MAX];
    private final long[] starts = new long[TENANTS_MAX];
    private final long[] sizes = new long[TENANTS_MAX];
    private int oldest;
    private int tenants;

    /**
     * Creates a ring without windows.
     *
     * @param memory the node's memory
     * @param bytes the length of the ring in bytes, at least twice that of the longest window
     */
    WindowRing(Memory memory, long bytes) {
        this.window = new Window(memory, bytes, true);
        this.capacity = bytes;
    }

    long bytes() {
        return capacity;
    }

    /**
     * Takes a window for an operation. Waits until enough bytes of the ring are free. The returned object is valid
     * until the next window is taken.
     *
     * @param bytes the length of the window, from 1 to half of the ring's length
     * @param inFlightMax the greatest number of windows that may be in use, this one included
     * @param user the waits of the operation that takes the window; its deadline and checks end the wait
     * @return the window, or null if the bytes may never become free because a communicator is broken
     */
    Window take(long bytes, int inFlightMax, OperationWait user) {
        long size = Memory.roundToLines(bytes);
        assert bytes > 0 && 2 * bytes <= capacity : this + " has no window of " + bytes;
        long offset = position % capacity;
        long front = position + capacity - offset;
        boolean fits = offset + size <= capacity;
        boolean isHot = offset + size <= user.slots() * size;
        long start = fits && (isHot || !isFrontFree(front, size, user.slots())) ? position : front;
        while (tenants > 0 && (tenants >= Math.min(inFlightMax, TENANTS_MAX)
                || start + size > starts[oldest] + capacity)) {
            if (!user.awaitClosed(sequences[oldest], numbers[oldest])) {
                return null;
            }
            evictOldest();
        }
        assert isPlace(start, size) : this + " has no window of " + size + " bytes at " + start;
        int newest = (oldest + tenants) % TENANTS_MAX;
        sequences[newest] = user.operations();
        numbers[newest] = user.sequence();
        starts[newest] = start;
        sizes[newest] = size;
        tenants++;
        position = start + size;
        return window.moveTo(start % capacity);
    }

    /**
     * Returns whether a new window at the front of the ring would overwrite only windows of operations that are known
     * to be closed. Further windows of the same size would follow it. If these would soon overwrite longer windows, the
     * longer windows must be of closed operations, too.
     */
    private boolean isFrontFree(long front, long size, int others) {
        while (tenants > 0 && front + size > starts[oldest] + capacity) {
            if (!isKnownClosed(oldest)) {
                return false;
            }
            evictOldest();
        }
        for (int i = 0; i < tenants; i++) {
            int tenant = (oldest + i) % TENANTS_MAX;
            if (starts[tenant] + capacity >= front + others * size) {
                break;
            }
            if (sizes[tenant] > size && !isKnownClosed(tenant)) {
                return false;
            }
        }
        return true;
    }

    private boolean isKnownClosed(int tenant) {
        return sequences[tenant].isKnownClosed(numbers[tenant]);
    }

    /**
     * Returns whether a window overwrites no other window and does not reach beyond the end of the ring; for
     * assertions.
     */
    private boolean isPlace(long start, long size) {
        return start >= position && start % capacity + size <= capacity && tenants < TENANTS_MAX
                && (tenants == 0 || start + size <= starts[oldest] + capacity);
    }

    @Override
    public String toString() {
        return "a ring of " + capacity + " bytes with " + tenants + " windows from " + starts[oldest] + " to "
                + position;
    }

    private void evictOldest() {
        assert tenants > 0 : "there is no window in the ring";
        sequences[oldest] = null;
        oldest = (oldest + 1) % TENANTS_MAX;
        tenants--;
    }

    /**
     * Returns whether all ranks of the node have left all operations that had windows in this ring. A caller may call
     * this method only if no further windows are taken from the ring.
     */
    boolean isFree(Machine machine) {
        while (tenants > 0 && sequences[oldest].behind(machine, numbers[oldest]) == OperationSequence.NOBODY) {
            evictOldest();
        }
        return tenants == 0;
    }

    void release(Machine machine, Memory memory) {
        assert tenants == 0 : tenants + " windows are in a ring that is released";
        window.release(machine, memory);
    }
}
