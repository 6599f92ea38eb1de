/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;

/**
 * Waits until a word, a growing number of 64 bits in shared memory, has reached a value. All waits of Tutti follow the
 * same rule. A waiting thread spins briefly, then yields, and then parks for a time that grows with the time already
 * waited.
 *
 * <p>The writer is often another process. A writer of a word on which calls wait wakes the threads that sleep in this
 * process or another one ({@link Futexes}), if both processes allow native access. Every park is timed nevertheless, so
 * that a wait that took {@code t} ends at most {@code t/16} late if no thread is woken:
 *
 * <ul>
 * <li><b>Spin</b>: with a core for every rank, the word usually arrives within the time of a few cache misses. With
 * more ranks than cores, spinning only keeps the awaited rank from running, so the waiter then hardly spins. Other
 * programs may leave the ranks fewer cores than there are, so the waiter learns how long spinning pays.
 * <li><b>Yield</b>, for {@value #YIELD_MILLIS} ms: {@link Thread#yield} is {@code sched_yield} for a platform thread
 * and a switch in user space for a virtual one. A virtual thread never only yields, because two carriers that keep
 * running their own yielding threads can starve the thread for which both wait. Therefore every {@value
 * #VIRTUAL_PARK_INTERVAL}th failed yield parks for a nanosecond, which sends the thread through the scheduler's queue.
 * <li><b>Park</b> for a sixteenth of the time waited so far, at most {@value #PARK_MILLIS_MAX} ms. After a second of
 * waiting, a rank costs well below 1 % of a core (a wake-up took 50 to 120 µs on the machine on which Tutti was built).
 * </ul>
 *
 * <p>A wait in the background of a computing rank leaves the core to others, because it only {@linkplain
 * Check#sleepNanos sleeps}. A wait that parks, or has slept for {@value #YIELD_MILLIS} ms, is listed in {@link Waits}.
 *
 * <p>Once the thread yields or parks, a {@link Check} runs at intervals and may end the wait by throwing an exception.
 * The check also handles interrupts. An interrupted thread no longer parks, and the check must notice the interrupt.
 *
 * <p>Memory ordering: the last read of the word has acquire order, on every path.
 */
public final class Waiter {
    /** Decides whether a wait goes on. */
    @FunctionalInterface
    public interface Check {
        /**
         * Returns if the wait may go on, and throws if it must end.
         */
        void check();

        /**
         * Returns how long the waiting thread sleeps before it reads the word again. A thread that waits in the
         * background while its rank computes returns more than 0, so that the rank can use the core.
         *
         * @param waitedNanos the duration of the wait so far, in nanoseconds
         * @return the longest sleep in nanoseconds, or 0 if the wait may use the core
         */
        default long sleepNanos(long waitedNanos) {
            return 0;
        }

        /**
         * Tells how long a wait took, once it has ended. A wait that ends within the first round of reads, after about
         * a microsecond, is not told, because reading the clock would make it longer.
         *
         * @param nanos the duration of the wait without that first round, in nanoseconds
         */
        default void waited(long nanos) {
            // most waits are not measured
        }

        /**
         * Describes the call that waits, for reports of where a rank is stuck. Another thread may call this method
         * during the wait.
         *
         * @return the call; null if the wait belongs to no call
         */
        default WaitingCall call() {
            return null;
        }
    }

    /** Receives messages, mostly of other nodes, which may raise a word of this process. */
    @FunctionalInterface
    public interface Progress {
        /**
         * Receives the messages that have arrived, without waiting.
         *
         * @return whether a message had arrived
         */
        boolean poll();

        /** {@return whether a poll looks for messages of other nodes, which takes a system call} */
        default boolean looksAtNodes() {
            return true;
        }

        /** Yields the core until a message arrives, for at most a millisecond. The method may return earlier. */
        default void awaitArrival() {
            LockSupport.parkNanos(1);
        }

        /**
         * Lets the waiting thread sleep until another thread has received a message, which may have raised the awaited
         * word, or until it is unparked. The method may return earlier. If the word has reached the value, it returns
         * without sleeping. The default implementation does not return early because of a message.
         *
         * @param memory the memory that contains the awaited word
         * @param offset the offset of the word in that memory, in bytes
         * @param atLeast the value for which the thread waits
         * @param nanosMax the longest sleep in nanoseconds
         */
        default void sleep(MemorySegment memory, long offset, long atLeast, long nanosMax) {
            LockSupport.parkNanos(nanosMax);
        }

        /** Tells that the calling thread polls again and again until {@link #endPolling}. */
        default void beginPolling() {
            // no other thread receives messages
        }

        /**
         * Tells that the calling thread no longer polls.
         *
         * @param sleeps whether the calling thread goes to sleep, so that another thread must receive messages at once;
         *            if not, the thread has ended its wait, and may soon begin the next one
         */
        default void endPolling(boolean sleeps) {
            // no other thread receives messages
        }

        /** Wakes the sleeping threads. It is called after a thread has received a message. */
        default void arrived() {
            // no thread sleeps
        }
    }

    private static final long OVER = Long.MIN_VALUE; // no time: the wait is over
    private static final int ROUNDS_WITH_CORES = 128;
    private static final int ROUNDS_MORE = 8;
    private static final int FORGOTTEN_PART = 8;
    private static final int TRIAL_INTERVAL = 64;
    private static final int TRIAL_ROUNDS = 32;
    private static final int LONG_TRIAL_INTERVAL = 16 * TRIAL_INTERVAL;
    private static final int SPINS_PER_ROUND = 16;
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
    private final Futexes futexes;
    private final WaitClock clock;
    private final int spinsPerRound;
    private final int spinsPerYield;
    private final int roundsMax;
    private int rounds; // the budget that has paid recently; races between waiting threads do no harm
    private int waits;

    /**
     * Creates a waiter that spins, yields and parks.
     *
     * @param coreForEach whether every rank that may wait here has a core of its own
     */
    public Waiter(boolean coreForEach) {
        this(coreForEach, null, false, null, WaitClock.SYSTEM);
    }

    /**
     * Creates a waiter that also receives messages from other nodes, because such a message may raise the awaited word.
     * It polls for messages between reads of the word.
     *
     * @param coreForEach whether every rank that may wait here has a core of its own, so that it may spin
     * @param progress the object that receives messages when it is polled, or null if there are no other nodes
     */
    public Waiter(boolean coreForEach, Progress progress) {
        this(coreForEach, progress, null);
    }

    /**
     * Creates a waiter for words whose writers wake sleeping threads ({@link #wake}).
     *
     * @param coreForEach whether every rank that may wait here has a core of its own, so that it may spin
     * @param progress the object that receives messages when it is polled, or null if there are no other nodes
     * @param futexes the futexes of this node, or null if the writers wake no threads
     */
    public Waiter(boolean coreForEach, Progress progress, Futexes futexes) {
        this(coreForEach, progress, false, futexes, WaitClock.SYSTEM);
    }

    /**
     * Creates a waiter for answers of another process. A thread of that process may first have to wake up in order to
     * answer. Instead of yielding, the waiting rank gives up its core until a message arrives, so that the answering
     * thread can run on that core immediately. If the rank only yielded, the answering thread would wait for the end of
     * a time slice.
     *
     * @param coreForEach whether every rank that may wait here has a core of its own, so that it may spin
     * @param progress the object that receives messages when it is polled
     * @param futexes the futexes of this node, or null if the writers wake no threads
     * @return the waiter
     */
    public static Waiter forAnswers(boolean coreForEach, Progress progress, Futexes futexes) {
        return new Waiter(coreForEach, progress, true, futexes, WaitClock.SYSTEM);
    }

    /** Creates a waiter with a clock of its own, for tests. */
    Waiter(boolean coreForEach, WaitClock clock) {
        this(coreForEach, null, false, null, clock);
    }

    private Waiter(boolean coreForEach, Progress progress, boolean forAnswers, Futexes futexes, WaitClock clock) {
        this.progress = progress;
        this.futexes = futexes;
        this.clock = clock;
        this.forAnswers = forAnswers;
        this.spinsPerRound =
                coreForEach || progress != null && progress.looksAtNodes() ? SPINS_PER_ROUND : SPINS_WITHOUT_CORES;
        this.spinsPerYield = coreForEach ? SPINS_PER_YIELD : 1;
        this.roundsMax = coreForEach ? ROUNDS_WITH_CORES : 1;
        this.rounds = roundsMax;
    }

    /**
     * Wakes the threads that sleep in {@link #await} until a word is raised, in any process of the node. A writer calls
     * this method after it has raised the word. Without it, these threads read the word when their sleep ends.
     *
     * @param memory the memory that contains the word
     * @param offset the offset of the word in that memory, in bytes
     */
    public void wake(MemorySegment memory, long offset) {
        if (futexes != null) {
            futexes.wake(memory, offset);
        }
    }

    /**
     * Receives the messages that have arrived, for a thread that waits for a condition that is not a word.
     *
     * @return whether a message had arrived
     */
    public boolean poll() {
        return progress != null && progress.poll();
    }

    /**
     * Waits until a word of memory has reached a value. The thread spins first, then yields, and finally parks.
     *
     * @param memory the memory that contains the word
     * @param offset the offset of the word in that memory, in bytes
     * @param atLeast the value for which the thread waits
     * @param check decides whether the wait must end, and ends it by throwing an exception
     */
    public void await(MemorySegment memory, long offset, long atLeast, Check check) {
        long start;
        if (check.sleepNanos(0) > 0) {
            start = clock.nanos();
            sleep(memory, offset, atLeast, check, start);
        } else {
            start = awaitSpinning(memory, offset, atLeast, check);
            if (start == OVER) {
                return;
            }
        }
        awaitYielding(memory, offset, atLeast, check);
        check.waited(clock.nanos() - start);
    }

    /**
     * Waits for a word by spinning, in rounds of several reads. Returns {@link #OVER} if the word has reached the
     * value, and otherwise the time of the end of the first round. With connections to other nodes, the thread polls
     * for messages after each round. A poll costs a system call.
     *
     * <p>After a number of rounds, the budget, this method gives up, so that other threads get the core. The budget is
     * learned, because a rank cannot know whether the awaited rank has a core. The operating system may run the waiting
     * rank and the awaited one on the same core, because another program uses the other cores. The budget follows the
     * number of rounds that successful waits needed. The budget halves when a wait fails, because the rounds of a
     * failed wait are wasted. Failed trials leave it unchanged.
     *
     * <p>At intervals a trial uses a larger budget, and every sixteenth trial uses the largest. If the budget is
     * shorter than the time of an answer, the waiter would otherwise never learn that a larger one helps. Most trials
     * are short, because a failed trial has kept a core from other threads.
     */
    private long awaitSpinning(MemorySegment memory, long offset, long atLeast, Check check) {
        long start = OVER;
        int wait = waits++;
        int learned = rounds;
        boolean tries = wait % TRIAL_INTERVAL == 0;
        int budget = !tries ? learned
                : wait % LONG_TRIAL_INTERVAL == 0 ? roundsMax : Math.min(roundsMax, Math.max(learned, TRIAL_ROUNDS));
        for (int i = 0; i < budget; i++) {
            for (int spin = 0; spin < spinsPerRound; spin++) {
                if (Words.load(memory, offset) >= atLeast) {
                    int enough = Math.min(roundsMax, Math.max(budget - budget / FORGOTTEN_PART, 2 * i + ROUNDS_MORE));
                    if (enough != learned) {
                        rounds = enough;
                    }
                    if (i > 0) {
                        check.waited(clock.nanos() - start);
                    }
                    return OVER;
                }
                Thread.onSpinWait();
            }
            if (i == 0) {
                start = clock.nanos();
            }
            if (progress != null) {
                progress.poll();
            }
        }
        rounds = tries ? learned : Math.max(1, budget / 2);
        return start;
    }

    /** Returns the budget, in rounds; for tests. */
    int rounds() {
        return rounds;
    }

    /** Sleeps until the word has reached the value, or the wait may use the core. */
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

    /**
     * Parks the thread until the word may have reached the value. A virtual thread does not sleep outside the JVM,
     * because its carrier would sleep with it. An interrupted thread does not sleep either.
     */
    private void park(MemorySegment memory, long offset, long atLeast, boolean virtual, long nanos) {
        if (futexes == null || virtual || !Futexes.arePossible() || Thread.currentThread().isInterrupted()) {
            clock.park(nanos);
        } else {
            futexes.sleep(memory, offset, atLeast, nanos);
        }
    }

    private void awaitYielding(MemorySegment memory, long offset, long atLeast, Check check) {
        boolean virtual = Thread.currentThread().isVirtual();
        long start = clock.nanos(); // or the last arrival of a message: a receiving thread makes progress
        boolean parks = false;
        boolean lasts = false;
        Waits.Wait outer = null;
        long begun = start;
        boolean polling = beginPolling();
        try {
            for (int yields = 1;; yields++) {
                for (int i = 0; i < spinsPerYield; i++) {
                    if (Words.load(memory, offset) >= atLeast) {
                        return;
                    }
                    Thread.onSpinWait();
                }
                if (yields % SLEEP_INTERVAL == 0 && check.sleepNanos(clock.nanos() - begun) > 0) {
                    polling = endPolling(true);
                    sleep(memory, offset, atLeast, check, begun);
                    polling = beginPolling();
                    start = clock.nanos();
                    parks = false;
                } else if (progress != null && progress.poll()) {
                    start = clock.nanos();
                    parks = false;
                } else if (parks) {
                    check.check();
                    long nanos = Math.min((clock.nanos() - start) / PARK_FRACTION, PARK_NANOS_MAX);
                    polling = endPolling(true);
                    park(memory, offset, atLeast, virtual, nanos);
                    polling = beginPolling();
                } else if (forAnswers) {
                    progress.awaitArrival();
                } else if (virtual && yields % VIRTUAL_PARK_INTERVAL == 0) {
                    clock.park(1);
                } else {
                    Thread.yield();
                }
                if (yields % CHECK_INTERVAL == 0) { // not immediately: this thread may have had no core
                    parks = clock.nanos() - start > YIELD_NANOS;
                    if (parks && !lasts) { // before the check, which may report the waits
                        lasts = true;
                        outer = Waits.begin(check::call, begun);
                    }
                    check.check();
                }
            }
        } finally {
            if (polling) {
                endPolling(false);
            }
            if (lasts) {
                Waits.end(outer);
            }
        }
    }

    private boolean beginPolling() {
        if (progress != null) {
            progress.beginPolling();
        }
        return progress != null;
    }

    private boolean endPolling(boolean sleeps) {
        if (progress != null) {
            progress.endPolling(sleeps);
        }
        return false;
    }
}
