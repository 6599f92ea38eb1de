/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;

import org.tutti.memory.Waiter;
import org.tutti.memory.Words;

/**
 * Waits until a notification arrives at any of several words of this rank's memory. A {@link Waiter} can wait only for
 * a single word. Therefore this class waits for a private word. While it waits, it polls the words of the
 * notifications, and raises the private word when it finds a notification.
 */
final class AnyNotification implements Waiter.Progress {
    private final Waiter.Progress progress;
    private final Waiter waiter;
    private final MemorySegment polls = MemorySegment.ofArray(new long[1]); // polls that found a notification
    private NotificationCheck wait;

    /**
     * Creates a wait for notifications. One thread at a time may use it, any number of times.
     *
     * @param progress takes messages while a thread of the rank waits
     * @param coreForEach whether every rank of the node has a core of its own, so that a waiting rank may spin
     */
    AnyNotification(Waiter.Progress progress, boolean coreForEach) {
        this.progress = progress;
        this.waiter = new Waiter(coreForEach, this);
    }

    /** Waits until one of the words has a notification, and takes the notification. Returns the index of the word. */
    int await(NotificationCheck check) {
        wait = check;
        try {
            int found = SeenNotifications.NONE;
            while (found == SeenNotifications.NONE) { // another thread may take it first
                waiter.await(polls, 0, Words.load(polls, 0) + 1, check);
                found = check.takeAny();
            }
            return found;
        } finally {
            wait = null;
        }
    }

    @Override
    public boolean poll() {
        boolean arrived = progress.poll();
        if (wait.hasCome()) {
            Words.store(polls, 0, Words.load(polls, 0) + 1);
            return true;
        }
        return arrived;
    }

    @Override
    public void beginPolling() {
        progress.beginPolling();
    }

    @Override
    public void endPolling(boolean sleeps) {
        progress.endPolling(sleeps);
    }
}
