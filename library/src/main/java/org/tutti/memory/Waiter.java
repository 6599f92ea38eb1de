/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;

/**
 * Waiting for a word. One rule for all of Tutti: spin briefly, then yield, then park for a time that grows with the
 * time already waited.
 *
 * <p>The writer is often another process, whose store cannot wake a thread here; so every park is timed, no store needs
 * a fence or a wake-up call, and a wait that took {@code t} ends at most {@code t/16} late:
 *
 * <ul>
 * <li><b>Spin</b>: with a core for every rank, the word usually arrives within the time of a few cache misses. With
 * more ranks than cores spinning only keeps the awaited rank from running, so the budget is nearly nothing then.
 * <li><b>Yield</b>, for {@value #YIELD_MILLIS} ms: {@link Thread#yield} is {@code sched_yield} for a platform thread
 * and a switch in user space for a virtual one. A virtual thread never only yields: two carriers that keep running
 * their own yielding threads can starve the thread that both wait for, so every {@value #VIRTUAL_PARK_INTERVAL}th
 * failed yield parks for a nanosecond, which sends the thread through the scheduler's queue.
 * <li><b>Park</b> for a sixteenth of the time waited so far, at most {@value #PARK_MILLIS_MAX} ms: after a second
 * of waiting a rank costs well below 1 % of a core (a wake-up cost 50 to 120 µs where Tutti was built).
 * </ul>
 *
 * <p>A wait that is to leave the core to others only {@linkplain Check#sleepNanos sleeps}. One that parks, or has slept
 * for as long, is listed in {@link Waits}.
 *
 * <p>From the second stage on a {@link Check} runs now and then; it ends the wait by throwing. Interrupts are its
 * business as well: an interrupted thread parks no longer, and the check is to notice that.
 *
 * <p>Memory ordering: the last read of the word has acquire order, on every path.
 */
public final class Waiter {
    /** Looks for reasons to end a wait. */
    @FunctionalInterface
    public interface Check {
        /**
         * Returns when waiting may go on, and throws when it may not.
         */
        void check();

        /**
         * Says how long to sleep before the word is looked at again. Who waits in the background of a rank that
         * computes is to leave it the core.
         *
         * @param waitedNanos how long it has been waited
         * @return so many nanoseconds at most, or 0 when the wait may take the core
         */
        default long sleepNanos(long waitedNanos) {
            return 0;
        }

        /**
         * Tells which call waits, to whoever asks where a rank is stuck: on another thread, while the wait lasts.
         *
         * @return the call; null if it is nobody's
         */
        default WaitingCall call() {
            return null;
        }
    }

    /** Takes in what arrives from elsewhere, so that a word of this process may grow. */
    @FunctionalInterface
    public interface Progress {
        /**
         * Takes in what has arrived; never waits.
         *
         * @return whether anything had
         */
        boolean poll();

        /**
         * Gives the core away until something arrives, for at most a millisecond; may return earlier.
         */
        default void awaitArrival() {
            LockSupport.parkNanos(1);
        }

        /**
         * Sleeps until something has arrived that somebody else takes in, or this thread is unparked; may return
         * earlier, or at once if a word has a value. Unless overridden, nothing that arrives ends it.
         *
         * @param memory where the word lies
         * @param offset at which byte
         * @param atLeast the value
         * @param nanosMax for how long at most
         */
        default void sleep(MemorySegment memory, long offset, long atLeast, long nanosMax) {
            LockSupport.parkNanos(nanosMax);
        }

        /**
         * Somebody has taken something in.
         */
        default void arrived() {
            // nobody sleeps
        }
    }

    private static final int SPINS_WITH_CORES = 2000;
    private static final int POLLS_WITH_CORES = 128;
    private static final int POLLS_MORE = 8;
    private static final int FORGOTTEN_PART = 8;
    private static final int TRIAL_INTERVAL = 64;
    private static final int TRIAL_POLLS = 32;
    private static final int LONG_TRIAL_INTERVAL = 16 * TRIAL_INTERVAL;
    private static final int SPINS_PER_POLL = 16;
    private static final int SPINS_WITHOUT_CORES = 4;
    private static final int SPINS_PER_YIELD = 8;
    private static final int CHECK_INTERVAL = 16;
    private static final int SLEEP_INTERVAL = 4;
    private static final int VIRTUAL_PARK_INTERVAL = 64;
    private static final long YIELD_MILLIS = 2;
    private static final long PARK_MILLIS_MAX = 50;
    private static final long YIELD_NANOS = YIELD_MILLIS * 1_000_000;
    private static final long PARK_NANOS_MAX = PARK_MILLIS_MAX * 1_000_000;
    private static final int PARK_FRACTION = 16;

    private final Progress progress;
    private final boolean forAnswers;
    private final WaitClock clock;
    private final int spins;
    private final int spinsPerYield;
    private final int pollsMax;
    private int polls; // what has paid of late; a race of several waiters does no harm
    private int waits;

    /**
     * @param coreForEach whether every rank that may wait here has a core of its own
     */
    public Waiter(boolean coreForEach) {
        this(coreForEach, null, false, WaitClock.SYSTEM);
    }

    /**
     * A waiter that also makes progress with what comes from other nodes: it polls between looks at the word.
     *
     * @param coreForEach whether every rank that may wait here has a core of its own
     * @param progress what to poll, or null for nothing
     */
    public Waiter(boolean coreForEach, Progress progress) {
        this(coreForEach, progress, false, WaitClock.SYSTEM);
    }

    /**
     * A waiter for what another process has to answer, perhaps by a thread that has to be woken for it: instead of
     * yielding it gives its core away until something arrives, since a core that is free lets that thread run at once,
     * where one that is only yielded now and then has it wait for the end of somebody's time slice.
     *
     * @param coreForEach whether every rank that may wait here has a core of its own
     * @param progress what to poll
     * @return the waiter
     */
    public static Waiter forAnswers(boolean coreForEach, Progress progress) {
        return new Waiter(coreForEach, progress, true, WaitClock.SYSTEM);
    }

    /** A waiter by a clock of its own. */
    Waiter(boolean coreForEach, WaitClock clock) {
        this(coreForEach, null, false, clock);
    }

    private Waiter(boolean coreForEach, Progress progress, boolean forAnswers, WaitClock clock) {
        this.progress = progress;
        this.clock = clock;
        this.forAnswers = forAnswers;
        this.spins = coreForEach ? SPINS_WITH_CORES : SPINS_WITHOUT_CORES;
        this.spinsPerYield = coreForEach ? SPINS_PER_YIELD : 1;
        this.pollsMax = coreForEach ? POLLS_WITH_CORES : 1;
        this.polls = pollsMax;
    }

    /**
     * Waits until a word has reached a value.
     *
     * @param memory where the word lies
     * @param offset at which byte
     * @param atLeast the value
     * @param check what may end the wait
     */
    public void await(MemorySegment memory, long offset, long atLeast, Check check) {
        if (check.sleepNanos(0) > 0) {
            sleep(memory, offset, atLeast, check, clock.nanos());
        } else if (progress != null) {
            if (awaitPolling(memory, offset, atLeast)) {
                return;
            }
        } else {
            for (int i = 0; i < spins; i++) {
                if (Words.load(memory, offset) >= atLeast) {
                    return;
                }
                Thread.onSpinWait();
            }
        }
        awaitYielding(memory, offset, atLeast, check);
    }

    /**
     * A poll is a system call for each connection, so the word is looked at several times in between. How long to go on
     * before others get the core is learnt: nobody can know whether the awaited rank has a core, when hosts share them.
     * It follows what words took that came while polling, as the rest is in vain whenever one does not come. Now and
     * then a longer time is tried, and every sixteenth time the longest: whoever polls for less than an answer takes
     * would never learn otherwise. Most trials are short, as each that is in vain has kept a core from others.
     */
    private boolean awaitPolling(MemorySegment memory, long offset, long atLeast) {
        int wait = waits++;
        boolean tries = wait % TRIAL_INTERVAL == 0;
        int budget = !tries ? polls
                : wait % LONG_TRIAL_INTERVAL == 0 ? pollsMax : Math.min(pollsMax, Math.max(polls, TRIAL_POLLS));
        for (int i = 0; i < budget; i++) {
            for (int spin = 0; spin < SPINS_PER_POLL; spin++) {
                if (Words.load(memory, offset) >= atLeast) {
                    polls = Math.min(pollsMax, Math.max(budget - budget / FORGOTTEN_PART, 2 * i + POLLS_MORE));
                    return true;
                }
                Thread.onSpinWait();
            }
            progress.poll();
        }
        polls = tries ? polls : Math.max(1, budget / 2);
        return false;
    }

    /** Until the word has the value, or the wait may take the core. */
    private void sleep(MemorySegment memory, long offset, long atLeast, Check check, long start) {
        long waited = clock.nanos() - start;
        long nanos = check.sleepNanos(waited);
        boolean lasts = false;
        Waits.Wait outer = null;
        try {
            while (nanos > 0 && Words.load(memory, offset) < atLeast) {
                if (waited > YIELD_NANOS) {
                    if (!lasts) {
                        lasts = true;
                        outer = Waits.begin(check::call, start);
                    }
                    check.check();
                }
                if (progress != null) {
                    progress.sleep(memory, offset, atLeast, nanos);
                } else {
                    clock.park(nanos);
                }
                waited = clock.nanos() - start;
                nanos = check.sleepNanos(waited);
            }
        } finally {
            if (lasts) {
                Waits.end(outer);
            }
        }
    }

    private void awaitYielding(MemorySegment memory, long offset, long atLeast, Check check) {
        boolean virtual = Thread.currentThread().isVirtual();
        long start = clock.nanos(); // or when something arrived at last: who receives does not wait in vain
        boolean parks = false;
        boolean lasts = false;
        Waits.Wait outer = null;
        long begun = start;
        try {
            for (int yields = 1;; yields++) {
                for (int i = 0; i < spinsPerYield; i++) {
                    if (Words.load(memory, offset) >= atLeast) {
                        return;
                    }
                    Thread.onSpinWait();
                }
                if (yields % SLEEP_INTERVAL == 0 && check.sleepNanos(clock.nanos() - begun) > 0) {
                    sleep(memory, offset, atLeast, check, begun);
                    start = clock.nanos();
                    parks = false;
                } else if (progress != null && progress.poll()) {
                    start = clock.nanos();
                    parks = false;
                } else if (parks) {
                    check.check();
                    clock.park(Math.min((clock.nanos() - start) / PARK_FRACTION, PARK_NANOS_MAX));
                } else if (forAnswers) {
                    progress.awaitArrival();
                } else if (virtual && yields % VIRTUAL_PARK_INTERVAL == 0) {
                    clock.park(1);
                } else {
                    Thread.yield();
                }
                if (yields % CHECK_INTERVAL == 0) { // not at once: who had no core for long has only begun to look
                    parks = clock.nanos() - start > YIELD_NANOS;
                    if (parks && !lasts) { // before the check, which may have the waits told
                        lasts = true;
                        outer = Waits.begin(check::call, begun);
                    }
                    check.check();
                }
            }
        } finally {
            if (lasts) {
                Waits.end(outer);
            }
        }
    }
}
