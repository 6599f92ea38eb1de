/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.stress;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;

/**
 * Objects that one state after the other uses. jcstress makes millions of states, too many to allocate native memory
 * for each.
 */
final class Pool<T> {
    private final Queue<T> idle = new ConcurrentLinkedQueue<>();
    private final Supplier<T> make;

    Pool(Supplier<T> make) {
        this.make = make;
    }

    T take() {
        T thing = idle.poll();
        return thing == null ? make.get() : thing;
    }

    void give(T thing) {
        idle.add(thing);
    }
}
