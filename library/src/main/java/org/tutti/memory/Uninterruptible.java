/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Runs file operations on threads of its own, which the program cannot interrupt. If a thread is interrupted while it
 * uses a file channel, Java closes the channel. The library would then lose the file. Only opening a file and claiming
 * memory use this class, because they are rare and short.
 */
final class Uninterruptible {
    private Uninterruptible() {}

    /**
     * Runs an action on a new thread and waits until it has ended. If the calling thread is interrupted meanwhile, it
     * remains interrupted after the call.
     *
     * @param action the file operation to run
     * @return the result of the action
     * @throws IOException if the action throws an {@code IOException}
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
