/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLongArray;

import org.tutti.memory.Words;

/**
 * Counts the notifications that this rank has taken from each of its notification words, which puts raise. The counts
 * only grow. If a word is greater than its count, it has a notification to take.
 *
 * <p><b>Concurrency.</b> Threads take notifications by a compare-and-swap of the count, so each notification is taken
 * once. A thread takes only notifications that have arrived, so a thread that ends its wait early has nothing to
 * return.
 */
final class SeenNotifications {
    /** The result if no word has a notification. */
    static final int NONE = -1;

    private final AtomicLongArray counts;
    private int next; // the first index to look at, so that words take turns; a race of several threads does no harm

    /**
     * Creates counts of 0.
     *
     * @param notifications the number of words
     */
    SeenNotifications(int notifications) {
        this.counts = new AtomicLongArray(notifications);
    }

    /** Returns the number of notifications that were taken from a word. */
    long count(int notification) {
        return counts.get(notification);
    }

    /** Raises the count of a word to at least the given count. */
    void raise(int notification, long count) {
        long before = counts.get(notification);
        while (before < count && !counts.compareAndSet(notification, before, count)) {
            before = counts.get(notification);
        }
    }

    /** Takes notifications that have arrived. Returns false if the count is no longer the one before. */
    boolean take(int notification, long before, long more) {
        assert before >= 0 && more >= 0 : more + " notifications are taken after " + before;
        return counts.compareAndSet(notification, before, before + more);
    }

    /** Returns whether one of some words has a notification that no thread has taken. */
    boolean isAny(MemorySegment region, long dataBytes, int[] notifications) {
        for (int each : notifications) {
            if (hasMore(region, dataBytes, each)) {
                return true;
            }
        }
        return false;
    }

    private boolean hasMore(MemorySegment region, long dataBytes, int notification) {
        return Words.load(region, PartLayout.notification(dataBytes, notification)) > counts.get(notification);
    }

    /**
     * Takes one notification that has arrived at one of some words. Returns the index of the word, or {@link #NONE}.
     */
    int takeAny(MemorySegment region, long dataBytes, int[] notifications) {
        int first = next;
        for (int i = 0; i < notifications.length; i++) {
            int index = Math.floorMod(first + i, notifications.length);
            int notification = notifications[index];
            long before = counts.get(notification);
            if (Words.load(region, PartLayout.notification(dataBytes, notification)) > before
                    && take(notification, before, 1)) {
                next = index + 1;
                return notification;
            }
        }
        return NONE;
    }
}
