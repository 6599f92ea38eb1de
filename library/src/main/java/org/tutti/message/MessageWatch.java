/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.util.concurrent.atomic.AtomicBoolean;

import org.tutti.memory.Looks;

/**
 * Looks after the messages of a rank while no thread of the rank waits, as long as there are non-blocking ones. A
 * thread that waits moves the messages on itself. The watch then leaves them alone, because it could lose its core
 * while it has their locks, and would take a core from the ranks.
 */
final class MessageWatch implements Looks.Look {
    private static final int LOOKS_IDLE_MAX = 40;
    private static final long BUSY_NANOS_MAX = 2_000_000;

    private final Background background;
    private final MessageProgress progress;
    private final Mailbox mailbox;
    private final MessagesInFlight inFlight;
    private final AtomicBoolean isWatched = new AtomicBoolean();
    private int looksIdle;

    /**
     * Creates a watch that does not look.
     *
     * @param background calls this object periodically
     * @param progress counts the polls of waiting threads
     * @param mailbox the mailbox of the rank
     * @param inFlight the non-blocking sends and receives of the rank
     */
    MessageWatch(Background background, MessageProgress progress, Mailbox mailbox, MessagesInFlight inFlight) {
        this.background = background;
        this.progress = progress;
        this.mailbox = mailbox;
        this.inFlight = inFlight;
    }

    /** Begins to look, because a non-blocking message has begun. */
    void begin() {
        if (!isWatched.get() && isWatched.compareAndSet(false, true)) {
            background.watch(this);
        }
    }

    /** Moves messages on while the rank computes. */
    @Override
    public boolean look() {
        try {
            inFlight.look();
            moveOn();
        } catch (IllegalStateException _) { // the rank has left its job, and its memory is closed
            return false;
        } catch (Throwable failure) {
            isWatched.set(false);
            throw failure;
        }
        looksIdle = inFlight.isEmpty() ? looksIdle + 1 : 0;
        if (looksIdle < LOOKS_IDLE_MAX) {
            return true;
        }
        looksIdle = 0;
        isWatched.set(false);
        return !inFlight.isEmpty() && isWatched.compareAndSet(false, true); // one may have been added meanwhile
    }

    /** Moves messages on until they have passed, a thread waits and polls, or the time is over. */
    private void moveOn() {
        int polls = progress.polls();
        long untilNanos = System.nanoTime() + BUSY_NANOS_MAX;
        do {
            if (!(mailbox.poll() | inFlight.poll())) {
                Thread.yield(); // the other rank may need this core
            }
        } while (inFlight.isAnyOnItsWay() && progress.polls() == polls && System.nanoTime() - untilNanos < 0);
    }
}
