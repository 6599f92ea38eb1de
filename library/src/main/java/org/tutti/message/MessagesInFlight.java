/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The non-blocking sends and receives of a rank that have not ended, of all communicators. A thread of the rank that
 * waits in any call moves them on ({@link MessageProgress}). While no thread waits, a thread of the process does so,
 * every half millisecond, and also looks whether a deadline has passed or a rank has failed.
 */
final class MessagesInFlight {
    /** A non-blocking send or receive. */
    interface Message {
        /** Returns whether the message has ended. */
        boolean hasEnded();

        /** Moves the message on without waiting, unless another thread does so. Returns whether it has moved. */
        boolean tryAdvance();

        /** Returns whether the message can be moved on again soon, because a transfer on this node has begun. */
        boolean canMoveSoon();

        /** Ends the message if its wait must end. */
        void check();
    }

    /** The most non-blocking messages of a rank at a time. */
    static final int COUNT_MAX = 1 << 14;

    private static final int LOOKS_PER_CHECK = 20;

    private final Set<Message> messages = ConcurrentHashMap.newKeySet();
    private final AtomicInteger count = new AtomicInteger();
    private final Queue<Message> woken = new ConcurrentLinkedQueue<>();
    private final Lock lock = new ReentrantLock();
    private final List<Message> moving = new ArrayList<>(); // guarded by the lock
    private volatile int movingCount;
    private volatile boolean isAnyOnItsWay;
    private final AtomicInteger checksRequested = new AtomicInteger();
    private int looks;

    /** Adds a message that has begun. */
    void add(Message message) {
        if (messages.add(message)) {
            count.incrementAndGet();
        }
    }

    /** Removes a message that has ended. */
    void remove(Message message) {
        if (messages.remove(message)) {
            count.decrementAndGet();
        }
    }

    /** Lets each poll move a message on from here on, because it does not only wait for a match any more. */
    void wake(Message message) {
        woken.add(message);
    }

    /** Throws if another message would be too many. */
    void requireRoom(String rank) {
        if (count.get() >= COUNT_MAX) {
            throw new IllegalStateException(rank + " has " + count
                    + " non-blocking messages in flight, which is the limit; await some of them first");
        }
    }

    /** Returns whether a transfer on this node has begun, so that another poll soon may move it. */
    boolean isAnyOnItsWay() {
        return isAnyOnItsWay;
    }

    boolean isEmpty() {
        return count.get() == 0;
    }

    /**
     * Moves the messages on without waiting. Receives that no message has matched are left out. Returns whether a
     * message has moved.
     */
    boolean poll() {
        if (movingCount == 0 && woken.isEmpty() || !lock.tryLock()) {
            return false;
        }
        try {
            for (Message next = woken.poll(); next != null; next = woken.poll()) {
                moving.add(next);
            }
            boolean hasMoved = false;
            boolean canMove = false;
            for (int i = 0; i < moving.size(); i++) {
                hasMoved |= moving.get(i).tryAdvance();
                canMove |= moving.get(i).canMoveSoon();
            }
            moving.removeIf(Message::hasEnded);
            movingCount = moving.size();
            isAnyOnItsWay = canMove && movingCount > 0;
            return hasMoved;
        } finally {
            lock.unlock();
        }
    }

    /** Ends the messages that must not go on, now and then. */
    void look() {
        if (++looks % LOOKS_PER_CHECK == 0) {
            startCheck();
        }
    }

    /**
     * Ends the messages that must not go on, for example because a deadline has passed. A thread of its own does so,
     * because a rank on another node must be told, which may wait.
     */
    void startCheck() {
        if (!isEmpty() && checksRequested.getAndIncrement() == 0) {
            Thread.ofVirtual().name("tutti message check").start(this::check);
        }
    }

    /** Checks until no check is requested any more, because a reason may come after a message was checked. */
    private void check() {
        int requested;
        do {
            requested = checksRequested.get();
            messages.forEach(Message::check);
        } while (checksRequested.addAndGet(-requested) > 0);
    }
}
