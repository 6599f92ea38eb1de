/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.util.ArrayDeque;
import java.util.function.LongConsumer;

/**
 * The non-blocking calls that write to one part at another node and have not ended, in the order in which they began. A
 * virtual thread makes one call after the other, each as a blocking call, and ends when the queue is empty. The bytes
 * of a call are read from the caller's memory when its turn comes, so the caller does not change them before its
 * request is done.
 *
 * <p><b>Concurrency.</b> The queue is changed under the monitor of the {@link PendingCalls}, which also number the
 * calls. Therefore the numbers in a queue grow. A rank asks {@link #isBusy} without the monitor before each call into
 * the part. It sees its own earlier calls, and calls of other threads that the program has ordered before.
 */
final class CallQueue {
    /** A call and its number. */
    record Queued(long number, LongConsumer call) {}

    private final ArrayDeque<Queued> calls = new ArrayDeque<>();
    private volatile boolean busy;

    /** Returns whether any call has not ended. */
    boolean isBusy() {
        return busy;
    }

    /** Adds a call. Returns whether it is the only one, so that a thread must be started. */
    boolean add(long number, LongConsumer call) {
        assert calls.isEmpty() || calls.getLast().number < number
                : "call " + number + " is queued after " + calls.getLast();
        calls.add(new Queued(number, call));
        busy = true;
        return calls.size() == 1;
    }

    /** Returns the first call, whose turn it is. */
    Queued first() {
        return calls.getFirst();
    }

    /** Removes the first call, which has ended. Returns whether there is another one. */
    boolean remove() {
        calls.removeFirst();
        busy = !calls.isEmpty();
        return busy;
    }
}
