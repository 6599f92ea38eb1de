/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import org.tutti.memory.Waiter;

/** Acquires locks that other threads of the rank may hold while they wait for another rank. */
final class Locks {
    private Locks() {}

    /** Acquires a lock, unless the check ends the wait by throwing. */
    static void acquire(Lock lock, Waiter.Check check) {
        while (!lock.tryLock()) {
            try {
                if (lock.tryLock(1, TimeUnit.MILLISECONDS)) {
                    return;
                }
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt(); // the check ends the call, unless it has to go on
                Thread.yield();
            }
            check.check();
        }
    }
}
