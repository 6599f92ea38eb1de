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

import org.tutti.collective.members.Members;

/**
 * The non-blocking sends and receives of a rank that can be moved on, of all communicators. A receive that no message
 * has matched is in the {@link Mailbox} alone. A thread of the rank that waits in any call moves the messages on
 * ({@link MessageProgress}). While no thread waits, a thread of the process does so, every half millisecond, and also
 * looks whether a deadline has passed or a rank has failed.
 */
final class MessagesInFlight {
    /** The most non-blocking messages of a rank at a time. */
    static final int COUNT_MAX = 1 << 14;

    private static final int LOOKS_PER_CHECK = 20;

    private final Background background;
    private final Mailbox mailbox;
    private final Set<MessageInFlight> messages = ConcurrentHashMap.newKeySet();
    private final AtomicInteger count = new AtomicInteger();
    private final Queue<MessageInFlight> added = new ConcurrentLinkedQueue<>();
    private final Lock lock = new ReentrantLock();
    private final List<MessageInFlight> moving = new ArrayList<>(); // guarded by the lock
    private volatile int movingCount;
    private volatile boolean isAnyOnItsWay;
    private final AtomicInteger checksRequested = new AtomicInteger();
    private int looks;

    /**
     * Creates the messages in flight of a rank.
     *
     * @param background runs the checks
     * @param mailbox the mailbox with the rank's receives
     */
    MessagesInFlight(Background background, Mailbox mailbox) {
        this.background = background;
        this.mailbox = mailbox;
    }

    /** Adds a message that can be moved on from here on. */
    void add(MessageInFlight message) {
        messages.add(message);
        count.incrementAndGet();
        added.add(message);
    }

    /** Removes a message that has ended. */
    void remove(MessageInFlight message) {
        if (messages.remove(message)) {
            count.decrementAndGet();
        }
    }

    private int count() {
        return count.get() + mailbox.pending();
    }

    /** Throws if another message would be too many. */
    void requireRoom(Members members, int rank) {
        if (count() >= COUNT_MAX) {
            throw new IllegalStateException(members.describe(rank) + " has " + count()
                    + " non-blocking messages in flight, which is the limit; await some of them first");
        }
    }

    /** Returns whether a transfer on this node has begun, so that another poll soon may move it. */
    boolean isAnyOnItsWay() {
        return isAnyOnItsWay;
    }

    boolean isEmpty() {
        return count() == 0;
    }

    /** Moves the messages on without waiting. Returns whether a message has moved. */
    boolean poll() {
        if (movingCount == 0 && added.isEmpty() || !lock.tryLock()) {
            return false;
        }
        try {
            for (MessageInFlight next = added.poll(); next != null; next = added.poll()) {
                moving.add(next);
            }
            boolean hasMoved = false;
            boolean canMove = false;
            for (int i = 0; i < moving.size(); i++) {
                hasMoved |= moving.get(i).tryAdvance();
                canMove |= moving.get(i).canMoveSoon();
            }
            moving.removeIf(MessageInFlight::hasEnded);
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
            background.start("tutti message check", this::check);
        }
    }

    /** Checks until no check is requested any more, because a reason may come after a message was checked. */
    private void check() {
        int requested;
        do {
            requested = checksRequested.get();
            messages.forEach(MessageInFlight::check);
            List<MessageInFlight> waiting = new ArrayList<>();
            mailbox.addPendingTo(waiting);
            waiting.forEach(MessageInFlight::check);
        } while (checksRequested.addAndGet(-requested) > 0);
    }
}
