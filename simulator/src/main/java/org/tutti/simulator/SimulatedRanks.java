/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;

/**
 * The ranks of a simulated job. Each is a virtual thread, and exactly one thread runs at a time. At every step an
 * {@link Order} chooses the rank that runs next. The running rank itself asks the order; if the order chooses the same
 * rank, that rank goes on without a hand-over.
 *
 * <p>All that a rank did is visible to the next rank, because the number of the running rank is a volatile field.
 */
final class SimulatedRanks {
    /** Chooses the rank that runs. */
    interface Order {
        /**
         * Chooses the rank that runs next, after all events before it, such as the arrival of puts.
         *
         * @return a rank that can run
         * @throws RuntimeException if no rank can run, and some have not ended
         */
        int next();

        /**
         * Notes that the running rank has ended.
         *
         * @param rank the rank
         */
        void end(int rank);
    }

    /** Unwinds the other ranks when one has failed. */
    private static final class Stopped extends Error {
        private static final long serialVersionUID = 1;

        Stopped() {
            super("another rank has failed", null, false, false);
        }
    }

    private static final int NOBODY = -1;

    private final Order order;
    private final Thread[] threads;
    private final Thread starter = Thread.currentThread();
    private volatile int running = NOBODY;
    private volatile boolean stopped;
    private Throwable failure;
    private int left;

    SimulatedRanks(int size, Order order) {
        this.order = order;
        this.threads = new Thread[size];
        this.left = size;
    }

    /**
     * Runs the ranks to their ends.
     *
     * @param body the program of a rank
     * @throws RuntimeException the first exception of a rank or of the order
     */
    void run(IntConsumer body) {
        for (int rank = 0; rank < threads.length; rank++) {
            int self = rank;
            threads[rank] = Thread.ofVirtual().unstarted(() -> runRank(self, body));
        }
        for (Thread thread : threads) {
            thread.start();
        }
        handOverTo(order.next());
        while (running != threads.length) {
            LockSupport.park(this);
        }
        for (Thread thread : threads) {
            join(thread);
        }
        switch (failure) {
            case null -> {
            }
            case RuntimeException exception -> throw exception;
            case Error error -> throw error;
            default -> throw new IllegalStateException(failure);
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while ranks were simulated", e);
        }
    }

    private void runRank(int rank, IntConsumer body) {
        try {
            awaitTurn(rank);
            body.accept(rank);
            order.end(rank);
            left--;
            if (left == 0) {
                finish();
            } else {
                handOverTo(order.next());
            }
        } catch (Stopped _) {
            // another rank has noted the failure
        } catch (Throwable e) {
            failure = e;
            stopped = true;
            for (Thread thread : threads) {
                LockSupport.unpark(thread);
            }
            finish();
        }
    }

    private void finish() {
        running = threads.length;
        LockSupport.unpark(starter);
    }

    /** Lets the order choose a rank, and returns when this rank runs again. */
    void step(int rank) {
        if (stopped) { // a rank unwound by Stopped still stores that it breaks its communicator
            throw new Stopped();
        }
        int next = order.next();
        if (next != rank) {
            handOverTo(next);
            awaitTurn(rank);
        }
    }

    /** {@return whether the ranks are being unwound, so that their actions no longer count} */
    boolean isStopped() {
        return stopped;
    }

    private void handOverTo(int rank) {
        running = rank;
        LockSupport.unpark(threads[rank]);
    }

    private void awaitTurn(int rank) {
        while (running != rank) {
            if (stopped) {
                throw new Stopped();
            }
            LockSupport.park(this);
        }
        if (stopped) {
            throw new Stopped();
        }
    }
}
