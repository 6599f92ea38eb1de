/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Runs file operations on threads that no interrupt reaches. If a thread is interrupted while it uses a channel, the
 * channel is closed, and this library cannot keep the program from interrupting its threads. Only opening and claiming
 * use this class, because they are rare and short.
 */
final class Uninterruptible {
    private Uninterruptible() {}

    /**
     * Runs an action on a new thread and waits for it. An interrupt of the calling thread takes effect afterwards.
     *
     * @param action the action
     * @return its result
     * @throws IOException if the action throws it
     */
    static <T> T call(Callable<T> action) throws IOException {
        FutureTask<T> task = new FutureTask<>(action);
        Thread.ofPlatform().daemon().name("tutti file").start(task);
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return task.get();
                } catch (InterruptedException _) {
                    interrupted = true;
                }
            }
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case IOException failure -> throw failure;
                case RuntimeException failure -> throw failure;
                case Error failure -> throw failure;
                default -> throw new IllegalStateException(e.getCause());
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
