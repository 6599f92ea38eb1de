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
 * The memory that a rank shows to the others of its node and invites other nodes to: one pool for each rank, from which
 * the operations of all its communicators take windows, on whatever threads they run. Who has taken a window says when
 * it leaves the operation; the window is taken again when all ranks of the node have left it.
 *
 * <p><b>The ring.</b> The blocking operations of one thread follow each other, and so do their windows: they take them
 * from a {@link WindowRing}, without a lock. It belongs to the first thread that needs it, and to another one when that
 * has ended. At first it is short; another one takes its place at the first large call, and when a window may not be
 * free for long.
 *
 * <p><b>Blocks.</b> Any other operation, non-blocking or of another thread, has a block of its own, of {@value
 * #SMALL_BYTES} bytes or of the greatest window's size. It begins, or shows, when the operation {@link
 * OperationSequence#AT_ONCE_MAX} before it is closed, so there are at most as many of a communicator. So has an
 * operation that shows more than a ring has room for; of these there are {@value #LONG_AT_ONCE_MAX} of a communicator.
 * Of the blocks that nobody has, those go back to the node's memory that were not needed while {@value #RETURNS} others
 * came back.
 *
 * <p><b>Who waits for whom.</b> An operation waits for windows of blocking operations that its own thread was in before
 * it, and for earlier ones of its own communicator. Those are closed whatever this operation does. It never waits for
 * another thread's: that may be in an operation that the others come to only after this one. Who waits does so by its
 * own deadline and checks, and for no window of a communicator that is broken, as others may notice that only when they
 * use it again. Until then its blocks, and the ring that it has windows in, are aside.
 *
 * <p>Memory ordering: the owner thread's field is set under the lock, by the thread itself, when no other one lives
 * that it could belong to; so who finds itself there is alone with the ring, and sees what the owner before it did. All
 * else is under the lock. A block is free when its left words were loaded with acquire order, as in the ring.
 */
public final class WindowPool {
    private static final long SMALL_BYTES = 32 << 10;
    private static final int WINDOWS_OF_RING = 2;
    private static final int RETURNS = 64;

    /** So many operations of a communicator have a window that is longer than the greatest of the ring. */
    public static final int LONG_AT_ONCE_MAX = 2;

    private final Memory memory;
    private final long windowBytesMax;
    private WindowRing ring;
    private Thread owner;

    private final Lock lock = new ReentrantLock();
    private final List<Window> leaving = new ArrayList<>();
    private final List<WindowRing> leavingRings = new ArrayList<>();
    private final List<Window> idle = new ArrayList<>(); // the last that came back is the last here
    private int returned;
    private int spare; // so many were always idle since some were released

    /**
     * @param memory the node's memory
     * @param windowBytesMax the greatest window
     */
    public WindowPool(Memory memory, long windowBytesMax) {
        this.memory = memory;
        this.windowBytesMax = windowBytesMax;
    }

    /** {@return the node's memory} */
    public Memory memory() {
        return memory;
    }

    /** {@return the greatest window} */
    public long windowBytesMax() {
        return windowBytesMax;
    }

    /**
     * Takes a window in which others will be shown something.
     *
     * @param bytes how many, more than zero
     * @param inFlightMax how many windows of the ring there may be at once, this one included
     * @param user the operation that takes it, by what that waits with
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

    /** How long the block is that a window has which is longer than the greatest of the ring. */
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

    /** Takes a window that is a block of so many bytes. */
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

    /** Looks which windows have become free: those used last are the first to be taken again, and still in caches. */
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
     * Takes note that this rank leaves the operation that has taken a window.
     *
     * @param window the window
     * @param isRead whether others of the node may still read it
     * @param user the operation
     */
    void giveBack(Window window, boolean isRead, OperationWait user) {
        if (window.isInRing()) {
            return; // which knows its tenants
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
