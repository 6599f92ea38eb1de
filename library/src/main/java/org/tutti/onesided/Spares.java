/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;

/**
 * A pool of states of calls, while no call has them. A thread takes one out when a call begins and puts it back when
 * the call ends, and makes one if it finds none. So there are as many as threads have been in calls at once;
 * {@value #KEPT_MAX} are kept.
 *
 * <p><b>Memory ordering.</b> Taking out is an atomic operation on the place, and putting back a store with release
 * order, so a thread that takes one sees everything that the thread before it has done with it. No two threads take the
 * same one. Two threads that put theirs back into the same place at the same moment lose one of them, which costs a
 * later call an allocation; a look at the place before makes that rare.
 *
 * <p>A thread begins its search at a place that its number tells. Threads with different places share nothing but the
 * line in which the places lie.
 */
final class Spares<T> {
    /** How many are kept. */
    static final int KEPT_MAX = 16;

    private static final int MASK = KEPT_MAX - 1;

    private final Supplier<T> maker;
    private final AtomicReferenceArray<T> places = new AtomicReferenceArray<>(KEPT_MAX);

    /**
     * @param maker makes one that is missing
     */
    Spares(Supplier<T> maker) {
        this.maker = maker;
    }

    /** A call begins. */
    T take() {
        int first = first();
        T spare = places.getAndSet(first, null);
        return spare != null ? spare : takeFrom(first + 1);
    }

    private T takeFrom(int second) {
        for (int i = second; i < second + MASK; i++) {
            T spare = places.getAcquire(i & MASK) == null ? null : places.getAndSet(i & MASK, null);
            if (spare != null) {
                return spare;
            }
        }
        return maker.get();
    }

    /** The call has ended. */
    void putBack(T spare) {
        int first = first();
        if (places.getAcquire(first) == null) {
            places.setRelease(first, spare);
        } else {
            putBackFrom(first + 1, spare);
        }
    }

    private void putBackFrom(int second, T spare) {
        int i = second;
        while (i < second + MASK && !places.compareAndSet(i & MASK, null, spare)) {
            i++;
        }
    }

    private static int first() {
        return (int) Thread.currentThread().threadId() & MASK;
    }
}
