/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.util.Optional;
import java.util.function.Consumer;

/** A process of the job on any host: its ranks, its life, and its output on the way. */
interface StartedProcess {
    /**
     * The exit status of a JVM that ends because no memory is left; {@link RankCommand} starts JVMs with that option.
     */
    int STATUS_OUT_OF_MEMORY = 3;

    RankRange ranks();

    /** {@return an identification of the process for messages, as in {@code pid 17}} */
    String identity();

    /** {@return the process identifier on the host of the process; 0 if it is not known} */
    long pid();

    boolean isAlive();

    /**
     * {@return the exit status of the ended process, 128 + n after signal n; meaningless if {@link #lost()} has a
     * value}
     */
    int exitStatus();

    /** {@return a clause about the fate of the host, if nothing is known of the process itself} */
    default Optional<String> lost() {
        return Optional.empty();
    }

    /** {@return whether the last line of its output, as far as known, says that its JVM had no memory left} */
    default boolean saidOutOfMemory() {
        return false;
    }

    /** Calls the action, on some other thread, when the process has ended. */
    void whenEnded(Consumer<StartedProcess> action);

    /** Asks the process to end (SIGTERM). */
    void terminate();

    /** Ends the process (SIGKILL). */
    void kill();

    /** Waits until the process has ended, or until {@link System#nanoTime()} passes the deadline. */
    void awaitEnd(long deadlineNanos) throws InterruptedException;

    /**
     * Waits until the output of the process has been passed on, or until {@link System#nanoTime()} passes the deadline.
     */
    void awaitOutput(long deadlineNanos) throws InterruptedException;

    /** {@return whether some output that was read has still to be written} */
    boolean isPassingOutputOn();
}
