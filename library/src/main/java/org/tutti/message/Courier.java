/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Makes the steps of non-blocking transfers to and from one rank of another node, one after another. Such a step may
 * have to wait for room in a connection. A thread that awaits a message of that rank makes the steps while it polls,
 * because another thread would take the core from it on a machine without a core to spare. Otherwise a virtual thread
 * makes them, which lives while there are steps.
 *
 * <p>Memory ordering: a thread adds a step, and then loads whether a thread polls. A thread that stops polling stores
 * that first, and then looks for steps. The field is volatile and the queue is concurrent, so no step is left.
 */
final class Courier {
    private final Queue<Runnable> steps = new ConcurrentLinkedQueue<>();
    private final AtomicInteger runs = new AtomicInteger();
    private final Background background;
    private final Runnable flush;
    private volatile boolean polls; // whether a thread that awaits a message makes the steps

    /**
     * Creates a courier without steps.
     *
     * @param background runs the steps while no thread polls
     * @param flush writes what the steps have left in buffers, so that several steps share a system call
     */
    Courier(Background background, Runnable flush) {
        this.background = background;
        this.flush = flush;
    }

    /** Adds a step, which is made soon. */
    void add(Runnable step) {
        steps.add(step);
        if (!polls) {
            start();
        }
    }

    /** Leaves later steps to the calling thread, which polls again and again until {@link #endPolling}. */
    void beginPolling() {
        polls = true;
    }

    /** Makes the steps that were added, on the thread that polls. Returns whether there were any. */
    boolean poll() {
        boolean any = !steps.isEmpty();
        if (any) {
            makeAll();
        }
        return any;
    }

    /** Leaves the steps to a virtual thread, because the calling thread sleeps or has ended its wait. */
    void endPolling() {
        polls = false;
        start();
    }

    private void makeAll() {
        try {
            for (Runnable step = steps.poll(); step != null; step = steps.poll()) {
                step.run();
            }
        } finally {
            flush.run();
        }
    }

    private void start() {
        if (!steps.isEmpty() && runs.getAndIncrement() == 0) {
            background.start("tutti messages", this::run);
        }
    }

    /** Looks again if a step has been added meanwhile. */
    private void run() {
        int requested;
        do {
            requested = runs.get();
            try {
                makeAll();
            } catch (Throwable failure) {
                runs.set(0);
                throw failure;
            }
        } while (runs.addAndGet(-requested) > 0);
    }
}
