/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * Looks after non-blocking calls of ranks that compute. One thread of the process does so every half millisecond, as
 * long as there is something to look after.
 *
 * <p>The thread removes an object before it looks, and adds the object again if it wants more looks. Therefore an
 * object that asks for looks meanwhile is not lost.
 */
public final class Looks {
    /** Something that needs periodic looks. */
    @FunctionalInterface
    public interface Look {
        /**
         * Looks once, on the thread of the process, without waiting for another rank.
         *
         * @return whether this method must be called again
         */
        boolean look();
    }

    private static final long INTERVAL_NANOS = 500_000;
    private static final Set<Look> WATCHED = new HashSet<>();
    private static boolean isRunning;

    private Looks() {}

    /**
     * Calls an object periodically until it returns false. Has no effect if that is already so.
     *
     * @param look the object
     */
    public static void watch(Look look) {
        synchronized (WATCHED) {
            if (!isRunning) {
                Thread.ofPlatform().daemon().name("tutti looks").start(Looks::lookNowAndThen);
                isRunning = true;
            }
            WATCHED.add(look);
        }
    }

    private static void lookNowAndThen() {
        do {
            LockSupport.parkNanos(INTERVAL_NANOS);
        } while (lookAtAll());
    }

    private static boolean lookAtAll() {
        List<Look> all;
        synchronized (WATCHED) {
            all = List.copyOf(WATCHED);
            WATCHED.clear();
        }
        for (Look each : all) {
            if (look(each)) {
                synchronized (WATCHED) {
                    WATCHED.add(each);
                }
            }
        }
        synchronized (WATCHED) {
            isRunning = !WATCHED.isEmpty();
            return isRunning;
        }
    }

    /** An object that fails does not keep the others from being looked after. */
    private static boolean look(Look each) {
        try {
            return each.look();
        } catch (Throwable failure) {
            Thread current = Thread.currentThread();
            current.getUncaughtExceptionHandler().uncaughtException(current, failure);
            return false;
        }
    }
}
