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
 * they run. An operation may have two windows: one that it shows, and an inbox. An operation gives its windows back
 * when the rank leaves the operation. The pool hands a shown window out again when its operation is <i>closed</i>, that
 * is, when all ranks of the node have left it. An inbox that no other rank of the node reads is free immediately.
 *
 * <p><b>The ring.</b> The blocking operations of one thread follow each other, and so do their windows. The thread
 * takes these windows from a {@link WindowRing}, without a lock. The ring belongs to the first thread that needs it.
 * When that thread has ended, the ring belongs to the next thread that needs it. At first the ring is short. At the
 * first large call a long ring replaces it. A window of the ring may stay taken for long if its communicator is broken.
 * A new ring then replaces the ring.
 *
 * <p><b>Blocks.</b> Any other operation, non-blocking or of another thread, shows data in a block of its own. The block
 * has {@value #SMALL_BYTES} bytes or the length of the greatest window of a ring. Let m be {@link
 * OperationSequence#AT_ONCE_MAX}. A non-blocking operation s begins only when operation s − m is closed, and a blocking
 * operation s waits for the same before it shows data. A communicator therefore shows data in at most m blocks of
 * either size. Data that are longer than the greatest window of a ring, which is half of a long ring, always need a
 * block. A communicator has at most {@value #LONG_AT_ONCE_MAX} of these long blocks. Inboxes are blocks, too; {@link
 * OperationWindows} determines their lengths and numbers. The pool releases idle blocks to the node's memory if no
 * operation needed them while {@value #RETURNS} blocks came back.
 *
 * <p><b>Why no wait is circular.</b> An operation waits only for two kinds of windows: those of blocking operations
 * that its own thread was in before, and those of earlier operations of its own communicator. These operations are
 * closed whatever this one does. No operation waits for another thread's window, because that thread may be in an
 * operation that the other ranks enter only after this one. The deadline and the checks of the waiting operation end a
 * wait. No operation waits for a window of a broken communicator, because other ranks may notice that it is broken only
 * when they use it again. Until then the pool sets aside the blocks of that communicator, and the ring that holds its
 * windows.
 *
 * <p><b>Memory ordering.</b> A thread becomes the owner of the ring by setting the owner field under the lock, when the
 * previous owner has ended. A thread that finds itself in the field is therefore the only one that uses the ring, and
 * sees everything that the previous owner did. The lock guards all other state. A thread uses a window again, in a
 * block or in the ring, only after it has loaded the left words of all ranks of the node with acquire order. These
 * words show that all ranks have left the operation that had the window.
 */
public final class WindowPool {
    private static final long SMALL_BYTES = 32 << 10;
    private static final int WINDOWS_OF_RING = 2;
    private static final int RETURNS = 64;

    /**
     * The greatest number of operations of a communicator that may have, at the same time, a window longer than the
     * greatest window of a ring.
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
     * Takes a window, memory in which this rank will show data to the other ranks of its node. If too many windows are
     * in use, this method waits until one of them is free.
     *
     * @param bytes the length of the window, 1 or more
     * @param inFlightMax the greatest number of windows of the ring that may be in use, this one included
     * @param user the waits of the operation that takes the window; its deadline and checks end the wait
     * @return a window of at least {@code bytes} bytes
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
     * Returns the length of the block for a window that is too long for a ring. Such blocks have few different lengths,
     * so that they can be used again.
     *
     * @param bytes the length of the window
     * @param windowBytesMax the length of the greatest window of a ring
     * @return the least multiple of {@code windowBytesMax} that is not less than {@code bytes}
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

    /** Takes a window that is a block of the given length. Prefers an idle block to a new one. */
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
     * Moves windows that have become free to the idle windows, and releases rings that have become free. The idle
     * windows that were used last are taken again first, because they are still in caches.
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
     * Takes a window back from an operation that this rank leaves. A window of the ring stays there, because the ring
     * itself records which operations have its windows.
     *
     * @param window the window of the operation
     * @param isRead whether other ranks of the node may still read the window
     * @param user the waits of the operation, which tell its communicator and number
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
