/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.tutti.JobStartException;

/** A process of the job: its ranks, its life, and its output on the way. */
final class StartedProcess {
    private final RankRange ranks;
    private final Process process;
    private final List<Relay> relays;

    private StartedProcess(RankRange ranks, Process process, List<Relay> relays) {
        this.ranks = ranks;
        this.process = process;
        this.relays = relays;
    }

    /** {@return the process with this number, which was just started} */
    static StartedProcess start(int number, RankRange ranks, ProcessBuilder builder, JobOutput output) {
        try {
            var process = builder.start();
            return new StartedProcess(ranks, process, output.relay(number, process));
        } catch (IOException e) {
            throw new JobStartException("the process of " + ranks.name() + " could not be started: " + e.getMessage());
        }
    }

    /** Calls back, on some other thread, when the process has ended. */
    void whenEnded(Consumer<StartedProcess> action) {
        process.onExit().thenRun(() -> action.accept(this));
    }

    RankRange ranks() {
        return ranks;
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** {@return what the ended process returned, 128 + n after signal n} */
    int exitStatus() {
        return process.exitValue();
    }

    /** Asks the process to end (SIGTERM). */
    void terminate() {
        process.destroy();
    }

    /** Ends the process (SIGKILL). */
    void kill() {
        process.destroyForcibly();
    }

    /** Waits, until {@link System#nanoTime()} passes the deadline at most, for the process to end. */
    void awaitEnd(long deadlineNanos) throws InterruptedException {
        process.waitFor(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    /** Waits, until {@link System#nanoTime()} passes the deadline at most, for the process's output to be passed on. */
    void awaitOutput(long deadlineNanos) throws InterruptedException {
        for (var relay : relays) {
            relay.awaitEnd(deadlineNanos);
        }
    }

    /** {@return whether some output that was read has still to be written} */
    boolean isPassingOutputOn() {
        return relays.stream().anyMatch(Relay::isWriting);
    }
}
