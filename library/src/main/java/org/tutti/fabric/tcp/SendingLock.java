/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

import org.tutti.memory.Waiter;

/**
 * The lock of a {@link Peer}'s sending side. It is mostly held for short, so who wants it tries a few times first: who
 * queues makes an object, which blocking calls do not. It may also be held for long, by who sends very much or waits
 * for room; so who queues looks for reasons to give up.
 *
 * <p>It is a fair lock, which matters to who queues only: {@link #tryLock()} overtakes them all.
 */
final class SendingLock extends ReentrantLock {
    private static final long serialVersionUID = 1L;
    private static final int TRIES = 64;
    private static final long QUEUED_MILLIS = 20;

    SendingLock() {
        super(true);
    }

    /** Takes the lock, unless the check throws. */
    void lock(Waiter.Check check) {
        for (int turn = 0; turn < TRIES; turn++) {
            if (tryLock()) {
                return;
            }
            Thread.yield();
        }
        queue(check);
    }

    /** Takes the lock when those have had it who have queued before, unless the check throws. */
    void queue(Waiter.Check check) {
        boolean locked = false;
        while (!locked) {
            try {
                locked = tryLock(QUEUED_MILLIS, TimeUnit.MILLISECONDS);
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt(); // what that means is the check's business
                Thread.yield();
                locked = tryLock();
            }
            if (!locked) {
                check.check();
            }
        }
    }
}
