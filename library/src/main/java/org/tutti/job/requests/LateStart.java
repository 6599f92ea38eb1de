/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.requests;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * Starts threads for requests that the program does not await immediately. A request is a non-blocking call, and so
 * begins while its rank computes. One thread of the process looks for them every half millisecond. It runs as long as
 * ranks start requests without a thread.
 */
final class LateStart {
    private static final long LOOK_NANOS = 500_000;
    private static final Set<RequestRunner> WATCHED = new HashSet<>();

    private LateStart() {}

    /** Lets this class's thread call {@link RequestRunner#look} periodically until the method returns false. */
    static void watch(RequestRunner runner) {
        synchronized (WATCHED) {
            if (WATCHED.isEmpty()) {
                Thread.ofPlatform().daemon().name("tutti late start").start(LateStart::lookNowAndThen);
            }
            WATCHED.add(runner);
        }
    }

    private static void lookNowAndThen() {
        do {
            LockSupport.parkNanos(LOOK_NANOS);
        } while (look());
    }

    private static boolean look() {
        synchronized (WATCHED) {
            WATCHED.removeIf(each -> !each.look());
            return !WATCHED.isEmpty();
        }
    }
}
