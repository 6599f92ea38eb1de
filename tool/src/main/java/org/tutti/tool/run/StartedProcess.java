/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.util.Optional;
import java.util.function.Consumer;

/** A process of the job, wherever it runs: its ranks, its life, and its output on the way. */
interface StartedProcess {
    /** What a JVM returns that ends because there is no memory left, as {@link RankCommand} has it do. */
    int STATUS_OUT_OF_MEMORY = 3;

    RankRange ranks();

    /** {@return what tells the process from others, as in {@code pid 17}} */
    String identity();

    boolean isAlive();

    /** {@return what the ended process returned, 128 + n after signal n; meaningless if {@link #lost()} says why} */
    int exitStatus();

    /** {@return what happened to the host of the process, a clause, if nothing is known of the process itself} */
    default Optional<String> lost() {
        return Optional.empty();
    }

    /** {@return whether the last line of its output, as far as it is known, says that its JVM had no memory left} */
    default boolean saidOutOfMemory() {
        return false;
    }

    /** Calls back, on some other thread, when the process has ended. */
    void whenEnded(Consumer<StartedProcess> action);

    /** Asks the process to end (SIGTERM). */
    void terminate();

    /** Ends the process (SIGKILL). */
    void kill();

    /** Waits, until {@link System#nanoTime()} passes the deadline at most, for the process to end. */
    void awaitEnd(long deadlineNanos) throws InterruptedException;

    /** Waits, until {@link System#nanoTime()} passes the deadline at most, for the process's output to be passed on. */
    void awaitOutput(long deadlineNanos) throws InterruptedException;

    /** {@return whether some output that was read has still to be written} */
    boolean isPassingOutputOn();
}
