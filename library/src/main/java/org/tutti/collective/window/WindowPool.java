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
 * The pool of a rank's windows. A window is memory that the rank shows to the other ranks of its node, or invites other
 * nodes to. A rank has one pool, from which the operations of all its communicators take windows, on whatever threads
 * they run. An operation may have two windows: one that it shows, and an inbox. It gives its windows back when the rank
 * leaves the operation. The pool hands a shown window out again when the operation is <i>closed</i>: all ranks of the
 * node have left it. An inbox that no other rank of the node reads is free immediately.
 *
 * <p><b>The ring.</b> The blocking operations of one thread follow each other, and so do their windows. The thread
 * takes them from a {@link WindowRing}, without a lock. The ring belongs to the first thread that needs it. When that
 * thread has ended, the ring belongs to the next thread that needs it. At first the ring is short. At the first large
 * call a long ring replaces it. If a window of the ring may stay taken for long, because its communicator is broken, a
 * new ring replaces the ring.
 *
 * <p><b>Blocks.</b> Any other operation, non-blocking or of another thread, shows in a block of its own. The block has
 * {@value #SMALL_BYTES} bytes or the length of the greatest window of a ring. Let m be {@link
 * OperationSequence#AT_ONCE_MAX}. A non-blocking operation s begins, and a blocking operation s shows, only when
 * operation s − m is closed, so a communicator shows in at most m blocks of either size. A blocking operation also has
 * a block if it shows more than the greatest window of a ring, which is half of a long ring; a communicator has at most
 * {@value #LONG_AT_ONCE_MAX} of these. Inboxes are blocks, too; {@link OperationWindows} determines their lengths and
 * numbers. The pool releases idle blocks to the node's memory if they were not needed while {@value #RETURNS} blocks
 * came back.
 *
 * <p><b>Why no wait is circular.</b> An operation waits for windows of blocking operations that its own thread was in
 * before it, and for windows of earlier operations of its own communicator. Those operations are closed whatever this
 * one does. No operation waits for another thread's window, because that thread may be in an operation that the other
 * ranks enter only after this one. A wait ends by the deadline and the checks of the waiting operation. No operation
 * waits for a window of a communicator that is broken, because other ranks may notice the breakage only when they use
 * the communicator again. Until then its blocks, and the ring that it has windows in, are set aside.
 *
 * <p><b>Memory ordering.</b> A thread becomes the owner of the ring by setting the owner field under the lock, when the
 * previous owner has ended. A thread that finds itself in the field is therefore the only one that uses the ring, and
 * sees everything that the previous owner did. All other state is under the lock. As in the ring, a thread takes a
 * block for free only after it has loaded, with acquire order, left words that show that all ranks of the node have
 * left.
 */
public final class WindowPool {
    private static final long SMALL_BYTES = 32 << 10;
    private static final int WINDOWS_OF_RING = 2;
    private static final int RETURNS = 64;

    /**
     * The greatest number of operations of a communicator that have a window longer than the greatest window of a ring,
     * at the same time.
     */
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
     * Creates the pool of a rank, without windows.
     *
     * @param memory the node's memory
     * @param windowBytesMax the length of the greatest window of a ring, in bytes
     */
    public WindowPool(Memory memory, long windowBytesMax) {
        this.memory = memory;
        this.windowBytesMax = windowBytesMax;
    }

    /** {@return the node's memory} */
    public Memory memory() {
        return memory;
    }

    /** {@return the length of the greatest window of a ring, in bytes} */
    public long windowBytesMax() {
        return windowBytesMax;
    }

    /**
     * Takes a window in which this rank will show data. Waits until the limits on the number of windows allow it.
     *
     * @param bytes the length of the window, 1 or more
     * @param inFlightMax the number of windows of the ring that may be in use, this one included
     * @param user the waits of the operation that takes the window; its deadline and checks end the wait
     * @return the window, of at least that length
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

    /**
     * Returns the length of the block for a window that is longer than the greatest window of a ring: a multiple of
     * that window's length.
     */
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

    /** Takes a window that is a block of the given length, an idle one if there is one. */
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
     * Moves windows that have become free to the idle ones, and releases rings that have become free. Windows that were
     * used last are taken again first, because they are still in caches.
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
     * Takes a window back, because this rank leaves the operation that has it. A window of the ring stays there,
     * because the ring itself records which operations have its windows.
     *
     * @param window the window
     * @param isRead whether other ranks of the node may still read the window
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
