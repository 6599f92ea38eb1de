/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;

import org.tutti.fabric.Fabric;
import org.tutti.memory.Waiter;
import org.tutti.memory.Words;

/**
 * The wait of a thread for a notification at any of several words. A {@link Waiter} waits for one word, so this one
 * waits for a word of its own, which it raises when it finds a notification while it polls.
 */
final class AnyNotification implements Waiter.Progress {
    private final Fabric fabric;
    private final Waiter waiter;
    private final MemorySegment polls = MemorySegment.ofArray(new long[1]); // how many have found something
    private NotificationCheck wait;

    AnyNotification(Allocator allocator) {
        this.fabric = allocator.fabric();
        this.waiter = allocator.waiter(this);
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
