/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

import org.tutti.memory.LongWait;
import org.tutti.memory.Waiter;

/**
 * The sending side of a {@link Peer}: its lock, and what the holder does besides adding frames of its own: it waits for
 * room, sends what is owed to the other side, and writes.
 *
 * <p><b>The lock</b> is mostly held for short, so who wants it tries a few times first: who queues makes an object,
 * which blocking calls do not. It may also be held for long, by who sends very much or waits for room; so who queues
 * looks for reasons to give up. It is a fair lock, which matters to who queues only: tries overtake them all.
 *
 * <p><b>No waiting for each other.</b> Whoever sends waits only for room in the outgoing buffer of some rail, and takes
 * in what arrives meanwhile; whoever takes in never waits: what has to be answered is queued, at most {@value
 * Requests#PLACES} requests, since the other side may not have more unanswered; and what cannot take effect yet is set
 * aside until a later poll ({@link DeferredFrames}). So two sides that fill each other's sockets cannot lock up.
 *
 * <p><b>No work is left behind.</b> Whoever finds the lock taken leaves its work to the holder, who looks for work once
 * more after it has given the lock back. The work is said in volatile fields before the lock is tried, and looked for
 * after it was given back: one of the two sees it.
 */
final class SendingSide {
    private static final int TRIES = 64;
    private static final long QUEUED_MILLIS = 20;
    private static final int YIELD_INTERVAL = 16;
    private static final long ROOM_NANOS = 50_000; // 62 KB at 10 Gbit/s: a socket that is full has more
    private static final long ROOM_NANOS_MAX = 400_000;
    private static final int PARK_INTERVAL = 64 * YIELD_INTERVAL;

    private final Session session;
    private final ReentrantLock lock = new ReentrantLock(true);
    private final Outbound outbound;
    private final Waiter.Progress progress;
    private final LongWait waitForRoom = new LongWait(); // of the holder of the lock

    /** @param progress takes in what arrives, from all processes, while a call waits */
    SendingSide(Session session, Outbound outbound, Waiter.Progress progress) {
        this.session = session;
        this.outbound = outbound;
        this.progress = progress;
    }

    void lock() {
        lock.lock();
    }

    boolean tryLock() {
        return lock.tryLock();
    }

    boolean isLocked() {
        return lock.isLocked();
    }

    /** Takes the lock, unless the check throws. */
    void lock(Waiter.Check check) {
        for (int turn = 0; turn < TRIES; turn++) {
            if (lock.tryLock()) {
                return;
            }
            Thread.yield();
        }
        queue(check);
    }

    /** Takes the lock when those have had it who have queued before, unless the check throws. */
    private void queue(Waiter.Check check) {
        boolean locked = false;
        try (var wait = new LongWait()) {
            while (!locked) {
                try {
                    locked = lock.tryLock(QUEUED_MILLIS, TimeUnit.MILLISECONDS);
                } catch (InterruptedException _) {
                    Thread.currentThread().interrupt(); // what that means is the check's business
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

    void unlock() {
        unlock(true);
    }

    /** Sends what is owed, and gives the lock back; writes what is in the buffers if it is to, or anything is owed. */
    void unlock(boolean writes) {
        do {
            try {
                if (lock.getHoldCount() == 1) { // else inside a call that waits for room, and does this itself
                    boolean urgent = writes || owesWork(); // the other side may wait for what it is owed
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

    /** Between the parts of something long, without the lock: whoever has queued for it comes first, as it is fair. */
    void giveTurn(Waiter.Check check) {
        if (lock.hasQueuedThreads()) {
            queue(check);
            unlock(false);
        }
    }

    /** Whether there is something to send that nobody is about to send. */
    boolean isWanted() {
        return session.isOpen() && outbound.isAny();
    }

    /** Sends what is there to send, without waiting. */
    void pump() {
        if (isWanted() && lock.tryLock()) {
            unlock();
        }
    }

    // ---- waiting for room, under the lock

    /** A rail that takes so many bytes, or null when the other side is gone. */
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

    /** Lets others get on, of whom one may make room; when there is room, or none is needed, that has to end. */
    void giveWay(int turn, Waiter.Check check) {
        assert lock.isHeldByCurrentThread() : "who sends to " + session.process() + " gives way without the lock";
        waitForRoom.turn(check);
        outbound.serve();
        if (check.sleepNanos(Long.MAX_VALUE) == 0 || lock.hasQueuedThreads()) { // who has queued may be in a hurry
            pollAndYield(turn, check);
        } else {
            boolean any = progress.poll(); // the service thread leaves it to who is in here
            check.check();
            if (!any) {
                LockSupport.parkNanos(Math.min(turn * ROOM_NANOS, ROOM_NANOS_MAX));
            }
        }
    }

    void endGivingWay() {
        waitForRoom.close();
    }

    /** Takes in what has arrived, and gives up the core now and then. */
    void pollAndYield(int turn, Waiter.Check check) {
        progress.poll();
        if (turn % YIELD_INTERVAL == 0) {
            check.check();
            if (turn % PARK_INTERVAL == 0 && Thread.currentThread().isVirtual()) {
                LockSupport.parkNanos(1); // or its carrier might never come to who is to make room: Waiter
            } else {
                Thread.yield();
            }
        }
    }
}
