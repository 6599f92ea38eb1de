/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;

import org.tutti.fabric.Transport;
import org.tutti.memory.Waiter;
import org.tutti.memory.Words;

/**
 * The wait of a thread for a notification at any of several words. A {@link Waiter} waits for one word, so this one
 * waits for a word of its own, which it raises when it finds a notification while it polls.
 */
final class AnyNotification implements Waiter.Progress {
    private final Transport fabric;
    private final Waiter waiter;
    private final MemorySegment polls = MemorySegment.ofArray(new long[1]); // how many have found something
    private NotificationCheck wait;

    /**
     * @param fabric how other nodes are reached, or null when there are none
     * @param coreForEach whether every rank of the node has a core of its own
     */
    AnyNotification(Transport fabric, boolean coreForEach) {
        this.fabric = fabric;
        this.waiter = new Waiter(coreForEach, this);
    }

    /** Waits until a word has a notification, and takes it; returns the word. */
    int await(NotificationCheck check) {
        wait = check;
        try {
            int found = SeenNotifications.NONE;
            while (found == SeenNotifications.NONE) { // another thread may be faster
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
        boolean arrived = fabric != null && fabric.poll();
        if (wait.hasCome()) {
            Words.store(polls, 0, Words.load(polls, 0) + 1);
            return true;
        }
        return arrived;
    }
}
