/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.window;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import org.tutti.collective.machine.Machine;
import org.tutti.collective.operation.OperationSequence;
import org.tutti.collective.operation.OperationWait;
import org.tutti.memory.Memory;

/**
 * The windows of a rank: the memory that it shows to the others of its node and invites other nodes to. A rank has one
 * pool, from which the operations of all its communicators take windows, on whatever threads they run. An operation
 * gives its window back when the rank leaves the operation; the pool hands the window out again when all ranks of the
 * node have left it.
 *
 * <p><b>The ring.</b> The blocking operations of one thread follow each other, and so do their windows. The thread
 * takes them from a {@link WindowRing}, without a lock. The ring belongs to the first thread that needs it, and to
 * another thread when that one has ended. At first it is short. A long ring replaces it at the first large call, and a
 * new one replaces it when a window may stay taken for long.
 *
 * <p><b>Blocks.</b> Any other operation, non-blocking or of another thread, has a block of its own, of {@value
 * #SMALL_BYTES} bytes or of the greatest window's size. It begins, or shows, when the operation {@link
 * OperationSequence#AT_ONCE_MAX} before it is closed, so a communicator has at most that many blocks of either size. An
 * operation that shows more than fits into a ring has a block, too, and a communicator has {@value #LONG_AT_ONCE_MAX}
 * of these. Idle blocks go back to the node's memory if they were not needed while {@value #RETURNS} others came back.
 *
 * <p><b>Why no wait is circular.</b> An operation waits for windows of blocking operations that its own thread was in
 * before it, and for windows of earlier operations of its own communicator. Those operations are closed whatever this
 * one does. No operation waits for another thread's window, because that thread may be in an operation that the other
 * ranks enter only after this one. A wait ends by the deadline and the checks of the waiting operation. No operation
 * waits for a window of a communicator that is broken, because other ranks may notice the breakage only when they use
 * the communicator again. Until then its blocks, and the ring that it has windows in, are set aside.
 *
 * <p><b>Memory ordering.</b> A thread becomes the owner of the ring by setting the owner field under the lock, when the
 * thread in it has ended. A thread that finds itself there is therefore alone with the ring, and sees what the owner
 * before it did. All other state is under the lock. A block is free when the left words were loaded with acquire order,
 * as in the ring.
 */
public final class WindowPool {
    private static final long SMALL_BYTES = 32 << 10;
    private static final int WINDOWS_OF_RING = 2;
    private static final int RETURNS = 64;

    /** The number of operations of a communicator that may have a window longer than the greatest of the ring. */
    public static final int LONG_AT_ONCE_MAX = 2;

    private final Memory memory;
    private final long windowBytesMax;
    private WindowRing ring;
    private Thread owner;

    private final Lock lock = new ReentrantLock();
    private final List<Window> leaving = new ArrayList<>();
    private final List<WindowRing> leavingRings = new ArrayList<>();
    private final List<Window> idle = new ArrayList<>(); // in the order in which they came back
    private int returned;
    private int spare; // the least number of idle ones since some were released

    /**
     * Makes the pool of a rank.
     *
     * @param memory the node's memory
     * @param windowBytesMax the greatest window of a ring, in bytes
     */
    public WindowPool(Memory memory, long windowBytesMax) {
        this.memory = memory;
        this.windowBytesMax = windowBytesMax;
    }

    /** {@return the node's memory} */
    public Memory memory() {
        return memory;
    }

    /** {@return the greatest window of a ring, in bytes} */
    public long windowBytesMax() {
        return windowBytesMax;
    }

    /**
     * Takes a window in which this rank will show data.
     *
     * @param bytes how many, more than zero
     * @param inFlightMax the number of windows that the ring may have in use, this one included
     * @param user the waits of the operation that takes it
     * @return the window
     */
    Window take(long bytes, int inFlightMax, OperationWait user) {
        assert bytes > 0 && inFlightMax > 0 : inFlightMax + " windows of " + bytes + " bytes";
        if (bytes > windowBytesMax) {
            user.awaitClosed(user.sequence() - LONG_AT_ONCE_MAX);
            return takeBlock(longBytes(bytes, windowBytesMax), user.machine());
        }
        if (user.isBlocking() && (isOwner() || becomesOwner(user.machine()))) {
            return takeFromRing(bytes, inFlightMax, user);
        }
        user.awaitClosed(user.sequence() - OperationSequence.AT_ONCE_MAX);
        return takeBlock(bytes <= SMALL_BYTES ? SMALL_BYTES : windowBytesMax, user.machine());
    }

    /** Returns the length of the block for a window that is longer than the greatest of the ring. */
    public static long longBytes(long bytes, long windowBytesMax) {
        return (bytes + windowBytesMax - 1) / windowBytesMax * windowBytesMax;
    }

    @SuppressWarnings("ReferenceEquality")
    private boolean isOwner() {
        return owner == Thread.currentThread();
    }

    private boolean becomesOwner(Machine machine) {
        machine.lock(lock);
        try {
            if (owner == null || !owner.isAlive()) {
                owner = Thread.currentThread();
            }
            return isOwner();
        } finally {
            machine.unlock(lock);
        }
    }

    private Window takeFromRing(long bytes, int inFlightMax, OperationWait user) {
        Window window = null;
        assert isOwner() : Thread.currentThread() + " takes a window of the ring of " + owner;
        if (ring != null && WINDOWS_OF_RING * bytes <= ring.bytes()) {
            window = ring.take(bytes, inFlightMax, user);
        }
        if (window == null) {
            replaceRing(bytes, user.machine());
            window = ring.take(bytes, inFlightMax, user);
        }
        return window;
    }

    private void replaceRing(long bytes, Machine machine) {
        boolean isShort = bytes <= SMALL_BYTES && (ring == null || ring.bytes() == WINDOWS_OF_RING * SMALL_BYTES);
        WindowRing before = ring;
        assert bytes <= windowBytesMax && isOwner() : bytes + " bytes of " + windowBytesMax + " on "
                + Thread.currentThread();
        ring = new WindowRing(memory, WINDOWS_OF_RING * (isShort ? SMALL_BYTES : windowBytesMax));
        if (before != null) {
            machine.lock(lock);
            try {
                leavingRings.add(before);
                collect(machine);
            } finally {
                machine.unlock(lock);
            }
        }
    }

    /** Takes a window that is a block of the given length. */
    Window takeBlock(long bytes, Machine machine) {
        Window block;
        machine.lock(lock);
        try {
            collect(machine);
            block = takeIdle(bytes);
        } finally {
            machine.unlock(lock);
        }
        return block == null ? new Window(memory, bytes, false) : block;
    }

    /**
     * Looks which windows have become free. Windows used last are taken again first, because they are still in caches.
     */
    private void collect(Machine machine) {
        for (int i = 0; i < leaving.size();) {
            Window window = leaving.get(i);
            if (window.isFree(machine)) {
                leaving.remove(i);
                putBack(window, machine);
            } else {
                i++;
            }
        }
        for (int i = leavingRings.size() - 1; i >= 0; i--) {
            if (leavingRings.get(i).isFree(machine)) {
                leavingRings.remove(i).release(machine, memory);
            }
        }
    }

    private Window takeIdle(long bytes) {
        for (int i = idle.size() - 1; i >= 0; i--) {
            if (idle.get(i).segment().byteSize() == bytes) {
                Window window = idle.remove(i);
                spare = Math.min(spare, idle.size());
                return window;
            }
        }
        return null;
    }

    private void putBack(Window window, Machine machine) {
        assert !idle.contains(window) && !leaving.contains(window) : "a window comes back twice";
        idle.add(window);
        returned++;
        if (returned == RETURNS) {
            idle.subList(0, spare).forEach(each -> each.release(machine, memory));
            idle.subList(0, spare).clear();
            returned = 0;
            spare = idle.size();
        }
    }

    /**
     * Notes that this rank leaves the operation that has taken a window.
     *
     * @param window the window
     * @param isRead whether other ranks of the node may still read it
     * @param user the waits of the operation
     */
    void giveBack(Window window, boolean isRead, OperationWait user) {
        if (window.isInRing()) {
            return; // the ring knows its tenants
        }
        window.setLast(isRead ? user.operations() : null, user.sequence());
        user.machine().lock(lock);
        try {
            assert !leaving.contains(window) && !idle.contains(window) : "operation " + user.sequence()
                    + " gives a window back twice";
            leaving.add(window);
        } finally {
            user.machine().unlock(lock);
        }
    }
}
