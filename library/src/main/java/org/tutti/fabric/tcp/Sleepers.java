/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

import org.tutti.memory.Words;

/**
 * Threads that wait in the background of ranks that compute: they sleep, and whoever takes something in wakes them.
 *
 * <p><b>No wake-up is missed</b>: who sleeps is in the set before it looks at its word for the last time, and who takes
 * something in has raised the words before it looks at the set, with a full fence between the two on both sides. So one
 * of them sees the other.
 */
final class Sleepers {
    private final Set<Thread> sleeping = ConcurrentHashMap.newKeySet();

    /** Sleeps until something was taken in, unless the word has the value; may return earlier. */
    void sleep(MemorySegment memory, long offset, long atLeast, long nanosMax) {
        Thread self = Thread.currentThread();
        sleeping.add(self);
        try {
            VarHandle.fullFence();
            if (Words.load(memory, offset) < atLeast) {
                LockSupport.parkNanos(nanosMax);
            }
        } finally {
            sleeping.remove(self);
        }
    }

    /** Wakes all; to be called when words have been raised. */
    void wake() {
        VarHandle.fullFence();
        if (!sleeping.isEmpty()) {
            sleeping.forEach(LockSupport::unpark);
        }
    }
}
