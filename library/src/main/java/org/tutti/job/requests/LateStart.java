/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.requests;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * Looks now and then for requests that were not awaited at once, so that those begin whose rank computes: a thread of
 * the process, which is there while such requests are started.
 */
final class LateStart {
    private static final long LOOK_NANOS = 500_000;
    private static final Set<RequestRunner> WATCHED = new HashSet<>();

    private LateStart() {}

    /** Has it looked at until its {@link RequestRunner#look} says that there is nothing to look at. */
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
