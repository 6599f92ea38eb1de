/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

import org.tutti.memory.Words;

/**
 * The set of threads that wait for other processes while the ranks of this process compute, as the threads of
 * non-blocking requests do. Each waits for a word of memory that an arriving frame raises. It sleeps until a thread
 * that takes in frames wakes it.
 *
 * <p><b>No wake-up is missed.</b> A thread enters the set before it reads its word for the last time. A thread that
 * takes in frames raises the words before it reads the set. On both sides, a full fence separates the two steps, so at
 * least one of the two threads sees the other.
 */
final class Sleepers {
    private final Set<Thread> sleeping = ConcurrentHashMap.newKeySet();

    /**
     * Sleeps until another thread has taken in frames, which may have raised a word. Returns immediately if the word
     * has already reached the value, and may return early without a reason.
     *
     * @param memory the memory of the word
     * @param offset the offset of the word in bytes
     * @param atLeast the value for which the caller waits
     * @param nanosMax the longest sleep in nanoseconds
     */
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

    /** Wakes all sleeping threads. Must be called after words have been raised. */
    void wake() {
        VarHandle.fullFence();
        if (!sleeping.isEmpty()) {
            sleeping.forEach(LockSupport::unpark);
        }
    }
}
