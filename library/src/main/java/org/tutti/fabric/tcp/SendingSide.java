/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

import org.tutti.memory.LongWait;
import org.tutti.memory.Waiter;

/**
 * The sending lock of a {@link Peer}, and the duties of its holder. The holder adds frames of its own, and waits for
 * room if necessary. Before it releases the lock, it sends the frames that are owed to the other side, and writes the
 * rails' buffers ({@link #unlock(boolean)}).
 *
 * <p><b>The lock</b> is usually held for a short time. A thread tries it a few times before it queues, because queueing
 * creates an object, and blocking calls must create none. A thread that sends very much or waits for room may also hold
 * the lock for long. A queued thread therefore runs its check at intervals. The lock is fair among queued threads, and
 * a try overtakes all of them.
 *
 * <p><b>No deadlock.</b> A sender waits only for room in the outgoing buffer of some rail, and takes in arriving frames
 * meanwhile. A receiver never waits. It queues requests, at most {@value Requests#ENTRIES} of them, because the other
 * side may not have more unanswered requests. It defers frames that cannot take effect, until a later poll ({@link
 * DeferredFrames}). Two sides that fill each other's sockets therefore cannot deadlock.
 *
 * <p><b>No work is left behind.</b> A thread that finds the lock held leaves its work to the holder, which looks for
 * work once more after it has released the lock. The thread announces its work in volatile fields before it tries the
 * lock. The holder reads these fields after it has released the lock. Therefore, either the try succeeds, or the holder
 * sees the work.
 */
final class SendingSide {
    private static final int TRIES = 64;
    private static final long QUEUED_MILLIS = 20;
    private static final int YIELD_INTERVAL = 16;
    private static final long ROOM_NANOS = 50_000; // 62 KB at 10 Gbit/s; a full socket holds more
    private static final long ROOM_NANOS_MAX = 400_000;
    private static final int PARK_INTERVAL = 64 * YIELD_INTERVAL;

    private final Session session;
    private final ReentrantLock lock = new ReentrantLock(true);
    private final Outbound outbound;
    private final Waiter.Progress progress;
    private final LongWait waitForRoom = new LongWait(); // of the holder of the lock

    /**
     * Creates the sending side of a peer.
     *
     * @param progress polls all processes while a call waits
     */
    SendingSide(Session session, Outbound outbound, Waiter.Progress progress) {
        this.session = session;
        this.outbound = outbound;
        this.progress = progress;
    }

    /** Acquires the lock without a check. The process must not be connected yet, so that no holder waits for room. */
    void lock() {
        lock.lock();
    }

    boolean tryLock() {
        return lock.tryLock();
    }

    boolean isLocked() {
        return lock.isLocked();
    }

    /** Acquires the lock. If the check throws, this method passes the exception on and does not acquire the lock. */
    void lock(Waiter.Check check) {
        for (int turn = 0; turn < TRIES; turn++) {
            if (lock.tryLock()) {
                return;
            }
            Thread.yield();
        }
        queue(check);
    }

    /**
     * Acquires the lock after the threads that have queued before. If the check throws, this method passes the
     * exception on and does not acquire the lock.
     */
    private void queue(Waiter.Check check) {
        boolean locked = false;
        try (var wait = new LongWait()) {
            while (!locked) {
                try {
                    locked = lock.tryLock(QUEUED_MILLIS, TimeUnit.MILLISECONDS);
                } catch (InterruptedException _) {
                    Thread.currentThread().interrupt(); // the check handles the interrupt
                    Thread.yield();
                    locked = lock.tryLock();
                }
                if (!locked) {
                    check.check();
                    wait.turn(check);
                }
            }
        }
    }

    /** Sends the owed frames, writes the rails' buffers, and releases the lock. */
    void unlock() {
        unlock(true);
    }

    /**
     * Sends the owed frames, and releases the lock. If frames were owed, the rails' buffers are written, because the
     * other side may wait for these frames.
     *
     * @param writes whether to write the buffers even if no frames were owed
     */
    void unlock(boolean writes) {
        do {
            try {
                if (lock.getHoldCount() == 1) { // else an outer call waits for room, and does this itself
                    boolean urgent = writes || owesWork(); // the other side may wait for owed frames
                    outbound.serve();
                    if (urgent && outbound.isDirty()) {
                        outbound.write();
                    }
                }
            } finally {
                lock.unlock();
            }
        } while (!lock.isHeldByCurrentThread() && owesWork() && lock.tryLock());
    }

    private boolean owesWork() {
        return session.isOpen() && outbound.owesWork();
    }

    /**
     * Lets queued threads hold the lock between two parts of a long transfer. The caller must not hold the lock. It
     * queues behind the other threads, because the lock is fair.
     */
    void giveTurn(Waiter.Check check) {
        if (lock.hasQueuedThreads()) {
            queue(check);
            unlock(false);
        }
    }

    /** Returns whether there is something to send. */
    boolean isWanted() {
        return session.isOpen() && outbound.isAny();
    }

    /** Sends as much as is possible without waiting. */
    void pump() {
        if (isWanted() && lock.tryLock()) {
            unlock();
        }
    }

    // ---- waiting for room, under the lock

    /** Waits until a rail has room for a number of bytes, and returns the rail; null if the other side is gone. */
    Rail railWithRoom(int bytes, Waiter.Check check) {
        assert lock.isHeldByCurrentThread()
                : bytes + " bytes are to be sent to " + session.process() + " without the lock";
        try {
            for (int turn = 1; !session.isGone(); turn++) {
                Rail rail = outbound.railWithRoom(bytes);
                if (rail != null) {
                    return rail;
                }
                if (!outbound.write()) {
                    giveWay(turn, check);
                }
            }
            return null;
        } finally {
            endGivingWay();
        }
    }

    /**
     * Lets other threads run, because one of them may make room. When there is room, or none is needed any more, {@link
     * #endGivingWay} must be called.
     */
    void giveWay(int turn, Waiter.Check check) {
        assert lock.isHeldByCurrentThread() : "who sends to " + session.process() + " gives way without the lock";
        waitForRoom.turn(check);
        outbound.serve();
        if (check.sleepNanos(Long.MAX_VALUE) == 0 || lock.hasQueuedThreads()) { // a queued thread may be in a hurry
            pollAndYield(turn, check);
        } else {
            boolean any = progress.poll(); // the service thread leaves polling to this thread
            check.check();
            if (!any) {
                LockSupport.parkNanos(Math.min(turn * ROOM_NANOS, ROOM_NANOS_MAX));
            }
        }
    }

    /** Ends a wait for room. */
    void endGivingWay() {
        waitForRoom.close();
    }

    /** Takes in the frames that have arrived, and yields the core at intervals. */
    void pollAndYield(int turn, Waiter.Check check) {
        progress.poll();
        if (turn % YIELD_INTERVAL == 0) {
            check.check();
            if (turn % PARK_INTERVAL == 0 && Thread.currentThread().isVirtual()) {
                LockSupport.parkNanos(1); // else its carrier might never run the thread that makes room: Waiter
            } else {
                Thread.yield();
            }
        }
    }
}
