/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.simulate;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;

/** Measures how long a task takes on one thread, or on several threads together. */
final class Timing {
    /** A task that can be repeated. */
    interface Batch {
        /** {@return nanoseconds a round, over this many rounds} */
        double run(int rounds);
    }

    private static final long WARM_UP_NANOS = 250_000_000;
    private static final double BATCH_NANOS = 40_000_000;
    private static final int BATCHES = 5;
    private static final int ROUNDS_MIN = 4;
    private static final int ROUNDS_MAX = 1 << 24;
    private static final int GROWTH_MAX = 8;

    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private long done;

    /** {@return the shortest time of several batches, after a warm-up for the compiler} */
    static double shortest(Batch batch) {
        int rounds = ROUNDS_MIN;
        for (long begin = System.nanoTime(); System.nanoTime() - begin < WARM_UP_NANOS;) {
            long start = System.nanoTime();
            batch.run(rounds);
            double share = BATCH_NANOS / (System.nanoTime() - start);
            rounds = (int) Math.clamp(rounds * share, ROUNDS_MIN, Math.min(ROUNDS_MAX, (double) GROWTH_MAX * rounds));
        }
        double shortest = Double.POSITIVE_INFINITY;
        for (int i = 0; i < BATCHES; i++) {
            shortest = Math.min(shortest, batch.run(rounds));
        }
        return shortest;
    }

    /**
     * Runs the same number of rounds on each side, each side on a thread of its own.
     *
     * @param rounds the number of rounds
     * @param before runs first on each thread, and is not measured
     * @param sides run a round each, given its number; numbers are consecutive, also between calls of this method
     * @return nanoseconds a round, on the thread of the first side
     */
    double nanosPerRound(int rounds, Runnable before, LongConsumer... sides) {
        long first = done + 1;
        done += rounds;
        long[] nanos = new long[sides.length];
        Thread[] threads = new Thread[sides.length];
        for (int i = 0; i < sides.length; i++) {
            int side = i;
            threads[side] = Thread.ofPlatform().daemon().start(() -> {
                try {
                    before.run();
                    nanos[side] = nanos(first, rounds, sides[side]);
                } catch (Throwable e) {
                    failure.compareAndSet(null, e);
                }
            });
        }
        for (Thread thread : threads) {
            join(thread);
        }
        check();
        return (double) nanos[0] / rounds;
    }

    private static long nanos(long first, int rounds, LongConsumer side) {
        long start = System.nanoTime();
        for (long round = first; round < first + rounds; round++) {
            side.accept(round);
        }
        return System.nanoTime() - start;
    }

    /** Ends the wait of one side for another side that has failed. */
    void check() {
        if (failure.get() != null) {
            throw new IllegalStateException("measuring has failed", failure.get());
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while measuring", e);
        }
    }
}
