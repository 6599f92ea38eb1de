/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Runs something with files where no interrupt reaches it: the interrupt of a thread closes the channel that it uses,
 * and the program's threads are not ours to shield. Rare and short: for opening and claiming.
 */
final class Uninterruptible {
    private Uninterruptible() {}

    /**
     * Calls on a thread of its own, and waits; an interrupt meanwhile is kept for afterwards.
     *
     * @param action what to call
     * @return its result
     * @throws IOException when the action does
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
