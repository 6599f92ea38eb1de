/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Lists the long waits of this process by thread, for reports of where a rank is stuck. A thread adds its own wait
 * after {@link #LASTING_NANOS} ns, so shorter waits cost nothing. The waiting call is described only when a report is
 * made. The reporting thread reads the state of the call without synchronization, so the description may be slightly
 * out of date.
 */
public final class Waits {
    /** The time in nanoseconds after which a wait is added to the list. */
    public static final long LASTING_NANOS = 2_000_000;

    private static final Map<Thread, Wait> LASTING = new ConcurrentHashMap<>();

    private Waits() {}

    /**
     * A wait of a thread that has already lasted long.
     *
     * @param call a function that returns the description of the waiting call, or null if the wait belongs to no call
     * @param sinceNanos the time at which the wait began, by {@link System#nanoTime()}
     */
    public record Wait(Supplier<WaitingCall> call, long sinceNanos) {}

    /**
     * Adds a wait of the calling thread to the list from which a report of stuck ranks is made. The wait may be inside
     * another wait of the same thread.
     *
     * @param call a function that returns the description of the waiting call; any thread may call it
     * @param sinceNanos the time at which the wait began, by {@link System#nanoTime()}
     * @return the enclosing wait, or null if there is none, to be passed to {@link #end}
     */
    public static Wait begin(Supplier<WaitingCall> call, long sinceNanos) {
        return LASTING.put(Thread.currentThread(), new Wait(call, sinceNanos));
    }

    /**
     * Removes the wait that the calling thread added last.
     *
     * @param outer the result of {@link #begin}
     */
    public static void end(Wait outer) {
        if (outer == null) {
            LASTING.remove(Thread.currentThread());
        } else {
            LASTING.put(Thread.currentThread(), outer);
        }
    }

    /**
     * {@return the long wait of a thread, or empty if it is in none}
     *
     * @param thread the thread
     */
    public static Optional<Wait> of(Thread thread) {
        return Optional.ofNullable(LASTING.get(thread));
    }

    /**
     * {@return a snapshot of the long waits, by thread}
     */
    public static Map<Thread, Wait> all() {
        return Map.copyOf(LASTING);
    }
}
