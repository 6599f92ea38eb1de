/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.spark;

import org.apache.spark.TaskContext;
import org.apache.spark.util.TaskInterruptListener;

/**
 * Interrupts a task's thread when Spark kills the task. Spark itself interrupts the thread only if the program has
 * requested that. Without an interrupt, a rank that waits for other ranks would not notice that its task was killed.
 */
final class Interrupts implements TaskInterruptListener, AutoCloseable {
    private Thread thread = Thread.currentThread();

    private Interrupts() {}

    /** Interrupts the calling thread when its task is killed, until the returned object is closed. */
    static Interrupts from(TaskContext context) {
        var interrupts = new Interrupts();
        context.addTaskInterruptListener(interrupts);
        return interrupts;
    }

    @Override
    public synchronized void onTaskInterrupted(TaskContext context, String reason) {
        if (thread != null) {
            thread.interrupt();
        }
    }

    @Override
    public synchronized void close() {
        thread = null;
    }
}
