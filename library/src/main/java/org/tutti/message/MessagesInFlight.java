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
 *
 * <p>If there are many messages, a poll moves some of them, and the next poll moves the next ones. Therefore a poll
 * takes no longer when a rank has thousands of messages in flight.
 */
final class MessagesInFlight {
    /** The most non-blocking messages of a rank at a time. */
    static final int COUNT_MAX = 1 << 14;

    private static final int LOOKS_PER_CHECK = 20;
    private static final int MOVED_PER_POLL = 64;

    private final Background background;
    private final Mailbox mailbox;
    private final Set<MessageInFlight> messages = ConcurrentHashMap.newKeySet();
    private final AtomicInteger count = new AtomicInteger();
    private final Queue<MessageInFlight> added = new ConcurrentLinkedQueue<>();
    private final Lock lock = new ReentrantLock();
    private final List<MessageInFlight> moving = new ArrayList<>(); // guarded by the lock, as the next two
    private int turn; // the place in the list at which the next poll begins
    private int sinceMovable; // how many were polled after the last one that can be moved on soon
    private volatile int movingCount;
    private volatile boolean isAnyOnItsWay;
    private volatile boolean isRoundRequested;
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

    /**
     * Returns whether another poll soon may move a message, because a transfer on this node has begun, or because the
     * round that {@link #look} has requested is not complete.
     */
    boolean isAnyOnItsWay() {
        return isAnyOnItsWay;
    }

    boolean isEmpty() {
        return count() == 0;
    }

    /** Moves some messages on without waiting. Returns whether a message has moved. */
    boolean poll() {
        if (movingCount == 0 && added.isEmpty() || !lock.tryLock()) {
            return false;
        }
        try {
            int before = moving.size();
            for (MessageInFlight next = added.poll(); next != null; next = added.poll()) {
                moving.add(next);
            }
            if (isRoundRequested) {
                isRoundRequested = false;
                sinceMovable = 0;
            }
            int more = 2 * (moving.size() - before); // more than have come, so that ended ones cannot pile up
            boolean hasMoved = false;
            for (int left = Math.min(moving.size(), MOVED_PER_POLL + more); left > 0; left--) {
                hasMoved |= moveNext();
            }
            movingCount = moving.size();
            isAnyOnItsWay = sinceMovable < movingCount;
            return hasMoved;
        } finally {
            lock.unlock();
        }
    }

    private boolean moveNext() {
        turn = turn < moving.size() ? turn : 0;
        MessageInFlight message = moving.get(turn);
        boolean hasMoved = message.tryAdvance();
        sinceMovable = message.canMoveSoon() ? 0 : sinceMovable + 1;
        if (message.hasEnded()) {
            MessageInFlight last = moving.removeLast();
            if (turn < moving.size()) {
                moving.set(turn, last);
            }
        } else {
            turn++;
        }
        return hasMoved;
    }

    /** Lets the next polls move each message once. Ends the messages that must not go on, now and then. */
    void look() {
        isRoundRequested = true;
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
