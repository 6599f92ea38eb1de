/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;

/**
 * The ranks of a simulated job: each a virtual thread, of which exactly one runs at a time. Who runs next is decided by
 * an {@link Order}, at every step of the running rank; the running rank asks for it itself, so that a rank that is
 * followed by itself goes on without any hand-over.
 *
 * <p>What one rank did is visible to the next one: the number of the running rank is a volatile field.
 */
final class SimulatedRanks {
    /** Decides who runs. */
    interface Order {
        /**
         * Chooses the rank that runs next, after doing what happens in between, such as the arrival of puts.
         *
         * @return the rank, one that can run
         * @throws RuntimeException when no rank can ever run again though some have not ended
         */
        int next();

        /**
         * Takes note that the running rank has ended.
         *
         * @param rank the rank
         */
        void end(int rank);
    }

    /** Unwinds the ranks that are left when one has failed. */
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
     * @param body what a rank does
     * @throws RuntimeException what a rank, or the order, has thrown first
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
            // another rank has said why
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

    /** Lets the order choose, and returns when it is this rank's turn again. */
    void step(int rank) {
        if (stopped) { // a rank that is unwound by Stopped still says that it breaks its communicator
            throw new Stopped();
        }
        int next = order.next();
        if (next != rank) {
            handOverTo(next);
            awaitTurn(rank);
        }
    }

    /** {@return whether the ranks are being unwound, so that nothing that they still do counts} */
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
