/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * The waits of this process that have lasted for a while, by their threads: so that somebody who asks why nothing goes
 * on can be told. A wait is entered by its own thread when it has lasted for milliseconds, so those that end soon pay
 * nothing. What is waited for is looked at only when somebody asks, from another thread and without any order between
 * the two: it may be out of date, and then is that of a moment ago.
 */
public final class Waits {
    /** How long a wait lasts before it is entered, in nanoseconds. */
    public static final long LASTING_NANOS = 2_000_000;

    private static final Map<Thread, Wait> LASTING = new ConcurrentHashMap<>();

    private Waits() {}

    /**
     * A wait that lasts.
     *
     * @param call tells what waits; null if that is nobody's call
     * @param sinceNanos when it began, in terms of {@link System#nanoTime()}
     */
    public record Wait(Supplier<WaitingCall> call, long sinceNanos) {}

    /**
     * Enters a wait of this thread, which may be inside another one of it.
     *
     * @param call tells what waits, on any thread
     * @param sinceNanos when the wait began, in terms of {@link System#nanoTime()}
     * @return the wait that it is inside of, or null; for {@link #end}
     */
    public static Wait begin(Supplier<WaitingCall> call, long sinceNanos) {
        return LASTING.put(Thread.currentThread(), new Wait(call, sinceNanos));
    }

    /**
     * Ends the wait that this thread has entered last.
     *
     * @param outer what {@link #begin} returned
     */
    public static void end(Wait outer) {
        if (outer == null) {
            LASTING.remove(Thread.currentThread());
        } else {
            LASTING.put(Thread.currentThread(), outer);
        }
    }

    /**
     * {@return the wait that a thread is in, if it has lasted for a while}
     *
     * @param thread the thread
     */
    public static Optional<Wait> of(Thread thread) {
        return Optional.ofNullable(LASTING.get(thread));
    }

    /**
     * {@return the waits that last, by their threads; it changes under the caller}
     */
    public static Map<Thread, Wait> all() {
        return Map.copyOf(LASTING);
    }
}
