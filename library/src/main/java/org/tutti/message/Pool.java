/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.util.ArrayDeque;
import java.util.function.Supplier;

/**
 * Objects for reuse that one thread may take and another one put back. Any number of threads may use a pool.
 *
 * @param <T> the class of the objects
 */
final class Pool<T> {
    private final Supplier<T> maker;
    private final int keptMax;
    private final ArrayDeque<T> kept = new ArrayDeque<>();

    /**
     * Creates an empty pool.
     *
     * @param maker makes an object when the pool has none
     * @param keptMax the most objects in the pool
     */
    Pool(Supplier<T> maker, int keptMax) {
        this.maker = maker;
        this.keptMax = keptMax;
    }

    /** Returns an object that no other call has. */
    synchronized T take() {
        T spare = kept.poll();
        return spare != null ? spare : maker.get();
    }

    /** Puts back an object that its call does not need any more. */
    synchronized void putBack(T spare) {
        if (kept.size() < keptMax) {
            kept.push(spare);
        }
    }
}
